"""Progress for people: a line on the terminal, of the stage that is open, as wide as there is room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TaskID
from rich.progress import Progress as RichProgress
from rich.table import Column
from rich.text import Text

from worldforge.core.progress import Progress

_NOTE, _RATE, _BAR, _LEFT = 90, 80, 60, 46
"""Columns of the terminal from which on there is room for what is noted, the rate, the bar, and the time left."""
_RATE_FROM = 2.0  # items a second; fewer are told by the seconds that one takes


@contextmanager
def bars() -> Iterator[Progress]:
    """Show the open stage on stderr; nothing stays of it."""
    console = Console(stderr=True)
    with RichProgress(*_columns(console.width), console=console, transient=True, refresh_per_second=8) as shown:
        yield _Shown(shown)


def _columns(width: int) -> list[ProgressColumn]:
    """Choose what there is room for: which stage, and how far it is, are always said."""
    named = Column(no_wrap=True, overflow="ellipsis", max_width=max(8, width // 3))
    columns: list[ProgressColumn] = [SpinnerColumn(), _Said("description", named)]
    if width >= _BAR:
        columns.append(BarColumn(bar_width=min(40, width // 5)))
    columns += [_Done(_fixed()), _Clock(_fixed(), tells_left=width >= _LEFT)]
    if width >= _RATE:
        columns.append(_Rate(_fixed()))
    if width >= _NOTE:
        columns.append(_Said("note", Column(no_wrap=True, overflow="ellipsis", ratio=1)))
    return columns


def _fixed() -> Column:
    return Column(no_wrap=True)


class _Said(ProgressColumn):
    """The stage's name, or what is noted of it."""

    def __init__(self, which: str, column: Column) -> None:
        super().__init__(column)
        self._which = which

    def render(self, task: Task) -> Text:
        return Text(task.description if self._which == "description" else task.fields["note"])


class _Done(ProgressColumn):
    """Items that are done, of how many: `12,000/1,000,000`; nothing where none are counted."""

    def render(self, task: Task) -> Text:
        done, total = int(task.completed), task.total
        if total is None:
            return Text(f"{done:,}" if done else "", style="progress.download")
        return Text(f"{done:,}/{int(total):,}", style="progress.download")


class _Clock(ProgressColumn):
    """How long it has taken, and how long it may still take: `0:01:10, 0:02:30 left`."""

    max_refresh = 0.5

    def __init__(self, column: Column, *, tells_left: bool) -> None:
        super().__init__(column)
        self._tells_left = tells_left

    def render(self, task: Task) -> Text:
        elapsed, left = task.elapsed, task.time_remaining if self._tells_left else None
        told = str(timedelta(seconds=int(elapsed or 0)))
        more = f", {timedelta(seconds=int(left))} left" if left and task.completed else ""
        return Text(told + more, style="progress.elapsed")


class _Rate(ProgressColumn):
    """How fast items are done."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        speed = task.speed
        if not speed:
            return Text("")
        return Text(
            f"{speed:,.0f}/s" if speed >= _RATE_FROM else f"{1 / speed:,.1f} s each", style="progress.data.speed"
        )


class _Shown:
    """Progress as lines, one a stage; that of a finished stage goes."""

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

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Leave counts to machines: what people are to see of them is in the notes."""
