"""Checks on entities and relation rows: none bears a well-known real name, none is there twice."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import Finding
from worldforge.core.imports import shipped_lines
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import quote

UNLIKELY = 1e-3
"""Pairs of like entities that chance may make: a type where it makes more is not looked at."""


def check_names(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> Finding:
    """Check that no name or alias is on the shipped list of real names, as a whole: case and accents aside.

    What a spec's own generator has named is left alone: its author may have meant it.
    """
    finding = Finding("names")
    real = pa.array(shipped_lines("names", "real_names.txt"))
    for name, entity_type in spec.types.items():
        if ":" in entity_type.name.generator:
            continue
        ids, names = names_and_aliases(tables[name])
        finding.n_checked += len(names)
        listed = pc.indices_nonzero(pc.is_in(plain_names(names), value_set=real))
        finding.fail(f"{ids[row].as_py()} is called `{names[row].as_py()}`, a real name" for row in listed.to_pylist())
    return finding


def names_and_aliases(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Return all names, then all aliases of a type, after the ids of who bears them."""
    ids, aliases = table["id"].combine_chunks(), table["aliases"].combine_chunks()
    bearers = pa.concat_arrays([ids, ids.take(pc.list_parent_indices(aliases))])
    return bearers, pa.concat_arrays([table["name"].combine_chunks(), pc.list_flatten(aliases)])


def plain_names(names: pa.Array) -> pa.Array:
    """Write names as the list of real ones does: in lower case, without accents."""
    apart = pc.utf8_normalize(pc.utf8_lower(names.cast(pa.string())), form="NFKD")
    return pc.utf8_normalize(pc.replace_substring_regex(apart, r"\p{Mn}+", ""), form="NFKC")


def check_duplicates(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: duckdb.DuckDBPyConnection) -> Finding:
    """Check that no two entities of a type share all they have, and no two rows of a relation both ends."""
    finding = Finding("duplicates")
    for name, entity_type in spec.types.items():
        columns = [quote(column) for column in entity_type.attributes if column in tables[name].column_names]
        if columns and _n_alike_by_chance(connection, name, columns) < UNLIKELY:
            finding.n_checked += tables[name].num_rows
            finding.query(
                connection,
                f"{name}: {{}} and {{}} more share every attribute",
                f"SELECT min(id), count(*) - 1 FROM {quote(name)} GROUP BY {', '.join(columns)} HAVING count(*) > 1 "
                "ORDER BY ALL",
            )
    for name, relation in spec.relations.items():
        if relation.distinct and relation.pairs is None:
            finding.n_checked += tables[name].num_rows
            finding.query(
                connection,
                f"{name}: {{}} and {{}} meet {{}} times",
                f"SELECT source, target, count(*) FROM {quote(name)} GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL",
            )
    return finding


def _n_alike_by_chance(connection: duckdb.DuckDBPyConnection, table: str, columns: list[str]) -> float:
    """Estimate how many pairs share every column: all pairs, times the shares of pairs that share each column."""
    n_rows = connection.execute(f"SELECT count(*) FROM {quote(table)}").fetchall()[0][0]
    n_pairs = chance = n_rows * (n_rows - 1) / 2
    for column in columns:
        counts = f"SELECT count(*) AS n FROM {quote(table)} GROUP BY {column}"
        n_alike = connection.execute(f"SELECT coalesce(sum(n * (n - 1) / 2), 0) FROM ({counts})").fetchall()[0][0]
        chance *= n_alike / max(1.0, n_pairs)
    return float(chance)
