"""`worldforge schema`: the JSON Schema of world.yaml, or of jobs.yaml, for editors."""

from __future__ import annotations

import click

from worldforge.cli.show import print_json


@click.command()
@click.option("--jobs", is_flag=True, help="That of jobs.yaml instead.")
def command(jobs: bool) -> None:
    """Print the JSON Schema of world.yaml, or of jobs.yaml."""
    if jobs:
        from worldforge.jobs.jobs_file import jobs_json_schema

        print_json(jobs_json_schema())
        return
    from worldforge.schema.spec_json_schema import json_schema

    print_json(json_schema())
