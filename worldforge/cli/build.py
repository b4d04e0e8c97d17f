"""`worldforge build`: a spec becomes a world."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.options import (
    embedder_option,
    engine_options,
    fresh_option,
    json_option,
    out_option,
    prose_model_option,
    read_spec,
    spec_options,
)
from worldforge.cli.show import print_json, progress, say, seconds, styled, table

if TYPE_CHECKING:
    from worldforge.core.worker_pool import Engine
    from worldforge.entry_points.build import BuildSummary


@click.command()
@spec_options
@out_option
@engine_options
@prose_model_option
@embedder_option
@fresh_option
@json_option
def command(
    spec: str,
    overrides: tuple[str, ...],
    allow_code: bool,
    out: Path | None,
    engine: Engine,
    model: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Build the world of SPEC: tables, pages, index, tasks. Goes on where an earlier build was stopped."""
    from worldforge.entry_points.build import build

    loaded, code_from = read_spec(spec, overrides, allow_code)
    with progress() as shown:
        summary = build(loaded, out, engine=engine, fresh=fresh, code_from=code_from, progress=shown, model=model)
    for warning in summary.warnings:
        click.echo(f"{styled('warning:', fg='yellow', bold=True)} {warning}", err=True)
    if as_json:
        print_json(as_data(summary))
    else:
        describe(summary)
    check_complete(summary)


def as_data(summary: BuildSummary) -> dict[str, object]:
    """Give a build as JSON values."""
    stages = [
        {"stage": s.stage, "ran": bool(s.reason), "reason": s.reason, "wall_s": s.wall_s, "cpu_s": s.cpu_s}
        for s in summary.stages
    ]
    return {
        "folder": str(summary.folder),
        "digest": summary.digest,
        "counts": summary.counts,
        "stages": stages,
        "warnings": list(summary.warnings),
    }


def describe(summary: BuildSummary) -> None:
    """Tell a person what was built."""
    _describe_stages(summary)
    counts = summary.counts
    entities, relations = sum(counts["entities"].values()), sum(counts["relations"].values())
    say(
        f"\n{entities:,} entities, {relations:,} relation rows, {counts['pages']:,} pages that state "
        f"{counts['mentions']:,} facts, {counts['tasks']:,} tasks ({counts['set_aside']:,} set aside)"
    )
    if "prose" in counts:
        _describe_prose(counts["prose"])
    say(f"{summary.folder}  {summary.digest[:16]}")


def _describe_stages(summary: BuildSummary) -> None:
    rows = [(s.stage, seconds(s.wall_s) if s.reason else "kept", s.reason or "unchanged") for s in summary.stages]
    say(table(("stage", "time", "why"), rows))


def _describe_prose(counts: Mapping[str, Any]) -> None:
    """Tell how often a model's words were taken, and why not."""
    refused = ", ".join(f"{reason} {n:,}" for reason, n in counts["refused_drafts"].items()) or "none"
    n_tokens = counts["prompt_tokens"] + counts["completion_tokens"]
    say(
        f"{counts['reworded']:,} of {counts['paragraphs']:,} paragraphs worded by {', '.join(counts['models'])}, "
        f"{counts['as_templates']:,} left to templates ({n_tokens:,} tokens; drafts refused: {refused})"
    )


def check_complete(summary: BuildSummary) -> None:
    """Raise PartialError where fewer tasks were kept than the spec asks for."""
    from worldforge.builders.tasks.shortfall import shortfalls
    from worldforge.core.errors import PartialError
    from worldforge.world.world import open_world

    spec = open_world(summary.folder).spec
    wanted, kept = sum(family.count for family in spec.tasks.values()), summary.counts["tasks"]
    if kept < wanted:
        raise PartialError(
            "\n".join([f"{kept:,} of {wanted:,} tasks were kept", *shortfalls(spec, summary.folder)]),
            f"{summary.folder / 'set_aside.parquet'} says why; widen `rows` and `columns`, or let pages state more",
        )
