"""Checks that pages agree from both ends: who a club's page lists as a player has a page that names the club.

Asked of the mentions alone, by SQL; the tables are not looked at. What an alias, an old or a mistaken value says is
left out: only what pages state as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import duckdb
import pyarrow as pa

from worldforge.builders.audit.finding import Finding, even_sample, open_files
from worldforge.schema.column_paths import follow
from worldforge.schema.spec import WorldSpec
from worldforge.world.parquet_reader import Table
from worldforge.world.stable_ids import entity_id

MOST_ROWS = 5_000
"""Rows of one relation that are looked at."""
MOST_LISTS = 500
"""Pages of one kind of list that are looked at."""

_NAMES = "fact LIKE '%#name' AND stance = 'current'"


def check_inverse(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Finding:
    """Check that pages state from one end of a relation or a reference what they state from the other."""
    finding = Finding("inverse")
    connection = open_files({"mentions": mentions, "pages": pages})
    for name in spec.relations:
        _check_relation(finding, connection, name, tables[name].num_rows)
    for name, kind in spec.pages.items():
        if kind.by is not None:
            _check_lists(finding, connection, spec, name, kind.about, kind.by)
    return finding


def _check_relation(finding: Finding, connection: duckdb.DuckDBPyConnection, name: str, n_rows: int) -> None:
    """Check that a page about one end that names the other, and a page about that other, name each other."""
    rows = pa.table({"id": [entity_id(name, row) for row in even_sample(n_rows, MOST_ROWS)]})
    connection.register("sampled", rows)
    found = connection.execute(
        """
        WITH ends AS (
            SELECT page, sampled.id AS id, split_part(fact, '#', 2) AS of, value
            FROM mentions JOIN sampled ON split_part(fact, '#', 1) = sampled.id
            WHERE stance = 'current'
        ),
        subjects AS (
            SELECT page, min(value) FILTER (WHERE stance = 'current') AS name FROM mentions SEMI JOIN ends USING (page)
            WHERE fact LIKE '%#name' GROUP BY page HAVING count(DISTINCT fact) = 1 AND name IS NOT NULL
        ),
        said AS (SELECT DISTINCT id, of, name, value FROM ends JOIN subjects USING (page))
        SELECT one.id, one.name, one.value, other.name, other.value
        FROM said AS one JOIN said AS other USING (id) WHERE one.of = 'target' AND other.of = 'source' ORDER BY ALL
        """
    ).fetchall()
    finding.n_checked += len(found)
    wrong = [row for row in found if row[1] != row[4] or row[2] != row[3]]
    finding.fail(
        f"{row}: the page of {source} names {target}, the page of {other} names {listed}"
        for row, source, target, other, listed in wrong
    )


def _check_lists(
    finding: Finding, connection: duckdb.DuckDBPyConnection, spec: WorldSpec, kind: str, about: str, by: str
) -> None:
    """Check that those listed under a group have pages that state a reference to it, or to what leads there."""
    columns = follow(spec, about, [*by.split("."), "name"]).columns
    hops = [(column, target) for (_, column), (target, _) in itertools.pairwise(columns)]
    if hops[-1][1] == about:  # mentions do not tell whose list it is from who stands on it
        return
    ids = connection.execute("SELECT id FROM pages WHERE kind = ? ORDER BY id", [kind]).fetchall()
    connection.register("sampled", pa.table({"id": [ids[row][0] for row in even_sample(len(ids), MOST_LISTS)]}))
    steps = ["s0 AS (SELECT page, id, name AS grouped, id AS here FROM listed JOIN groups USING (page))"]
    for place, (column, target) in enumerate(hops, 1):
        steps.append(
            f"v{place} AS (SELECT s.page, id, grouped, value FROM s{place - 1} AS s JOIN mentions AS m "
            f"ON m.fact = here || '#{column}' WHERE m.stance = 'current')"
        )
        steps.append(
            f"s{place} AS (SELECT DISTINCT v{place}.page, id, grouped, split_part(m.fact, '#', 1) AS here "
            f"FROM v{place} JOIN mentions AS m USING (value) WHERE {_NAMES.replace('fact', 'm.fact')} "
            f"AND m.fact LIKE '{target}/%')"
        )
    last = len(hops)
    found = connection.execute(
        f"""
        WITH named AS (
            SELECT page, split_part(fact, '#', 1) AS id, value FROM mentions SEMI JOIN sampled ON page = sampled.id
            WHERE {_NAMES}
        ),
        groups AS (
            SELECT page, min(value) AS name FROM named WHERE id LIKE '{hops[-1][1]}/%'
            GROUP BY page HAVING count(DISTINCT id) = 1
        ),
        listed AS (SELECT DISTINCT page, id FROM named WHERE id LIKE '{about}/%'),
        {", ".join(steps)}
        SELECT page, id, grouped, min(value), bool_or(value = grouped) FROM v{last} GROUP BY ALL ORDER BY ALL
        """
    ).fetchall()
    finding.n_checked += len(found)
    finding.fail(
        f"{page} lists {entity} under {group}, its pages say {stated}"
        for page, entity, group, stated, agree in found
        if not agree
    )
