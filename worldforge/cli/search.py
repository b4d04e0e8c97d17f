"""`worldforge search`: type a query, see what an agent would see."""

from __future__ import annotations

from pathlib import Path

import click

from worldforge.cli.options import json_option, world_argument
from worldforge.cli.show import print_json


@click.command()
@world_argument
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Most results.")
@json_option
def command(world: Path, query: str, limit: int, as_json: bool) -> None:
    """Search the pages of WORLD for QUERY."""
    from dataclasses import asdict

    from worldforge.environments.protocol import write_results
    from worldforge.search.index import open_index
    from worldforge.world.world import open_world

    hits = open_index(open_world(world).path / "index").search(query, limit)
    if as_json:
        print_json([asdict(hit) for hit in hits])
    else:
        click.echo(write_results(hits))
