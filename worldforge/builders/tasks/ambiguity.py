"""Checks that entities with the same name do not make a question or its answer ambiguous."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from worldforge.schema.spec import WorldSpec
from worldforge.scoring.cell_text import same_text
from worldforge.world.entity_names import OtherNames, other_names, shared_names
from worldforge.world.task import Task
from worldforge.world.task_terms import GivenEntities, Term, leaves

_ID = re.compile(r"[a-z][a-z0-9_]*/\d+")


@dataclass(frozen=True)
class KnownNames:
    """The names of a world's entities: those shared within a type, and the aliases of each name."""

    shared: Mapping[str, frozenset[str]]
    other_names: OtherNames

    def reason(self, task: Task) -> str:
        """Return why names make a task ambiguous; empty if they do not."""
        for type_name, name in named(task.conditions):
            if name in self.shared.get(type_name, ()):
                return f"ambiguous: more than one {type_name} is called `{name}`"
        keys = [task.labels.index(label) for label in task.keys]
        rows = Counter(tuple(same_text(row[key]) for key in keys) for row in task.gold)
        if len(rows) < len(task.gold):
            return f"ambiguous: {len(task.gold)} rows of the answer have {len(rows)} different keys"
        return ""


def named(terms: Sequence[Term]) -> Iterator[tuple[str, str]]:
    """Yield type and name of each entity that a question names; described entities are left out.

    Values that are no names are there with no type.
    """
    for condition in leaves(terms):
        yield condition.value.partition("/")[0] if _ID.fullmatch(condition.value) else "", condition.written
    for term in terms:
        if isinstance(term, GivenEntities):
            yield from ((id_.partition("/")[0], name) for id_, name in zip(term.ids, term.names, strict=True))


def called_in(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> KnownNames:
    """Collect the names of a world's entities from its tables."""
    shared = {
        name: shared_names(tables[name]) if kind.name.namesakes else frozenset() for name, kind in spec.types.items()
    }
    return KnownNames(shared, other_names(spec, (tables[name] for name in spec.types)))
