"""Checks on relations that are more than linked ends: pairs are complete, series without gaps. Asked of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import duckdb
import pyarrow as pa

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.schema.expression_sql import select_sql
from worldforge.schema.expressions import compile_expression
from worldforge.schema.spec import Pairs, Relation, WorldSpec
from worldforge.world.database import quote

Query = tuple[str, str]
"""What is wrong with the rows that a query gives, with slots for its columns, and the query."""


def check_relations(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: duckdb.DuckDBPyConnection) -> Finding:
    """In pairs all of a group meet as often as they should, once a round; in series positions count on from 1."""
    tally = CheckCounter("relations")
    for name, relation in spec.relations.items():
        queries = list(_queries(spec, name, relation))
        tally.checked(tables[name].num_rows if queries else 0)
        for said, query in queries:
            found = connection.execute(query).fetchall()
            tally.failed([f"{name}: {said.format(*row)}" for row in found[:MOST_SHOWN]], len(found))
    return tally.finding()


def _queries(spec: WorldSpec, name: str, relation: Relation) -> Iterator[Query]:
    if relation.pairs is not None:
        yield from _of_pairs(spec, name, relation.source, relation.pairs)
    if relation.series is not None:
        yield from _of_series(name, relation.series)


def _of_pairs(spec: WorldSpec, name: str, type_name: str, pairs: Pairs) -> Iterator[Query]:
    within = compile_expression(pairs.within or "'all'", type_name, spec)
    grouped = select_sql(spec, type_name, {"within": within})
    entities = f"SELECT id, within FROM {quote(type_name)} JOIN ({grouped}) USING (_row)"
    yield (
        "{0} and {1} meet {2} times, where they should meet {3} times",
        f"""
        WITH entities AS ({entities}),
        due AS (
            SELECT one.id AS one, other.id AS other, {pairs.legs} AS n
            FROM entities AS one JOIN entities AS other ON one.within = other.within AND one.id < other.id
        ),
        met AS (
            SELECT least(source, target) AS one, greatest(source, target) AS other, count(*) AS n
            FROM {quote(name)} GROUP BY ALL
        )
        SELECT one, other, coalesce(met.n, 0), coalesce(due.n, 0) FROM due FULL JOIN met USING (one, other)
        WHERE met.n IS DISTINCT FROM due.n ORDER BY ALL
        """,
    )
    yield (
        "{0} meets {2} others in round {1}",
        f"""
        WITH met AS (
            SELECT source AS id, round FROM {quote(name)} UNION ALL SELECT target, round FROM {quote(name)}
        )
        SELECT id, round, count(*) FROM met GROUP BY ALL HAVING count(*) > 1 OR round < 1 OR round IS NULL ORDER BY ALL
        """,
    )
    yield (
        "{0} and {1} have {2} rows with {0} first, of {3}",
        f"""
        WITH met AS (
            SELECT least(source, target) AS one, greatest(source, target) AS other,
                count(*) FILTER (source < target) AS n_first, count(*) AS n
            FROM {quote(name)} GROUP BY ALL
        )
        SELECT one, other, n_first, n FROM met WHERE abs(2 * n_first - n) > 1 ORDER BY ALL
        """,
    )


def _of_series(name: str, owner: str) -> Iterator[Query]:
    yield (
        "the positions of {0} run from {1} to {2} in {3} rows",
        f"""
        SELECT {owner}, min(position), max(position), count(*) FROM {quote(name)} GROUP BY {owner}
        HAVING min(position) != 1 OR max(position) != count(*) OR count(DISTINCT position) != count(*) ORDER BY ALL
        """,
    )
    yield (
        "{0} comes after {1}, not after {2}",
        f"""
        SELECT own.id, own.previous, before.id FROM {quote(name)} AS own LEFT JOIN {quote(name)} AS before
        ON own.{owner} = before.{owner} AND own.position = before.position + 1
        WHERE own.previous IS DISTINCT FROM before.id ORDER BY ALL
        """,
    )
