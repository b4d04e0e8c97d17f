"""`worldforge validate`: every problem of a spec at once."""

from __future__ import annotations

import click

from worldforge.cli.options import json_option, read_spec, spec_options
from worldforge.cli.show import print_json, say


@click.command()
@spec_options
@json_option
def command(spec: str, overrides: tuple[str, ...], allow_code: bool, as_json: bool) -> None:
    """Check SPEC (a file, a folder, or a shipped name) and report every problem with its place."""
    from dataclasses import asdict

    from worldforge.schema.problems import SpecError

    try:
        found, _ = read_spec(spec, overrides, allow_code)
    except SpecError as error:
        if as_json:
            print_json({"valid": False, "problems": [asdict(problem) for problem in error.problems]})
            raise SystemExit(error.exit_code) from None
        raise
    if as_json:
        print_json({"valid": True, "problems": []})
    else:
        say(
            f"{found.name}: no problems in {len(found.types)} types, {len(found.relations)} relations, "
            f"{len(found.pages)} kinds of page, {len(found.tasks)} task families"
        )
