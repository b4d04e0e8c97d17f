"""`worldforge schemas`: the specs that are shipped."""

from __future__ import annotations

import click

from worldforge.cli.options import json_option
from worldforge.cli.show import print_json, table


@click.command()
@json_option
def command(as_json: bool) -> None:
    """List the shipped specs."""
    from worldforge.schema.load import read_shipped

    specs = read_shipped().items()
    rows = [(name, sum(spec.n_entities(t) for t in spec.types), spec.title) for name, spec in specs]
    if as_json:
        print_json([{"name": name, "entities": entities, "title": title} for name, entities, title in rows])
    else:
        click.echo(table(("name", "entities", "title"), rows))
