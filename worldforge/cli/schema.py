"""`worldforge schema`: the JSON Schema of world.yaml, for editors."""

from __future__ import annotations

import click

from worldforge.cli.show import print_json


@click.command()
def command() -> None:
    """Print the JSON Schema of world.yaml."""
    from worldforge.schema.json_schema import json_schema

    print_json(json_schema())
