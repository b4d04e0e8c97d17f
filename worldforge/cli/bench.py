"""`worldforge bench`: how good a language world model is, on transitions whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldforge.cli.left_out import describe_left_out
from worldforge.cli.options import json_option, own_environment_option, trajectories_option, world_argument
from worldforge.cli.show import print_json, progress, say, table

if TYPE_CHECKING:
    from worldforge.entry_points.bench import BenchSummary, JudgeSummary, TransitionsSummary

Command = TypeVar("Command", bound=Callable[..., Any])
_POSITIVE = click.IntRange(1)
_MODEL = "A model's address is `vllm:NAME-OR-FOLDER`, `openai:NAME@URL`, `scripted:FILE`, or a profile; docs/models.md."


def _transition_options(command: Command) -> Command:
    """Add what says which transitions are taken."""
    for decorate in (
        click.option("--blind", is_flag=True, help="Do not tell the model what a call may disclose: it has to know."),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the choice."),
        click.option(
            "--held-out",
            "share",
            type=click.FloatRange(0, 1, min_open=True),
            default=0.2,
            show_default=True,
            help="Share of the tasks to take transitions of.",
        ),
        click.option("--n", type=_POSITIVE, default=200, show_default=True, help="Transitions, at most."),
        trajectories_option,
        own_environment_option,
        click.option(
            "--run", "runs", multiple=True, help="A run to take; may be repeated. Default: every finished one."
        ),
    ):
        command = decorate(command)
    return command


def _concurrency_option(command: Command) -> Command:
    """Add `--concurrency`."""
    text = "Requests under way at once."
    return click.option("--concurrency", type=_POSITIVE, default=64, show_default=True, help=text)(command)


@click.group()
def command() -> None:
    """Score language world models: what they write, against what a world truly answers."""


@command.command("world-model", epilog=_MODEL)
@world_argument
@click.option("--model", required=True, help="Address of the model to score; `engine` for the engine, the ceiling.")
@_transition_options
@click.option("--samples", type=_POSITIVE, default=1, show_default=True, help="Predictions of each transition.")
@click.option("--judge", help="Address of a model that grades predictions as well, from 1 to 5.")
@_concurrency_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to. Default: WORLD/bench/<model>.")
@json_option
def world_model(
    world: Path,
    model: str,
    runs: tuple[str, ...],
    trajectories: Path | None,
    n: int,
    share: float,
    seed: int,
    blind: bool,
    samples: int,
    judge: str | None,
    concurrency: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Let a model predict what held-out calls of WORLD's runs bring, and score it exactly.

    What it has predicted already it is not asked again. See docs/bench.md for what each dimension measures.
    """
    from worldforge.entry_points.bench import bench_world_model
    from worldforge.world.world import open_world
    from worldforge.world_model.bench.harvest import Wanted

    with progress() as shown:
        summary = bench_world_model(
            open_world(world),
            model,
            out,
            runs=list(runs) or None,
            trajectories=trajectories,
            wanted=Wanted(n, seed, share, blind),
            n_samples=samples,
            judge=judge,
            concurrency=concurrency,
            progress=shown,
        )
    if as_json:
        print_json(_as_data(summary))
    else:
        _describe(summary)
    _describe_left_out(world, trajectories, runs)
    _check_complete(summary)


@command.command("transitions")
@world_argument
@_transition_options
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to. Default: WORLD/bench/transitions.")
@json_option
def transitions(
    world: Path,
    runs: tuple[str, ...],
    trajectories: Path | None,
    n: int,
    share: float,
    seed: int,
    blind: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write held-out transitions of WORLD's runs in AgentWorldBench's own lines, with their truths beside them."""
    from worldforge.entry_points.bench import export_transitions
    from worldforge.world.world import open_world
    from worldforge.world_model.bench.harvest import Wanted

    with progress() as shown:
        summary = export_transitions(
            open_world(world),
            out,
            runs=list(runs) or None,
            trajectories=trajectories,
            wanted=Wanted(n, seed, share, blind),
            progress=shown,
        )
    if as_json:
        print_json(_as_data(summary))
    else:
        _describe_transitions(summary)
    _describe_left_out(world, trajectories, runs)


@command.command("judge", epilog=_MODEL)
@click.argument("lines", type=click.Path(path_type=Path))
@click.option("--judge", required=True, help="Address of the model that grades.")
@_concurrency_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to. Default: judged.jsonl beside them.")
@json_option
def judge(lines: Path, judge: str, concurrency: int, out: Path | None, as_json: bool) -> None:
    """Let a model grade LINES, predictions in AgentWorldBench's format (with `gen`), of any world or of none."""
    from worldforge.entry_points.bench import judge_lines

    with progress() as shown:
        summary = judge_lines(lines, judge, out, concurrency=concurrency, progress=shown)
    if as_json:
        print_json(_as_data(summary))
    else:
        say(f"{summary.judge}: {summary.n - summary.n_unjudged:,} of {summary.n:,} predictions graded")
        click.echo(table(["dimension", "0..100"], _grades(summary)))
        say(str(summary.path))


def _as_data(summary: BenchSummary | TransitionsSummary | JudgeSummary) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(summary)


def _describe(summary: BenchSummary) -> None:
    """Tell a person what came of a bench: the table on stdout, the rest beside it."""
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
        click.echo(table(["dimension", "0..100"], _grades(summary)))
    say(str(summary.folder))


def _describe_transitions(summary: TransitionsSummary) -> None:
    held = ", ".join(f"{n:,} {name}" for name, n in summary.n.items())
    say(f"{held}: of {summary.n_found:,} transitions of {summary.n_tasks:,} held-out tasks, {summary.folder}")
    if summary.n_teams or summary.n_diverged:
        say(f"left out: {summary.n_teams:,} sessions of teams, {summary.n_diverged:,} that could not be repeated")


def _describe_left_out(world: Path, trajectories: Path | None, named: tuple[str, ...]) -> None:
    """Name the runs of WORLD that were not taken, unless those to take were named."""
    from worldforge.rollouts.run import runs_folder
    from worldforge.rollouts.unfinished import unfinished_runs
    from worldforge.world.world import open_world

    if not named:
        describe_left_out(unfinished_runs(runs_folder(open_world(world), trajectories)))


def _grades(summary: BenchSummary | JudgeSummary) -> list[list[str]]:
    return [[name, f"{mean:.1f}"] for name, mean in summary.judged.items()]


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _check_complete(summary: BenchSummary) -> None:
    """Raise PartialError where requests failed: they have no scores."""
    from worldforge.core.errors import PartialError

    if summary.n_failed:
        asked = summary.n_transitions * summary.n_samples
        raise PartialError(
            f"{summary.n_failed:,} of {asked:,} predictions failed",
            "scores.parquet says why; the same command asks again",
        )
