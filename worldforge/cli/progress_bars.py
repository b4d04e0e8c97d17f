"""Progress for people: one line on the terminal for the open stage, as wide as there is room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.progress import Progress as RichProgress
from rich.table import Column
from rich.text import Text

from worldforge.core.progress import Progress

_NOTE, _RATE, _BAR, _LEFT = 90, 80, 60, 46
"""Terminal widths from which on the note, the rate, the bar and the time left are shown."""
_MIN_RATE = 2.0  # items a second; below, the seconds that one takes are shown


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show the open stage on stderr; the line is removed at the end."""
    console = Console(stderr=True)
    width = console.width
    text = "{task.description}"
    name = Column(no_wrap=True, overflow="ellipsis", max_width=max(8, width // 3))
    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn(text, markup=False, style="none", table_column=name)]
    columns += [BarColumn(bar_width=min(40, width // 5))] if width >= _BAR else []
    columns += [_Figures(width)]
    note = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    columns += [TextColumn("{task.fields[note]}", markup=False, style="none", table_column=note)] * (width >= _NOTE)
    with RichProgress(*columns, console=console, transient=True, refresh_per_second=8) as shown:
        yield _StageLine(shown)


class _Figures(ProgressColumn):
    """Items done, time taken, time left, speed: `12,000/90,000 0:01:10, 0:07:30 left 170/s`."""

    max_refresh = 0.5

    def __init__(self, width: int) -> None:
        super().__init__(Column(no_wrap=True))
        self._width = width

    def render(self, task: Task) -> Text:
        done, speed = f"{int(task.completed):,}" if task.completed or task.total else "", task.speed
        figures = [f"{done}/{int(task.total):,}" if task.total is not None else done]
        clock = str(timedelta(seconds=int(task.elapsed or 0)))
        if self._width >= _LEFT and task.time_remaining and task.completed:
            clock += f", {timedelta(seconds=int(task.time_remaining))} left"
        figures.append(clock)
        if self._width >= _RATE and speed:
            figures.append(f"{speed:,.0f}/s" if speed >= _MIN_RATE else f"{1 / speed:,.1f} s each")
        return Text(" ".join(filter(None, figures)), style="progress.elapsed")


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
