"""Commands on a spec: `new`, `schemas`, `validate`, `schema`, `plan`, `preview`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.options import FLAG, PATH, embedder_option, json_option, option, out_option, read_spec, spec_options
from worldforge.cli.printing import heading, print_json, print_rows, progress, say, table, warn
from worldforge.core.errors import InputError

if TYPE_CHECKING:
    from worldforge.schema.problems import Problem
    from worldforge.schema.spec import WorldSpec
    from worldforge.world.world import World

PREVIEW_ENTITIES = 1500  # the most that a preview builds, unless the spec fixes more
_ROWS = 3
_LINES = 30


@click.command("new")
@click.argument("folder", type=PATH)
@option("--from source", "The shipped spec to begin with.", default="quickstart")
def new_command(folder: Path, source: str) -> None:
    """Make FOLDER with a world.yaml of your own to edit."""
    from worldforge.core.files import output_path, write_text
    from worldforge.schema.spec_sources import shipped_specs

    specs = shipped_specs()
    if source not in specs:
        raise InputError(f"no shipped spec is called `{source}`", f"there is {', '.join(specs)}")
    path = output_path(folder) / "world.yaml"
    if path.exists():
        raise InputError(f"{path} exists already", "choose another folder")
    name = re.sub(r"[^a-z0-9_-]+", "-", folder.resolve().name.lower()).strip("-_")[:64] or "mine"
    write_text(path, _renamed(specs[source].read_text(encoding="utf-8"), name))
    say(f"{path} is a copy of `{source}`: edit it, then")
    say(f"  worldforge validate {folder}\n  worldforge preview {folder}\n  worldforge build {folder}")


def _renamed(text: str, name: str) -> str:
    """Give a spec another name, with a title after it, and remove its description."""
    title = re.sub(r"[_-]+", " ", name).strip().capitalize()
    text = re.sub(r"(?m)^name: .*$", f"name: {name}", text, count=1)
    text = re.sub(r"(?m)^title: .*$", f"title: '{title}'", text, count=1)
    return re.sub(r"(?m)^description: .*\n(?:[ \t]+.*\n)*", "", text, count=1)


@click.command("schemas")
@json_option
def schemas_command(as_json: bool) -> None:
    """List the shipped specs."""
    from worldforge.schema.spec_sources import list_shipped

    rows = list_shipped()
    data = [{"name": one.name, "entities": one.n_entities, "title": one.title} for one in rows]
    print_rows(data, as_json, ("name", "entities", "title"), rows)


@click.command("validate")
@spec_options
@json_option
def validate_command(spec: str, overrides: tuple[str, ...], allow_code: bool, as_json: bool) -> None:
    """Check SPEC (a file, a folder, or a shipped name) and report every problem with its place.

    Warnings, of what can be built but reads badly, go to stderr and leave the exit code at 0.
    """
    from worldforge.schema.problems import SpecError

    warnings: list[Problem] = []
    try:
        found, _ = read_spec(spec, overrides, allow_code, warnings.append)
    except SpecError as error:
        if as_json:
            print_json({"valid": False, "problems": error.problems, "warnings": []})
            raise SystemExit(error.exit_code) from None
        raise
    if as_json:
        print_json({"valid": True, "problems": [], "warnings": warnings})
        return
    for warning in warnings:
        warn(warning)
    say(
        f"{found.name}: no problems in {len(found.types)} types, {len(found.relations)} relations, "
        f"{len(found.pages)} kinds of page, {len(found.tasks)} task families"
    )


@click.command("schema")
@option("--jobs", "That of jobs.yaml instead.", FLAG)
def schema_command(jobs: bool) -> None:
    """Print the JSON Schema of world.yaml, or of jobs.yaml."""
    if jobs:
        from worldforge.jobs.jobs_file import jobs_json_schema as json_schema
    else:
        from worldforge.schema.spec_json_schema import json_schema
    print_json(json_schema())


@click.command("plan")
@spec_options
@out_option("The world's folder. Default: output/<name>.")
@json_option
def plan_command(spec: str, overrides: tuple[str, ...], allow_code: bool, out: Path | None, as_json: bool) -> None:
    """Say which stages `build` would run for SPEC, and why."""
    from worldforge.entry_points.build_world import plan_build

    loaded, code_from = read_spec(spec, overrides, allow_code)
    reports = plan_build(loaded, out, code_from=code_from)
    data = [{"stage": report.stage, "runs": report.ran, "reason": report.reason} for report in reports]
    rows = [(r.stage, "run" if r.ran else "keep", r.reason or "unchanged") for r in reports]
    print_rows(data, as_json, ("stage", "", "why"), rows)


@click.command("preview")
@spec_options
@embedder_option
@option("--page page_kind", "The kind of page to show. Default: the spec's first.")
def preview_command(spec: str, overrides: tuple[str, ...], allow_code: bool, page_kind: str | None) -> None:
    """Build a small version of SPEC's world aside and show rows, a page and a task."""
    from worldforge.core.temp_dir import temp_dir
    from worldforge.entry_points.build_world import build
    from worldforge.world.world import open_world

    smaller = _overrides_for_preview(read_spec(spec, overrides, allow_code)[0])
    small, code_from = read_spec(spec, [*overrides, *smaller], allow_code)
    if page_kind is not None and page_kind not in small.pages:
        raise InputError(f"no kind of page is called `{page_kind}`", f"there is {', '.join(small.pages)}")
    with temp_dir() as scratch, progress() as shown:
        folder = scratch / "world"
        build(small, folder, code_from=code_from, progress=shown)
        _show_preview(open_world(folder), page_kind)


def _overrides_for_preview(spec: WorldSpec) -> list[str]:
    """Return overrides that make a spec small, its pages written without a model."""
    n_entities = sum(spec.n_entities(name) for name in spec.types)
    counts = [f"tasks.{name}.count={min(family.count, 3)}" for name, family in spec.tasks.items()]
    prose = [f"pages.{name}.prose=templates" for name, kind in spec.pages.items() if kind.prose == "model"]
    scale = spec.scale * PREVIEW_ENTITIES / n_entities
    return [*counts, *prose, *([f"scale={scale:.6g}"] if n_entities > PREVIEW_ENTITIES else [])]


def _show_preview(world: World, page_kind: str | None) -> None:
    for name in [*world.spec.types, *world.spec.relations]:
        rows = world.tables()[name]
        columns = [column for column in rows.column_names if column != "aliases"]
        shown = [list(row.values()) for row in rows.select(columns).slice(0, _ROWS).to_pylist()]
        click.echo(f"{heading(name)}: {rows.num_rows:,} rows\n{table(columns, shown)}\n")
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
