"""`worldforge audit`: is the world what it says it is?"""

from __future__ import annotations

import os
from pathlib import Path

import click

from worldforge.cli.options import embedder_option, json_option, world_argument
from worldforge.cli.show import print_json, progress, say, table


@click.command()
@world_argument
@click.option(
    "--report",
    "report_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the report goes, one file of HTML. Default: report.html in WORLD, beside audit.json.",
)
@click.option("--no-report", is_flag=True, help="Write neither report nor audit.json.")
@embedder_option
@click.option(
    "--against",
    "others",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="WORLD",
    help="Another world, with which WORLD is to share no names, pages, questions and gold; may be repeated.",
)
@click.option(
    "--workers", type=click.IntRange(1, 1024), default=1, show_default=True, help="How many processes take checks."
)
@json_option
def command(
    world: Path,
    report_path: Path | None,
    no_report: bool,
    others: tuple[Path, ...],
    workers: int,
    as_json: bool,
) -> None:
    """Check WORLD from its files alone: digests, tables, pages, gold tables, searches; and write a report on it."""
    from dataclasses import asdict

    from worldforge.builders.audit.run_audit import LOOKED_AT, audit_world, write_audit
    from worldforge.core.errors import GateError, InputError
    from worldforge.world.world import open_world

    if no_report and report_path is not None:
        raise InputError("`--no-report` and `--report` contradict each other", "leave one of them out")
    opened = open_world(world)
    short = len({other.name for other in others}) == len(others)
    against = {other.name if short else str(other): open_world(other) for other in others}
    path = None if no_report else report_path or world / "report.html"
    if path is not None:
        _refuse_unwritable(path)
    with progress() as shown:
        findings = audit_world(opened, shown, against, workers)
    if path is not None:
        from worldforge.builders.report.page import write_report

        write_report(opened, findings, path)
        if report_path is None:
            write_audit(world, findings)
    broken = [finding for finding in findings if finding.n_failed]
    if as_json:
        print_json({"passed": not broken, "checks": [asdict(finding) for finding in findings]})
    else:
        rows = [(f.title, LOOKED_AT.get(f.check, ""), f.n_checked, f.n_failed, round(f.seconds, 1)) for f in findings]
        click.echo(table(("check", "looked at", "checked", "failed", "seconds"), rows))
        for finding in broken:
            for failure in finding.failures:
                say(f"{finding.title}: {failure}")
        for finding in findings:
            if finding.note:
                say(f"{finding.title}: {finding.note}")
    if path is not None:
        say(f"report: {path}")
    if broken:
        raise GateError(f"{world} does not hold: {', '.join(finding.title for finding in broken)}")


def _refuse_unwritable(path: Path) -> None:
    """Raise InputError where no file can be written at `path`, before the audit has taken its time."""
    from worldforge.core.errors import InputError

    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK) or path.is_dir():
        hint = "write it elsewhere with `--report PATH`, or leave it out with `--no-report`"
        raise InputError(f"the report cannot be written to {path}", hint)
