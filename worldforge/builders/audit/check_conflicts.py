"""Checks that the world's rule settles what pages disagree on, by SQL over mentions and pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.check_site_formats import as_tables_write
from worldforge.builders.audit.finding import CheckCounter, Finding
from worldforge.schema.site_authority import authority_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.parquet_reader import Table, parts, rows_matching
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.task import Task
from worldforge.world.value_formats import ValueFormats

_STATED = """
    CREATE TABLE stated AS
    SELECT DISTINCT fact, page, if(stance IN ({true}), NULL, value) AS other, published, weight
    FROM mentions JOIN pages ON mentions.page = pages.id JOIN weights USING (kind)
    WHERE fact IN (SELECT fact FROM mentions WHERE stance NOT IN ({true}))
"""
_SETTLED = {
    "date": """
        WITH heard AS (SELECT * FROM stated QUALIFY rank() OVER (PARTITION BY fact ORDER BY published DESC) = 1)
        SELECT fact FROM heard GROUP BY fact HAVING bool_and(other IS NULL)
    """,
    "authority": """
        WITH heard AS (
            SELECT * FROM stated QUALIFY rank() OVER (PARTITION BY fact ORDER BY weight DESC, published DESC) = 1
        )
        SELECT fact FROM heard GROUP BY fact HAVING bool_and(other IS NULL)
    """,
    "majority": """
        WITH votes AS (SELECT fact, other, count(DISTINCT page) AS n FROM stated GROUP BY fact, other)
        SELECT fact FROM votes GROUP BY fact
        HAVING coalesce(max(n) FILTER (other IS NULL), 0) > coalesce(max(n) FILTER (other IS NOT NULL), 0)
    """,
}


def check_conflicts(
    spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table, tasks: Sequence[Task]
) -> Finding:
    """Every fact of a task that pages disagree on is settled by the world's rule, and tasks count such facts rightly.

    What is counted as checked are all facts of the world that pages disagree on.
    """
    tally = CheckCounter("conflicts")
    forms = ValueFormats(spec, lambda name: tables[name])
    connection = _stated(spec, pages, as_tables_write(forms, pages["kind"], _doubted(mentions)))
    doubted = {fact for (fact,) in connection.execute("SELECT DISTINCT fact FROM stated").fetchall()}
    rule = spec.web.settled_by
    settled = {fact for (fact,) in connection.execute(_SETTLED[rule]).fetchall()} if rule else set[str]()
    tally.checked(len(doubted))
    for task in tasks:
        own = doubted.intersection(task.needed_facts)
        doubtful = sorted(own - settled)
        tally.failed(f"{task.id}: pages disagree on {fact}, and nothing settles it" for fact in doubtful)
        if len(own) != task.n_conflicts:
            tally.failed([f"{task.id}: pages disagree on {len(own)} of its facts, and it says {task.n_conflicts}"])
    return tally.finding()


def _doubted(mentions: Table) -> pa.Table:
    """Take the mentions among which SQL is to look: of facts that some page states otherwise, out of a long file."""
    untrue = [
        part.filter(pc.invert(pc.is_in(part["stance"], pa.array(TRUE_STANCES))))["fact"] for part in _all(mentions)
    ]
    facts = pa.chunked_array([chunk for column in untrue for chunk in column.chunks], pa.string()).unique()
    return rows_matching(mentions, ["page", "fact", "stance", "value"], "fact", facts)


def _all(mentions: Table) -> Iterator[pa.Table]:
    return parts(mentions, ["fact", "stance"])


def _stated(spec: WorldSpec, pages: Table, mentions: pa.Table) -> duckdb.DuckDBPyConnection:
    """Open a database with one row for each thing that a page says of a fact on which not all pages agree."""
    weights = pa.table({"kind": list(spec.pages), "weight": [authority_of(spec, key) for key in spec.pages]})
    chosen = {"pages": pages.select(["id", "kind", "published"]), "weights": weights}
    connection = connect(chosen | {"mentions": mentions.select(["page", "fact", "stance", "value"])})
    connection.execute(_STATED.format(true=", ".join(f"'{stance}'" for stance in TRUE_STANCES)))
    return connection
