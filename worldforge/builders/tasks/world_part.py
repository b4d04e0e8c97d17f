"""Leave tasks to worlds of another part: a question that names nothing drawn (`midfielders of more than 80 caps`) could
be asked in any world of the spec, so its text decides in the worlds of which part alone it is kept.
"""

from __future__ import annotations

import re

import pyarrow as pa

from worldforge.builders.populate.column_drawers import in_part
from worldforge.schema.column_dependencies import types_with_composed_names
from worldforge.schema.spec import WorldSpec
from worldforge.world.task import Task
from worldforge.world.task_terms import leaves

_ID = re.compile(r"'([a-z][a-z0-9_]*)/\d+'")  # as a query writes it


class OtherWorldParts:
    """Finds the tasks that are left to worlds of another part."""

    def __init__(self, spec: WorldSpec) -> None:
        self._part = spec.names_part
        self._drawn = {*spec.types} - types_with_composed_names(spec) if self._part is not None else set[str]()

    def reason(self, task: Task) -> str:
        """Return why a task is left to another world; empty if it is not."""
        if self._part is None or self._drawn & {*_ID.findall(task.query)}:
            return ""
        key = "\0".join([_ID.sub("", task.query), *(one.written for one in leaves(task.conditions))])
        if in_part(self._part, pa.array([key]))[0]:
            return ""
        return f"names_part: what it asks is left to worlds of another part than {self._part.take} of {self._part.of}"
