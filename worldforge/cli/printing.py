"""Print tables, JSON, progress. Data goes to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldforge.cli import command_log
from worldforge.core.progress import Progress
from worldforge.core.redaction import without_secrets

if TYPE_CHECKING:
    from worldforge.rollouts.run import UnfinishedRun

Summary = TypeVar("Summary")
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


def warn(warning: object) -> None:
    """Write a warning to stderr."""
    click.echo(f"{styled('warning:', fg='yellow', bold=True)} {warning}", err=True)


def print_json(value: Any) -> None:
    """Write one JSON value to stdout; dataclasses as objects."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_json_value))


def _json_value(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def print_summary(summary: Summary, as_json: bool, describe: Callable[[Summary], object]) -> None:
    """Write a summary as JSON, or have it described to a person."""
    if as_json:
        print_json(summary)
    else:
        describe(summary)


def print_rows(data: Any, as_json: bool, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write data as JSON, or its rows as a table."""
    if as_json:
        print_json(data)
    else:
        click.echo(table(header, rows))


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Lay out a table in aligned columns; numbers to the right, long cells cut."""
    cells = [[shorten(str(value), _CELL) for value in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    right = [bool(rows) and all(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    lines = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([heading(lines[0]), *lines[1:]])


def shorten(text: str, width: int) -> str:
    """Return a text on one line, cut where it is longer than `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 1]}…"


def seconds(value: float) -> str:
    """Write a duration."""
    return f"{value:.1f} s" if value < 100 else f"{value / 60:.1f} min"


def list_left_out(runs: Sequence[UnfinishedRun]) -> None:
    """List the runs that were left out, each with the reason and what finishes it."""
    for run in runs:
        say(f"left out: run `{run.run}`: {run.reason}; {run.hint}")


def list_unfinished(world: Path, runs: Sequence[str] | None, trajectories: Path | None, **_: Any) -> None:
    """List the runs of WORLD that are not finished, and so left out where `runs` names none."""
    from worldforge.rollouts.run import runs_folder, unfinished_runs
    from worldforge.world.world import open_world

    if not runs:
        list_left_out(unfinished_runs(runs_folder(open_world(world), trajectories)))


@contextmanager
def progress() -> Iterator[Progress]:
    """Show progress bars on stderr, and forward progress to the log and metrics.

    No bars where stderr is no terminal, cannot move its cursor, or carries the log.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb" or os.environ.get("WORLDFORGE_LOG") == "-":
        with command_log.recorded(Progress()) as recorded:
            yield recorded
        return
    from worldforge.cli.progress_bars import progress_bars

    with progress_bars() as shown, command_log.recorded(shown) as recorded:
        yield recorded
