"""How things look in a terminal: tables, JSON, progress. Data goes to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from worldforge.core.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_CELL = 60  # widest cell of a table, in characters


def say(text: str = "") -> None:
    """Write a line for people to stderr."""
    click.echo(text, err=True)


def styled(text: str, **style: Any) -> str:
    """Return text in a style (`bold`, `fg`), or as it is where NO_COLOR is set (no-color.org)."""
    return text if os.environ.get("NO_COLOR") else click.style(text, **style)


def heading(text: str) -> str:
    """Return a heading."""
    return styled(text, bold=True)


def print_json(value: Any) -> None:
    """Write one JSON value to stdout."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Lay out a table in aligned columns; numbers to the right, long cells cut."""
    cells = [[_cell(value) for value in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    right = [bool(rows) and all(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    lines = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([heading(lines[0]), *lines[1:]])


def seconds(value: float) -> str:
    """Write a duration."""
    return f"{value:.1f} s" if value < 100 else f"{value / 60:.1f} min"


@contextmanager
def progress() -> Iterator[Progress]:
    """Show progress bars on stderr while it is a terminal, and tell the log and metrics where they are asked for."""
    observed = sys.modules.get("worldforge.cli.observed")
    with _bars() as bars, observed.followed(bars) if observed else nullcontext(bars) as all_told:
        yield all_told


@contextmanager
def _bars() -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as RichProgress

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Shown(bars)


class _Shown:
    """Progress as bars, one a stage; the bar of a finished stage goes."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._open: TaskID | None = None

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Show a bar for the stage."""
        if self._open is not None:
            self._bars.remove_task(self._open)
        self._open = self._bars.add_task(stage, total=total, note="")

    def advance(self, items: int = 1) -> None:
        """Move the stage's bar on."""
        if self._open is not None:
            self._bars.advance(self._open, items)

    def note(self, text: str) -> None:
        """Show the words after the stage's bar."""
        if self._open is not None:
            self._bars.update(self._open, note=text)

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Leave counts to machines: what people are to see of them is in the notes."""


def _cell(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
