"""`worldforge validate`: every problem of a spec at once."""

from __future__ import annotations

import click

from worldforge.cli.options import json_option, read_spec, spec_options
from worldforge.cli.show import print_json, say, styled


@click.command()
@spec_options
@json_option
def command(spec: str, overrides: tuple[str, ...], allow_code: bool, as_json: bool) -> None:
    """Check SPEC (a file, a folder, or a shipped name) and report every problem with its place.

    Warnings, of what can be built but reads badly, go to stderr and leave the exit code at 0.
    """
    from dataclasses import asdict

    from worldforge.schema.problems import Problem, SpecError

    warnings: list[Problem] = []
    try:
        found, _ = read_spec(spec, overrides, allow_code, warnings.append)
    except SpecError as error:
        if as_json:
            print_json({"valid": False, "problems": [asdict(problem) for problem in error.problems], "warnings": []})
            raise SystemExit(error.exit_code) from None
        raise
    if as_json:
        print_json({"valid": True, "problems": [], "warnings": [asdict(warning) for warning in warnings]})
    else:
        for warning in warnings:
            click.echo(f"{styled('warning:', fg='yellow', bold=True)} {warning}", err=True)
        say(
            f"{found.name}: no problems in {len(found.types)} types, {len(found.relations)} relations, "
            f"{len(found.pages)} kinds of page, {len(found.tasks)} task families"
        )
