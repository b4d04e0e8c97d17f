"""Checks for what is there twice: tasks that ask the same, entities and relation rows that are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.builders.tasks.repeated_tasks import Wordings, asked_for
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import quote
from worldforge.world.task import Task

MOST_WORDINGS = 5_000
UNLIKELY = 1e-3
"""Pairs of like entities that chance may make: a type where it makes more is not looked at."""


def check_questions(tasks: Sequence[Task]) -> Finding:
    """No two tasks ask the same: by query, by rows and columns, by words."""
    tally = CheckCounter("questions")
    tally.checked(len(tasks))
    tally.failed(_same(tasks, [task.query for task in tasks], "have the same query"))
    tally.failed(_same(tasks, [asked_for(task) for task in tasks], "ask for the same columns of the same rows"))
    tally.failed(_alike(tasks))
    return tally.finding()


def check_duplicates(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: duckdb.DuckDBPyConnection) -> Finding:
    """No two entities of a type share all they have, no two rows of a relation both ends."""
    tally = CheckCounter("duplicates")
    for name in spec.types:
        _check_entities(tally, spec, name, tables[name])
    for name, relation in spec.relations.items():
        if relation.distinct and relation.pairs is None:
            tally.checked(tables[name].num_rows)
            twice = connection.execute(
                f"SELECT source, target, count(*) FROM {quote(name)} GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL"
            ).fetchall()
            tally.failed([f"{name}: {s} and {t} meet {n} times" for s, t, n in twice[:MOST_SHOWN]], len(twice))
    return tally.finding()


def _same(tasks: Sequence[Task], what: Iterable[object], said: str) -> Iterator[str]:
    first: dict[object, str] = {}
    for task, value in zip(tasks, what, strict=True):
        before = first.setdefault(value, task.id)
        if before != task.id:
            yield f"{before} and {task.id} {said}"


def _alike(tasks: Sequence[Task]) -> Iterator[str]:
    """Name the pairs of questions whose words are nearly the same."""
    sampled = [tasks[row] for row in even_sample(len(tasks), MOST_WORDINGS)]
    wordings = Wordings()
    for task in sampled:
        for number, share in wordings.nearest(task.wording):
            yield f"{sampled[number].id} and {task.id} ask in the same words (similarity {share:.2f})"
        wordings.add(task.wording)


def even_sample(n: int, most: int) -> list[int]:
    """Choose at most `most` of `n` rows, evenly spread."""
    return np.unique(np.linspace(0, n - 1, num=min(most, n), dtype=np.int64)).tolist() if n else []


def _check_entities(tally: CheckCounter, spec: WorldSpec, name: str, table: pa.Table) -> None:
    """Look for entities that share every attribute, in types where chance makes fewer than `UNLIKELY` such pairs.

    Chance: the number of pairs, times the product over attributes of the probability that two values are the same.
    """
    columns = [column for column in spec.types[name].attributes if column in table.column_names]
    pairs = table.num_rows * (table.num_rows - 1) / 2
    chance = pairs
    for column in columns:
        counts = pc.struct_field(table[column].combine_chunks().value_counts(), "counts").to_numpy()
        chance *= float((counts * (counts - 1) / 2).sum()) / max(1.0, pairs)
    if not columns or chance >= UNLIKELY:
        return
    tally.checked(table.num_rows)
    grouped = table.select([*columns, "id"]).group_by(columns).aggregate([("id", "count"), ("id", "min")])
    twice = grouped.filter(pc.greater(grouped["id_count"], 1))
    shown = twice.slice(0, MOST_SHOWN).to_pylist()
    tally.failed(
        [f"{name}: {row['id_min']} and {row['id_count'] - 1} more share every attribute" for row in shown],
        twice.num_rows,
    )
