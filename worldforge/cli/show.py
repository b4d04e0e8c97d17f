"""How things look in a terminal: tables, JSON, progress. Data goes to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import click

from worldforge.core.progress import Progress, Silent
from worldforge.core.redaction import without_secrets

_CELL = 60  # widest cell of a table, in characters


def say(text: str = "") -> None:
    """Write a line for people to stderr, without secrets."""
    click.echo(without_secrets(text), err=True)


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
    """Open bars where stderr is a terminal that can move its cursor, and not taken by the log."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb" or os.environ.get("WORLDFORGE_LOG") == "-":
        yield Silent()
        return
    from worldforge.cli.bars import bars

    with bars() as shown:
        yield shown


def _cell(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
