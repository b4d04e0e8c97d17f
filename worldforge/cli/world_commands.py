"""Commands on a world: `build`, `audit`, `search`, `explain`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.options import (
    FLAG,
    PATH,
    build_options,
    embedder_option,
    json_option,
    option,
    read_spec,
    world_argument,
)
from worldforge.cli.printing import heading, print_json, print_summary, progress, say, seconds, styled, table, warn
from worldforge.core.errors import GateError, InputError, PartialError

if TYPE_CHECKING:
    from worldforge.builders.audit.finding import Finding
    from worldforge.entry_points.build_world import BuildSummary
    from worldforge.world.lineage import FactLineage, PageLineage, Statement, TaskLineage


@click.command("build")
@build_options
@json_option
def build_command(spec: str, overrides: tuple[str, ...], allow_code: bool, as_json: bool, **options: Any) -> None:
    """Build the world of SPEC: tables, pages, index, tasks. Goes on where an earlier build was stopped."""
    from worldforge.entry_points.build_world import build

    loaded, code_from = read_spec(spec, overrides, allow_code)
    with progress() as shown:
        summary = build(loaded, code_from=code_from, progress=shown, **options)
    for warning in summary.warnings:
        warn(warning)
    print_summary(summary, as_json, describe_build)
    check_tasks_kept(summary)


def describe_build(summary: BuildSummary) -> None:
    """Print what was built."""
    rows = [(s.stage, seconds(s.wall_s) if s.ran else "kept", s.reason or "unchanged") for s in summary.stages]
    say(table(("stage", "time", "why"), rows))
    counts = summary.counts
    entities, relations = sum(counts["entities"].values()), sum(counts["relations"].values())
    say(
        f"\n{entities:,} entities, {relations:,} relation rows, {counts['pages']:,} pages that state "
        f"{counts['mentions']:,} facts, {counts['tasks']:,} tasks ({counts['set_aside']:,} set aside)"
    )
    if prose := counts.get("prose"):
        refused = ", ".join(f"{reason} {n:,}" for reason, n in prose["refused_drafts"].items()) or "none"
        n_tokens = prose["prompt_tokens"] + prose["completion_tokens"]
        say(
            f"{prose['reworded']:,} of {prose['paragraphs']:,} paragraphs worded by {', '.join(prose['models'])}, "
            f"{prose['as_templates']:,} left to templates ({n_tokens:,} tokens; drafts refused: {refused})"
        )
    say(f"{summary.folder}  {summary.digest[:16]}")


def check_tasks_kept(summary: BuildSummary) -> None:
    """Raise PartialError where fewer tasks were kept than the spec asks for."""
    from worldforge.builders.tasks.shortfall import shortfalls
    from worldforge.world.world import open_world

    spec = open_world(summary.folder).spec
    wanted, kept = sum(family.count for family in spec.tasks.values()), summary.counts["tasks"]
    if kept < wanted:
        raise PartialError(
            "\n".join([f"{kept:,} of {wanted:,} tasks were kept", *shortfalls(spec, summary.folder)]),
            f"{summary.folder / 'set_aside.parquet'} says why; widen `rows` and `columns`, or let pages state more",
        )


@click.command("audit")
@world_argument
@option(
    "--report report_path",
    "Where the report goes, one file of HTML. Default: report.html in WORLD, beside audit.json.",
    click.Path(path_type=Path, dir_okay=False),
)
@option("--no-report", "Write neither report nor audit.json.", FLAG)
@embedder_option
@option(
    "--against others",
    "Another world, with which WORLD is to share no names, pages, questions and gold; may be repeated.",
    PATH,
    multiple=True,
    metavar="WORLD",
)
@option("--workers", "How many processes take checks.", click.IntRange(1, 1024), default=1)
@json_option
def audit_command(
    world: Path, report_path: Path | None, no_report: bool, others: tuple[Path, ...], workers: int, as_json: bool
) -> None:
    """Check WORLD from its files alone: digests, tables, pages, gold tables, searches; and write a report on it."""
    from worldforge.builders.audit.run_audit import audit_world, write_audit
    from worldforge.builders.report.page import write_report
    from worldforge.world.world import open_world

    if no_report and report_path is not None:
        raise InputError("`--no-report` and `--report` contradict each other", "leave one of them out")
    opened = open_world(world)
    has_short_names = len({other.name for other in others}) == len(others)
    against = {other.name if has_short_names else str(other): open_world(other) for other in others}
    path = None if no_report else report_path or world / "report.html"
    if path is not None:
        _check_report_writable(path)
    with progress() as shown:
        findings = audit_world(opened, shown, against, workers)
    if path is not None:
        write_report(opened, findings, path)
        if report_path is None:
            write_audit(world, findings)
    broken = [finding for finding in findings if finding.n_failed]
    print_summary({"passed": not broken, "checks": findings}, as_json, lambda _: _describe_findings(findings))
    if path is not None:
        say(f"report: {path}")
    if broken:
        raise GateError(f"{world} does not hold: {', '.join(finding.title for finding in broken)}")


def _describe_findings(findings: list[Finding]) -> None:
    from worldforge.builders.audit.run_audit import LOOKED_AT

    rows = [(f.title, LOOKED_AT.get(f.check, ""), f.n_checked, f.n_failed, round(f.seconds, 1)) for f in findings]
    click.echo(table(("check", "looked at", "checked", "failed", "seconds"), rows))
    for finding in findings:
        for failure in finding.failures if finding.n_failed else ():
            say(f"{finding.title}: {failure}")
    for finding in findings:
        if finding.note:
            say(f"{finding.title}: {finding.note}")


def _check_report_writable(path: Path) -> None:
    """Raise InputError where no file can be written at `path`, before the audit has taken its time."""
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK) or path.is_dir():
        hint = "write it elsewhere with `--report PATH`, or leave it out with `--no-report`"
        raise InputError(f"the report cannot be written to {path}", hint)


@click.command("search")
@world_argument
@click.argument("query")
@embedder_option
@option("--words-only", "Search by words alone, where the world has vectors too.", FLAG)
@json_option
def search_command(world: Path, query: str, words_only: bool, as_json: bool) -> None:
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


@click.command("explain")
@world_argument
@click.argument("id")
@json_option
def explain_command(world: Path, id: str, as_json: bool) -> None:
    """Trace ID in WORLD: task/list-0003, club/0031, club/0031#founded or page/000418."""
    from worldforge.world.lineage import EntityLineage, FactLineage, PageLineage, TaskLineage, explain
    from worldforge.world.world import open_world

    found = explain(open_world(world), id)
    if as_json:
        print_json(found)
        return
    match found:
        case TaskLineage():
            _show_task(found)
        case EntityLineage():
            click.echo(table(("column", "value"), list(found.cells.items())))
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


def _show_fact(found: FactLineage, indent: str = "") -> None:
    click.echo(f"{indent}{found.fact} = {found.value}  ({found.origin})")
    for statement in found.statements:
        click.echo(f"{indent}  {_in_context(statement)}")


def _show_page(found: PageLineage) -> None:
    click.echo(f"{heading(found.title)}\n{found.url}\n{found.kind}, authority {found.authority:.3f}\n")
    click.echo(table(("fact", "where", "value"), [(fact, f"{s.start}–{s.end}", s.value) for fact, s in found.facts]))


def _in_context(statement: Statement) -> str:
    context = f"…{statement.before}{styled(statement.value, bold=True)}{statement.after}…"
    return f"{statement.page} [{statement.start}:{statement.end}] {statement.stance}  {statement.url}\n      {context}"
