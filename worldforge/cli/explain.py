"""`worldforge explain`: where a task, an entity, a fact or a page comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.options import json_option, world_argument
from worldforge.cli.show import heading, print_json, styled, table

if TYPE_CHECKING:
    from worldforge.world.lineage import EntityLineage, FactLineage, PageLineage, Statement, TaskLineage


@click.command()
@world_argument
@click.argument("id")
@json_option
def command(world: Path, id: str, as_json: bool) -> None:
    """Trace ID in WORLD: task/list-0003, club/0031, club/0031#founded or page/000418."""
    from dataclasses import asdict

    from worldforge.world.lineage import EntityLineage, FactLineage, PageLineage, TaskLineage, explain
    from worldforge.world.world import open_world

    found = explain(open_world(world), id)
    if as_json:
        print_json(asdict(found))
        return
    match found:
        case TaskLineage():
            _show_task(found)
        case EntityLineage():
            _show_entity(found)
        case FactLineage():
            _show_fact(found)
        case PageLineage():
            _show_page(found)


def _show_task(found: TaskLineage) -> None:
    click.echo(f"{heading(found.task.id)}\n\n{found.task.wording}\n\n{heading('query')}\n{found.task.query}\n")
    click.echo(table(found.task.labels, found.task.gold) + "\n")
    for cell in found.cells:
        click.echo(f"{heading(f'row {cell.row + 1}, {cell.column}')}: {cell.gold}")
        for fact in cell.facts:
            _show_fact(fact, indent="  ")


def _show_entity(found: EntityLineage) -> None:
    click.echo(table(("column", "value"), list(found.cells.items())))


def _show_fact(found: FactLineage, indent: str = "") -> None:
    click.echo(f"{indent}{found.fact} = {found.value}  ({found.origin})")
    for statement in found.statements:
        click.echo(f"{indent}  {_where(statement)}")


def _show_page(found: PageLineage) -> None:
    click.echo(f"{heading(found.title)}\n{found.url}\n{found.kind}, authority {found.authority:.3f}\n")
    click.echo(table(("fact", "where", "value"), [(fact, f"{s.start}–{s.end}", s.value) for fact, s in found.facts]))


def _where(statement: Statement) -> str:
    value = styled(statement.value, bold=True)
    context = f"…{statement.before}{value}{statement.after}…"
    return f"{statement.page} [{statement.start}:{statement.end}] {statement.stance}  {statement.url}\n      {context}"
