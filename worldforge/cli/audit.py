"""`worldforge audit`: is the world what it says it is?"""

from __future__ import annotations

from pathlib import Path

import click

from worldforge.cli.options import json_option, world_argument
from worldforge.cli.show import print_json, progress, say, table


@click.command()
@world_argument
@json_option
def command(world: Path, as_json: bool) -> None:
    """Check WORLD from its files alone: digests, keys, constraints, spans, facts, links, gold tables, index."""
    from dataclasses import asdict

    from worldforge.builders.audit.audit import audit_world
    from worldforge.core.errors import GateError
    from worldforge.world.world import open_world

    with progress() as shown:
        findings = audit_world(open_world(world), shown)
    broken = [finding for finding in findings if finding.n_failed]
    if as_json:
        print_json({"passed": not broken, "checks": [asdict(finding) for finding in findings]})
    else:
        click.echo(table(("check", "checked", "failed"), [(f.check, f.n_checked, f.n_failed) for f in findings]))
        for finding in broken:
            for failure in finding.failures:
                say(f"{finding.check}: {failure}")
    if broken:
        raise GateError(f"{world} does not hold: {', '.join(finding.check for finding in broken)}")
