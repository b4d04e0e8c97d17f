"""Progress for people: one line on the terminal for the open stage, as wide as there is room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichProgress
from rich.table import Column

from worldforge.core.progress import Progress

_WIDE, _MEDIUM = 90, 60
"""Terminal widths from which on the note and the time left, and the bar, are shown."""


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show the open stage on stderr; the line is removed at the end."""
    console = Console(stderr=True)
    width = console.width
    name = Column(no_wrap=True, overflow="ellipsis", max_width=max(8, width // 3))
    columns: list[ProgressColumn] = [_text("{task.description}", name)]
    columns += [BarColumn(bar_width=min(40, width // 5))] if width >= _MEDIUM else []
    columns += [MofNCompleteColumn(table_column=Column(no_wrap=True)), TimeElapsedColumn(Column(no_wrap=True))]
    if width >= _WIDE:
        columns += [
            TimeRemainingColumn(),
            _text("{task.fields[note]}", Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        ]
    with RichProgress(SpinnerColumn(), *columns, console=console, transient=True, refresh_per_second=8) as shown:
        yield _StageLine(shown)


def _text(text: str, column: Column) -> TextColumn:
    return TextColumn(text, markup=False, style="none", table_column=column)


class _StageLine(Progress):
    """A `Progress` as one line of Rich; the line of a finished stage is removed."""

    def __init__(self, lines: RichProgress) -> None:
        self._lines = lines
        self._open: TaskID | None = None
        self._stage = ""

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Show the stage; one that goes on keeps its clock."""
        if self._open is not None and self._stage == stage:
            self._lines.update(self._open, total=total, note="")
            return
        if self._open is not None:
            self._lines.remove_task(self._open)
        self._open, self._stage = self._lines.add_task(stage, total=total, note=""), stage

    def advance(self, items: int = 1) -> None:
        """Move the stage on."""
        if self._open is not None:
            self._lines.advance(self._open, items)

    def note(self, text: str) -> None:
        """Show the words after the stage."""
        if self._open is not None:
            self._lines.update(self._open, note=text)
