"""Derived columns, computed once more from the finished tables: aggregates entity by entity, ranks by counting.

A computed number counts as the same within what six decimals can tell.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.core.groups import Indices
from worldforge.schema.expression_sql import derived_sql, select_sql
from worldforge.schema.expressions import (
    Aggregate,
    Compiled,
    Ranking,
    compile_derived,
    compile_expression,
    decimals_of,
    substitute,
)
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import quote
from worldforge.world.stable_ids import rows_of
from worldforge.world.value_text import as_held

_TOLERANCE = 2e-6
_CLIMBED = "_climbed"


def check_derived(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: duckdb.DuckDBPyConnection) -> Finding:
    """Every derived column holds what its expression, aggregate or rank gives over the tables on file."""
    tally = CheckCounter("derived")
    for type_name, entity_type in spec.types.items():
        for name in entity_type.derived:
            held = tables[type_name][name].combine_chunks()
            compiled = compile_derived(spec, type_name, name)
            computed = as_held(_computed(spec, connection, type_name, name, compiled), held.type, decimals_of(compiled))
            tally.checked(len(held))
            wrong = np.flatnonzero(~_alike(held, computed))
            ids = tables[type_name]["id"].take(pa.array(wrong[:MOST_SHOWN])).to_pylist()
            shown = [
                f"{entity}#{name} is {held[row].as_py()}, where {computed[row].as_py()} is computed"
                for entity, row in zip(ids, wrong.tolist(), strict=False)
            ]
            tally.failed(shown, len(wrong))
    return tally.finding()


def _computed(
    spec: WorldSpec, connection: duckdb.DuckDBPyConnection, type_name: str, name: str, compiled: Compiled
) -> pa.Array:
    if isinstance(compiled, Ranking):
        return _counted(spec, connection, type_name, compiled)
    if isinstance(compiled, Aggregate) and not compiled.expression.tree.find(exp.ArgMax, exp.ArgMin):
        if compiled.over.tree:
            connection.register(_CLIMBED, _climbed(connection, compiled))
        query = _one_by_one(spec, type_name, compiled)
    else:  # which of several rows `arg_max` takes is for the builder's own query to say
        query = derived_sql(spec, type_name, name, compiled)
    found = connection.sql(query).to_arrow_table()
    return found[found.column_names[-1]].combine_chunks()


def _climbed(connection: duckdb.DuckDBPyConnection, item: Aggregate) -> pa.Table:
    """Climb a tree from all entities at once: each entity's id (`_node`), and those it comes by (`_key`)."""
    table = connection.sql(
        f"SELECT id, {quote(item.over.path[0])} AS above FROM {quote(item.over.table)} ORDER BY _row"
    ).to_arrow_table()
    ids, above = table["id"].combine_chunks(), rows_of(table["above"].combine_chunks())
    nodes = reached = np.arange(len(ids), dtype=np.int64)
    pairs = []
    for _ in range(len(ids)):
        pairs.append((nodes, reached))
        climbs = above[reached] >= 0
        nodes, reached = nodes[climbs], above[reached][climbs]
        if not len(nodes):
            break
    below, tops = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return pa.table({"_node": ids.take(pa.array(below)), "_key": ids.take(pa.array(tops))})


def _one_by_one(spec: WorldSpec, type_name: str, item: Aggregate) -> str:
    """Write the query that aggregates for each entity the rows that lead to it, instead of by groups of rows."""
    over = item.over.table
    names = {path: f"_{place}" for place, path in enumerate(item.expression.paths)}
    read = {
        name: compile_expression(".".join(f'"{step}"' for step in path), over, spec) for path, name in names.items()
    }
    rows = select_sql(spec, over, read if item.over.tree else read | {"_key": item.over.key}, item.where)
    if item.over.tree:
        rows = f"""
            SELECT _read.*, {_CLIMBED}._key FROM ({rows}) AS _read JOIN {quote(over)} AS _own USING (_row)
            JOIN {_CLIMBED} ON {_CLIMBED}._node = _own.id
        """
    columns = {".".join(path): exp.Column(this=exp.Identifier(this=name)) for path, name in names.items()}
    tree = substitute(item.expression.tree, columns).transform(_zero_for_none)
    value = f"SELECT {tree.sql('duckdb', comments=False)} FROM _refers WHERE _refers._key = _entity.id"
    return f"""
        WITH _refers AS MATERIALIZED ({rows})
        SELECT _entity._row, ({value}) AS computed FROM {quote(type_name)} AS _entity ORDER BY _entity._row
    """


def _zero_for_none(node: exp.Expr) -> exp.Expr:
    """Let a sum over no rows be 0."""
    if isinstance(node.this if isinstance(node, exp.Filter) else node, exp.Sum):
        return exp.Coalesce(this=node.copy(), expressions=[exp.Literal.number(0)])
    return node


def _counted(spec: WorldSpec, connection: duckdb.DuckDBPyConnection, type_name: str, ranking: Ranking) -> pa.Array:
    """Rank by counting the rows of a group that are before each: where its like begin in the sorted group."""
    outputs = {f"_{place}": term for place, term in enumerate(ranking.expressions)}
    found = connection.sql(select_sql(spec, type_name, outputs)).to_arrow_table()
    keys = [
        _places(found[f"_{place}"].combine_chunks(), descending) for place, descending in enumerate(ranking.descending)
    ]
    group = np.zeros(found.num_rows, np.int64)
    apart = np.ones(found.num_rows, bool)
    if ranking.within is not None:
        owners = found[f"_{len(keys)}"].combine_chunks()
        apart = owners.is_valid().to_numpy(zero_copy_only=False)
        group = pc.fill_null(owners.dictionary_encode().indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    order = np.lexsort([*reversed(keys), group])
    starts_group = _changes([group[order]])
    starts_like = _changes([group[order], *(key[order] for key in keys)])
    here = np.arange(len(order))
    n_before = np.maximum.accumulate(np.where(starts_like, here, 0)) - np.maximum.accumulate(
        np.where(starts_group, here, 0)
    )
    rank = np.empty(len(order), np.int64)
    rank[order] = n_before + 1
    return pa.array(rank, mask=~apart)


def _places(values: pa.Array, descending: bool) -> Indices:
    """Number values by the place of each among all different ones, null last."""
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    plain = values.drop_null()
    if pa.types.is_decimal(plain.type):
        plain = plain.cast(pa.float64())
    if pa.types.is_floating(plain.type):
        places = np.unique(plain.to_numpy(zero_copy_only=False), return_inverse=True)[1].astype(np.int64)
    else:
        ranked = pc.rank(plain.cast(pa.int8()) if pa.types.is_boolean(plain.type) else plain, tiebreaker="dense")
        places = ranked.to_numpy().astype(np.int64)
    found = np.full(len(values), len(values) + 2)
    found[valid] = len(values) + 1 - places if descending else places
    return found


def _changes(sorted_keys: list[Indices]) -> npt.NDArray[np.bool_]:
    """Tell at which rows any of the keys is another than in the row before."""
    changed = np.zeros(len(sorted_keys[0]), bool)
    changed[:1] = True
    for key in sorted_keys:
        changed[1:] |= key[1:] != key[:-1]
    return changed


def _alike(held: pa.Array, computed: pa.Array) -> npt.NDArray[np.bool_]:
    if pa.types.is_floating(held.type):
        near = pc.less_equal(pc.abs(pc.subtract(held, computed)), pc.add(_TOLERANCE, pc.multiply(pc.abs(held), 1e-9)))
    else:
        near = pc.equal(held, computed)
    both_null = pc.and_(held.is_null(), computed.is_null())
    alike: npt.NDArray[np.bool_] = pc.or_(pc.fill_null(near, False), both_null).to_numpy(zero_copy_only=False)
    return alike
