"""Write an answer: rows from observed values, as the Markdown table that the benchmark expects.

Computed cells use observed values only: an entity counts in the group that was observed, or in none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from worldforge.scoring.cell_date import read_date
from worldforge.scoring.cell_number import read_number
from worldforge.world.computed_cells import Measure, facts_of, measure_of
from worldforge.world.task import CellKind, Task, TaskColumn


def answer_table(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write rows of cells under `labels` as a Markdown table in a fenced block."""
    lines = [labels, ["---"] * len(labels), *rows]
    return "\n".join(["```markdown", *(f"| {' | '.join(line)} |" for line in lines), "```"])


def rows_from(task: Task, known: Mapping[str, str]) -> list[list[str]]:
    """Return the rows of a task's answer; `known` has the observed values by fact."""
    if not task.shape.group:
        return [[known.get(fact, "") for fact in row] for row in task.facts]
    names = [known.get(row[0], "") for row in task.facts]
    members = _members(task, known, names)
    return [
        [name, *(_computed(column, own, known) for column in task.columns[1:])]
        for name, own in zip(names, members, strict=True)
    ]


def _members(task: Task, known: Mapping[str, str], names: Sequence[str]) -> list[list[str]]:
    """Return the observed members of each row.

    A name that is no row's is taken for another name of the row that they are planned for.
    """
    members: list[dict[str, None]] = [{} for _ in names]
    for planned, row in enumerate(task.facts):
        for fact in (fact for cell in row[1:] for fact in facts_of(cell)):
            entity, _, column = fact.partition("#")
            group = known.get(fact, "")
            if column == task.shape.group and group:
                members[names.index(group) if group in names else planned][entity] = None
    return [list(own) for own in members]


def _computed(column: TaskColumn, members: Sequence[str], known: Mapping[str, str]) -> str:
    measure = measure_of(column.path)
    assert measure is not None, column
    seen = [known.get(f"{member}#{measure.column}", "") for member in members]
    return computed_cell(measure, column.kind, seen)


def computed_cell(measure: Measure, kind: CellKind, seen: Sequence[str]) -> str:
    """Compute a cell of a group from what was seen of its members, a text each; empty where nothing was."""
    if measure.name == "count":
        return str(len(seen)) if seen else ""
    if kind == "date":
        days = [day.first_day() for text in seen if (day := read_date(text))]
        return (max(days) if measure.name == "max" else min(days)).isoformat() if days else ""
    numbers = [number.value for text in seen if (number := read_number(text))]
    if not numbers:
        return ""
    match measure.name:
        case "sum":
            return _written(sum(numbers, Decimal()))
        case "mean":
            return _written(round(sum(numbers, Decimal()) / len(numbers), measure.places) + 0)
        case _:
            return _written(max(numbers) if measure.name == "max" else min(numbers))


def _written(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
