"""The command `doctor`: what works on this machine, what is missing, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.options import FLAG, PATH, json_option, option
from worldforge.cli.printing import print_summary, progress, say, styled, table
from worldforge.core.errors import WorldForgeError

if TYPE_CHECKING:
    from worldforge.doctor.check import CheckResult

_COLOURS = {"ok": "green", "note": "yellow", "broken": "red"}


@click.command("doctor")
@option("-o --out", "Where worlds go.", PATH, default=Path("output"))
@option("--start-vllm", "Start vLLM on a tiny model too: takes a minute or so.", FLAG)
@json_option
def doctor_command(out: Path, start_vllm: bool, as_json: bool) -> None:
    """Look at this machine: what is installed, what it has, whether what is needed works; and say what to do.

    What only some need is noted where it is missing; the exit code is 1 where something that all need is broken.
    """
    from worldforge.doctor.check import run_check
    from worldforge.doctor.checks import checks

    results = []
    wanted = checks(out, start_vllm=start_vllm)
    with progress() as shown:
        shown.start("doctor", len(wanted))
        for name, check in wanted.items():
            results.append(run_check(name, check))
            shown.advance()
    broken = [result.name for result in results if result.state == "broken"]
    print_summary({"works": not broken, "checks": results}, as_json, lambda _: _show(results))
    if broken:
        raise WorldForgeError(f"does not work: {', '.join(broken)}", "what to do stands below the table")


def _show(results: list[CheckResult]) -> None:
    click.echo(table(("looked at", "state", "found"), [(one.name, one.state, one.found) for one in results]))
    for one in results:
        if one.do and one.state != "ok":
            click.echo(f"\n{styled(one.name, fg=_COLOURS[one.state])}: {one.found}\n  {one.do}")
    notes = sum(one.state == "note" for one in results)
    if not any(one.state == "broken" for one in results):
        say(f"\nall that is needed works; {notes} note{'s' * (notes != 1)}")
