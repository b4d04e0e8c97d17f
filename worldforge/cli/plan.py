"""`worldforge plan`: what a build would run, and why."""

from __future__ import annotations

from pathlib import Path

import click

from worldforge.cli.options import json_option, out_option, read_spec, spec_options
from worldforge.cli.show import print_json, table


@click.command()
@spec_options
@out_option
@json_option
def command(spec: str, overrides: tuple[str, ...], allow_code: bool, out: Path | None, as_json: bool) -> None:
    """Say which stages `build` would run for SPEC, and why."""
    from worldforge.entry_points.build import plan

    loaded, code_from = read_spec(spec, overrides, allow_code)
    reports = plan(loaded, out, code_from=code_from)
    if as_json:
        print_json(
            [{"stage": report.stage, "runs": bool(report.reason), "reason": report.reason} for report in reports]
        )
    else:
        rows = [(r.stage, "run" if r.reason else "keep", r.reason or "unchanged") for r in reports]
        click.echo(table(("stage", "", "why"), rows))
