"""The commands `bench world-model`, `bench transitions`, `bench judge`: score language world models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.options import (
    FLAG,
    NOT_NEGATIVE,
    PATH,
    POSITIVE,
    RATIO,
    combined,
    json_option,
    option,
    out_option,
    own_environment_option,
    runs_options,
    world_argument,
)
from worldforge.cli.printing import list_unfinished, print_summary, progress, say, table
from worldforge.core.errors import PartialError

if TYPE_CHECKING:
    from worldforge.entry_points.bench_model import BenchSummary, JudgeSummary, TransitionsSummary

_MODEL = "A model's address is `vllm:NAME-OR-FOLDER`, `openai:NAME@URL`, `scripted:FILE`, or a profile; docs/models.md."
_transition_options = combined(
    runs_options,
    own_environment_option,
    option("--n", "Transitions, at most.", POSITIVE, default=200),
    option("--held-out share", "Share of the tasks to take transitions of.", RATIO, default=0.2),
    option("--seed", "Of the choice.", NOT_NEGATIVE, default=0),
    option("--blind", "Do not tell the model what a call may disclose: it has to know.", FLAG),
)
_concurrency_option = option("--concurrency", "Requests under way at once.", POSITIVE, default=64)


@click.group("bench")
def bench_command() -> None:
    """Score language world models: what they write, against what a world truly answers."""


@bench_command.command("world-model", epilog=_MODEL)
@world_argument
@option("--model", "Address of the model to score; `engine` for the engine, the ceiling.", required=True)
@_transition_options
@option("--samples n_samples", "Predictions of each transition.", POSITIVE, default=1)
@option("--judge", "Address of a model that grades predictions as well, from 1 to 5.")
@_concurrency_option
@out_option("Where to. Default: WORLD/bench/<model>.")
@json_option
def world_model(world: Path, model: str, as_json: bool, **options: Any) -> None:
    """Let a model predict what held-out calls of WORLD's runs bring, and score it exactly.

    What it has predicted already it is not asked again. See docs/bench.md for what each dimension measures.
    """
    from worldforge.entry_points.bench_model import bench_world_model
    from worldforge.world.world import open_world

    sampling = _sample_options(options)
    with progress() as shown:
        summary = bench_world_model(open_world(world), model, progress=shown, **sampling, **options)
    print_summary(summary, as_json, _describe_bench)
    list_unfinished(world, **sampling)
    if summary.n_failed:
        raise PartialError(
            f"{summary.n_failed:,} of {summary.n_transitions * summary.n_samples:,} predictions failed",
            "scores.parquet says why; the same command asks again",
        )


@bench_command.command("transitions")
@world_argument
@_transition_options
@out_option("Where to. Default: WORLD/bench/transitions.")
@json_option
def transitions(world: Path, as_json: bool, out: Path | None, **options: Any) -> None:
    """Write held-out transitions of WORLD's runs in AgentWorldBench's own lines, with their truths beside them."""
    from worldforge.entry_points.bench_model import export_transitions
    from worldforge.world.world import open_world

    sampling = _sample_options(options)
    with progress() as shown:
        summary = export_transitions(open_world(world), out, progress=shown, **sampling)
    print_summary(summary, as_json, _describe_transitions)
    list_unfinished(world, **sampling)


@bench_command.command("judge", epilog=_MODEL)
@click.argument("lines", type=PATH)
@option("--judge", "Address of the model that grades.", required=True)
@_concurrency_option
@out_option("Where to. Default: judged.jsonl beside them.")
@json_option
def judge(lines: Path, judge: str, concurrency: int, out: Path | None, as_json: bool) -> None:
    """Let a model grade LINES, predictions in AgentWorldBench's format (with `gen`), of any world or of none."""
    from worldforge.entry_points.bench_model import judge_lines

    with progress() as shown:
        summary = judge_lines(lines, judge, out, concurrency=concurrency, progress=shown)
    print_summary(summary, as_json, _describe_judged)


def _sample_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options that say which transitions are wanted out of `options`."""
    from worldforge.world_model.bench.harvest import TransitionSample

    wanted = TransitionSample(*(options.pop(name) for name in ("n", "seed", "share", "blind")))
    return {"runs": list(options.pop("runs")) or None, "trajectories": options.pop("trajectories"), "wanted": wanted}


def _describe_bench(summary: BenchSummary) -> None:
    """Print what came of a bench: tables on stdout, the rest on stderr."""
    _describe_transitions(summary.transitions)
    say(f"{summary.model}: {summary.n_transitions:,} transitions, {summary.n_samples:,} predictions of each")
    kinds = list(summary.by_kind)
    rows = [
        [name, _mean(mean.mean), mean.n, *(_mean(summary.by_kind[kind][name].mean) for kind in kinds)]
        for name, mean in summary.scores.items()
    ]
    click.echo(table(["dimension", "mean", "n", *kinds], rows))
    say("guard: " + ", ".join(f"{name} {times:,}" for name, times in summary.verdicts.items()))
    if summary.judge:
        graded = summary.n_transitions * summary.n_samples - summary.n_unjudged
        say(f"graded by {summary.judge}: {graded:,} predictions")
        _show_grades(summary)
    say(str(summary.folder))


def _describe_transitions(summary: TransitionsSummary) -> None:
    held = ", ".join(f"{n:,} {name}" for name, n in summary.n.items())
    say(f"{held}: of {summary.n_found:,} transitions of {summary.n_tasks:,} held-out tasks, {summary.folder}")
    if summary.n_teams or summary.n_diverged:
        say(f"left out: {summary.n_teams:,} sessions of teams, {summary.n_diverged:,} that could not be repeated")


def _describe_judged(summary: JudgeSummary) -> None:
    say(f"{summary.judge}: {summary.n - summary.n_unjudged:,} of {summary.n:,} predictions graded")
    _show_grades(summary)
    say(str(summary.path))


def _show_grades(summary: BenchSummary | JudgeSummary) -> None:
    click.echo(table(["dimension", "0..100"], [[name, f"{mean:.1f}"] for name, mean in summary.judged.items()]))


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
