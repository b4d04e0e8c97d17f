"""`worldforge schemas`: the specs that are shipped."""

from __future__ import annotations

import click

from worldforge.cli.options import json_option
from worldforge.cli.show import print_json, table


@click.command()
@json_option
def command(as_json: bool) -> None:
    """List the shipped specs."""
    from worldforge.schema.spec_sources import list_shipped

    rows = list_shipped()
    if as_json:
        print_json([{"name": one.name, "entities": one.n_entities, "title": one.title} for one in rows])
    else:
        click.echo(table(("name", "entities", "title"), rows))
