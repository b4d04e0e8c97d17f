"""Checks that tasks leave no shortcut open that the spec closes, and that no entity is on both sides of its split."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa

from worldforge.builders.audit.finding import CheckCounter, Finding
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.parquet_reader import Table, rows_matching
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.task import Task
from worldforge.world.task_terms import to_plain

_EXACT = 1e-6  # what is on file has six digits
_ID = '"[a-z][a-z0-9_]*/[0-9]+"'
_SIDES = ("train", "evaluation")
_ASKED = pa.schema([("side", pa.string()), ("facts", pa.list_(pa.string())), ("conditions", pa.string())])
_SHARES = """
    WITH needed AS (SELECT DISTINCT task, fact FROM facts),
    stated AS (
        SELECT task, page, count(DISTINCT fact) AS n
        FROM needed JOIN mentions USING (fact) WHERE stance IN ({true}) GROUP BY task, page
    ),
    totals AS (SELECT task, count(*) AS n FROM needed GROUP BY task)
    SELECT task, totals.n, coalesce(max(stated.n), 0) / totals.n
    FROM totals LEFT JOIN stated USING (task) GROUP BY task, totals.n ORDER BY task
"""
_TOUCHED = """
    WITH touched AS (
        SELECT side, split_part(fact, '#', 1) AS entity FROM tasks, unnest(facts) AS t(fact)
        UNION ALL
        SELECT side, named[2:-2] FROM tasks, unnest(regexp_extract_all(conditions, '{id}')) AS t(named)
    )
    SELECT entity, count(DISTINCT side) FROM touched
    WHERE split_part(entity, '/', 1) IN (SELECT name FROM types) GROUP BY entity ORDER BY entity
"""


def check_shortcuts(spec: WorldSpec, mentions: Table, tasks: Sequence[Task]) -> Finding:
    """The best page states as much of a gold table as the task says, counted by SQL over mentions; none goes too far.

    What is counted as checked are the facts of all gold tables.
    """
    tally = CheckCounter("shortcuts")
    named = [(task.id, fact) for task in tasks for fact in task.answer_facts]
    facts = pa.table({"task": [one[0] for one in named], "fact": [one[1] for one in named]})
    facts = facts.cast(pa.schema([("task", pa.string()), ("fact", pa.string())]))
    connection = connect(
        {"facts": facts, "mentions": rows_matching(mentions, ["page", "fact", "stance"], "fact", facts["fact"])}
    )
    found = connection.execute(_SHARES.format(true=", ".join(f"'{stance}'" for stance in TRUE_STANCES))).fetchall()
    tally.checked(sum(n for _, n, _ in found))
    shares = {task: share for task, _, share in found}
    for task in tasks:
        share = shares.get(task.id, 0.0)
        if abs(share - task.gold_page_share) > _EXACT:
            tally.failed([f"{task.id}: one page states {share:.6f} of its gold, and it says {task.gold_page_share}"])
        if share > spec.gates.page_share + _EXACT:
            tally.failed([f"{task.id}: one page states {share:.2f} of its gold; {spec.gates.page_share} is allowed"])
        if task.guess_f1 > spec.gates.guess:
            tally.failed([f"{task.id}: a guess reaches item F1 {task.guess_f1}; {spec.gates.guess} is allowed"])
    return tally.finding()


def check_splits(spec: WorldSpec, tasks: Sequence[Task]) -> Finding:
    """No entity that tasks are about, or name, is behind tasks of both sides; what is counted are entities."""
    tally = CheckCounter("splits")
    tally.failed(f"{task.id}: it is on no side of the split" for task in tasks if task.side not in _SIDES)
    rows = [
        {
            "side": task.side,
            "facts": task.answer_facts,
            "conditions": json.dumps(to_plain(task.conditions), ensure_ascii=False),
        }
        for task in tasks
    ]
    types = pa.table({"name": list(spec.types)})
    connection = connect({"tasks": pa.Table.from_pylist(rows, schema=_ASKED), "types": types})
    touched = connection.execute(_TOUCHED.format(id=_ID)).fetchall()
    tally.checked(len(touched))
    tally.failed(f"{entity} is behind tasks for training and for evaluation" for entity, n in touched if n > 1)
    return tally.finding()
