"""The view of the database environment: records, and the failures of a batch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

from worldforge.environments.views import Failure, ToolView, ViewItem


@dataclass(frozen=True, slots=True)
class RecordsView(ToolView):
    """Records of a database: columns and JSON values, references as ids.

    `verb` is what was done (`tables`, `list`, `get`, `create`, `update`, `delete`); `next_cursor` is empty at the end.
    `renamed` tells, of fields that are shown under other names than their columns have, whose they are: shown name to
    column.
    """

    kind: ClassVar[str] = "records"
    form: ClassVar[Literal["text", "results", "data"]] = "data"

    verb: str
    table: str
    records: tuple[Mapping[str, Any], ...]
    failures: tuple[Failure, ...] = ()
    next_cursor: str = ""
    n_total: int | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def error_code(self) -> str:
        """Why no item of a batch could be done."""
        return self.failures[0].error if self.failures and not self.records else ""

    @property
    def items(self) -> tuple[ViewItem, ...]:
        """The records, by id."""
        return tuple(
            ViewItem(0, str(record.get("id", record.get("table", number))), number, cells=record)
            for number, record in enumerate(self.records, 1)
        )

    @property
    def remarks(self) -> tuple[str | tuple[str, str], ...]:
        """The table, failures, fields under other names, how many there are, where to go on."""
        remarks = [f"table={self.table}"]
        remarks += [f"failure={_json([one.item, one.error, one.message])}" for one in self.failures]
        remarks += [f"renamed={shown}={own}" for shown, own in sorted(self.renamed.items())]
        remarks += [f"n_total={self.n_total}"] if self.n_total is not None else []
        remarks += [f"next_cursor={self.next_cursor}"] if self.next_cursor else []
        return tuple(("cell", one) for one in remarks)

    def first_items(self, share: float) -> Self:
        """Keep the first share of the records."""
        return replace(self, records=self.records[: max(1, int(share * len(self.records)))])

    def with_failures(self, numbers: tuple[int, ...], failures: tuple[Failure, ...]) -> Self:
        """Add failures."""
        return replace(self, failures=self.failures + failures)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
