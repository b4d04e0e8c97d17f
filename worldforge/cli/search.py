"""`worldforge search`: type a query, see what an agent would see."""

from __future__ import annotations

from pathlib import Path

import click

from worldforge.cli.options import embedder_option, json_option, world_argument
from worldforge.cli.show import print_json


@click.command()
@world_argument
@click.argument("query")
@embedder_option
@click.option("--words-only", is_flag=True, help="Search by words alone, where the world has vectors too.")
@json_option
def command(world: Path, query: str, words_only: bool, as_json: bool) -> None:
    """Search the pages of WORLD for QUERY, as an agent's `web_search` does."""
    import asyncio
    import json

    from worldforge.environments.search.environment import SearchEnvironment
    from worldforge.models.chat import ToolCall
    from worldforge.search.search_index import open_index
    from worldforge.world.world import open_world

    index = open_index(open_world(world).path / "index")
    if words_only:
        index = index.by_words_alone()
    if as_json:
        print_json([hit._asdict() for hit in index.search(query)])
        return
    call = ToolCall("1", "web_search", json.dumps({"query": query}))
    click.echo(asyncio.run(SearchEnvironment(index).session().step(call)).text)
