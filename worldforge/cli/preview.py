"""`worldforge preview`: a look at a spec's world without leaving anything behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from worldforge.cli.options import embedder_option, read_spec, spec_options
from worldforge.cli.show import heading, progress, table

if TYPE_CHECKING:
    from worldforge.schema.spec import WorldSpec
    from worldforge.world.world import World

ENTITIES = 1500  # what a preview builds at most, unless the spec fixes more
_ROWS = 3
_LINES = 30


@click.command()
@spec_options
@embedder_option
@click.option("--page", "page_kind", help="The kind of page to show. Default: the spec's first.")
def command(spec: str, overrides: tuple[str, ...], allow_code: bool, page_kind: str | None) -> None:
    """Build a small version of SPEC's world aside and show rows, a page and a task."""
    from worldforge.core.temp_dir import TempDir
    from worldforge.entry_points.build import build
    from worldforge.world.world import open_world

    smaller = _smaller(read_spec(spec, overrides, allow_code)[0])
    small, code_from = read_spec(spec, [*overrides, *smaller], allow_code)
    with TempDir() as scratch, progress() as shown:
        folder = scratch / "world"
        build(small, folder, code_from=code_from, progress=shown)
        _show(open_world(folder), page_kind)


def _smaller(spec: WorldSpec) -> list[str]:
    """Return overrides that make a spec small enough to look at, its pages worded without a model."""
    n_entities = sum(spec.n_entities(name) for name in spec.types)
    counts = [f"tasks.{name}.count={min(family.count, 3)}" for name, family in spec.tasks.items()]
    scale = spec.scale * ENTITIES / n_entities
    words = [f"pages.{name}.prose=templates" for name, kind in spec.pages.items() if kind.prose == "model"]
    return [*counts, *words, f"scale={scale:.6g}"] if n_entities > ENTITIES else [*counts, *words]


def _show(world: World, page_kind: str | None) -> None:
    from worldforge.core.errors import InputError

    for name in [*world.spec.types, *world.spec.relations]:
        rows = world.tables()[name]
        columns = [column for column in rows.column_names if column != "aliases"]
        shown = [list(row.values()) for row in rows.select(columns).slice(0, _ROWS).to_pylist()]
        click.echo(f"{heading(name)}: {rows.num_rows:,} rows\n{table(columns, shown)}\n")
    if page_kind is not None and page_kind not in world.spec.pages:
        raise InputError(f"no kind of page is called `{page_kind}`", f"there is {', '.join(world.spec.pages)}")
    if world.pages.num_rows:
        _show_page(world, page_kind or next(iter(world.spec.pages)))
    for task in world.tasks[:1]:
        click.echo(f"{heading(task.id)}\n{task.wording}\n\n{table(task.labels, task.gold)}")


def _show_page(world: World, page_kind: str) -> None:
    kinds = world.pages["kind"].to_pylist()
    if page_kind in kinds:
        page = world.pages.slice(kinds.index(page_kind), 1).to_pylist()[0]
        lines = page["text"].splitlines()
        click.echo(f"{heading(page['title'])}\n{page['url']}\n")
        click.echo("\n".join(lines[:_LINES] + (["…"] if len(lines) > _LINES else [])) + "\n")
