"""Finds tasks that ask the same, or nearly the same, as one that was kept.

The same: one query, or the same columns of the same rows. Nearly so, by what is asked: the same columns, under the same
conditions but for bounds, of rows that are nearly the same; by words: see `text_similarity`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from worldforge.builders.text_similarity import SimilarTexts
from worldforge.world.task import Task
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, GivenEntities, NoneOf, RelatedTerm, Term

SAME_ROWS = 0.8
"""Jaccard similarity of two gold tables' entities from which on tasks that ask alike ask the same."""
SAME_WORDS = 0.9
"""Jaccard similarity of two questions' shingles from which on they ask in the same words."""
_ORDERED = ("<", "<=", ">", ">=", "between")


class RepeatedTasks:
    """The tasks of a world that were kept so far, of all its families."""

    def __init__(self) -> None:
        self._kept: list[Task] = []
        self._wordings = SimilarTexts(SAME_WORDS)
        self._alike: dict[Hashable, list[tuple[str, frozenset[str]]]] = {}
        self._same: dict[Hashable, str] = {}

    def reason(self, task: Task) -> str:
        """Return the kept task that asks the same or nearly the same; empty if there is none."""
        if task.query in self._same:
            return f"duplicate: its query is that of {self._same[task.query]}"
        if answer_identity(task) in self._same:
            return f"duplicate: {self._same[answer_identity(task)]} asks for the same columns of the same rows"
        rows = entities(task)
        for other, others in self._alike.get(asked(task), ()):
            share = len(rows & others) / len(rows | others)
            if share >= SAME_ROWS:
                return f"duplicate: it asks what {other} asks, but for bounds ({share:.2f} of the rows are the same)"
        for number, share in self._wordings.nearest(task.wording.partition("\n")[0]):
            return f"duplicate: it asks in the words of {self._kept[number].id} (similarity {share:.2f})"
        return ""

    def keep(self, task: Task) -> None:
        """Note a task, under the id that it keeps."""
        self._kept.append(task)
        self._wordings.add(task.wording.partition("\n")[0])
        self._same.update({task.query: task.id, answer_identity(task): task.id})
        self._alike.setdefault(asked(task), []).append((task.id, entities(task)))


def answer_identity(task: Task) -> tuple[Hashable, ...]:
    """Return a key of the answer that a task asks for: the rows by their keys, and the columns."""
    # groups of other entities may have the same names: there all cells count
    keys = range(len(task.columns)) if task.shape.group else [task.labels.index(key) for key in task.keys]
    rows = frozenset(tuple(row[key] for key in keys) for row in task.gold)
    return task.family, task.table, rows, tuple(column.path for column in task.columns)


def entities(task: Task) -> frozenset[str]:
    """Return the ids of the entities that a gold table is about; of groups their members as well."""
    facts = task.answer_facts if task.shape.group else [row[0] for row in task.facts]
    return frozenset(fact.partition("#")[0] for fact in facts)


def asked(task: Task) -> Hashable:
    """Return a key of what a task asks, its bounds left out: equal for tasks alike in any order and language."""
    columns = frozenset(column.path for column in task.columns)
    return (
        task.about,
        columns,
        frozenset(map(_unbound, task.conditions)),
        task.shape.order,
        task.shape.highest,
        task.shape.group,
        task.shape.rows,
        task.shape.end,
        task.shape.within,
        _all(task.shape.where),
    )


def _unbound(term: Term) -> Hashable:
    match term:
        case Condition():
            bounded = term.operator in _ORDERED
            return term.path, "bound" if bounded else term.operator, "" if bounded else term.value
        case AnyOf() | NoneOf():
            return type(term).__name__, frozenset(_all(part) for part in term.parts)
        case RelatedTerm():
            return term.table, term.column, _all(term.where)
        case DescribedTerm():
            return term.path, term.about, _all(term.where)
        case GivenEntities():
            return "given"


def _all(terms: Sequence[Term]) -> frozenset[Hashable]:
    return frozenset(map(_unbound, terms))
