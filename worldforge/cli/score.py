"""`worldforge score`: answers from anywhere are scored."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from worldforge.cli.options import engine_options, json_option
from worldforge.cli.show import print_json, progress, say, table

if TYPE_CHECKING:
    from worldforge.core.worker_pool import Engine
    from worldforge.entry_points.score import ScoreSummary

_SHOWN = 5  # unanswered questions that are named


@click.command()
@click.argument("answers", type=click.Path(path_type=Path))
@click.option(
    "--tasks",
    required=True,
    type=click.Path(path_type=Path),
    help="A world, or a folder with the benchmark's questions and `widesearch_gold/`.",
)
@click.option("--judge", metavar="ADDRESS", help="Address of the model that judges names and `llm_judge` columns.")
@click.option(
    "--aliases/--no-aliases",
    default=True,
    show_default=True,
    help="Take the world's other names of an entity for its name. Without: as the benchmark whose judge maps none.",
)
@click.option("--cache", type=click.Path(path_type=Path), help="What the judge said. Default: judge.sqlite beside OUT.")
@click.option(
    "--revision",
    type=click.Choice(["f726273", "pull-8"]),
    default="f726273",
    show_default=True,
    help="Which revision of the benchmark's evaluation `compat_` scores equal.",
)
@click.option(
    "--day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="The day from which `compat_` scores fill in dates that lack a part. Default: 2025-08-11.",
)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="A .parquet or .jsonl file. Default: by ANSWERS.")
@engine_options
@json_option
def command(
    answers: Path,
    tasks: Path,
    judge: str | None,
    aliases: bool,
    cache: Path | None,
    revision: Literal["f726273", "pull-8"],
    day: datetime.datetime | None,
    out: Path | None,
    engine: Engine,
    as_json: bool,
) -> None:
    """Score ANSWERS, a file of JSON lines as WideSearch's runner writes them, or a folder of such files.

    Scores each by both scorers: `strict_` for training, `compat_` as the benchmark does. Several trials of a question
    give avg@N, max@N and min@N; what was not answered scores 0.
    """
    from worldforge.entry_points.score import score
    from worldforge.scoring.benchmark_date import DAY

    with progress() as shown:
        summary = score(
            answers,
            tasks,
            judge=judge,
            aliases=aliases,
            cache=cache,
            out=out,
            revision=revision,
            day=day.date() if day else DAY,
            progress=shown,
            engine=engine,
        )
    if as_json:
        print_json(as_data(summary))
    else:
        describe(summary)


def as_data(summary: ScoreSummary) -> dict[str, object]:
    """Give scores as JSON values."""
    from dataclasses import asdict

    return asdict(summary) | {"metrics": {name: at_n._asdict() for name, at_n in summary.metrics.items()}}


def describe(summary: ScoreSummary) -> None:
    """Tell a person the means, and what was not answered."""
    n = summary.n_trials
    trials = "1 trial" if n == 1 else f"{n:,} trials"
    say(f"{summary.n_answers:,} answers to {summary.n_questions:,} questions, {trials} each")
    rows = [[name, *(f"{value:.4f}" for value in at_n)] for name, at_n in summary.metrics.items()]
    say(table(["metric", f"avg@{n}", f"max@{n}", f"min@{n}"], rows))
    if summary.n_missing:
        say(f"{summary.n_missing:,} of {summary.n_questions * n:,} were not answered and count as 0{_named(summary)}")
    judged = f"; judge {summary.judge}, asked {summary.n_asked:,} times" if summary.judge else ""
    say(f"names mapped by {_mapping(summary)}")
    say(f"{summary.strict_version}, {summary.compat_version}{judged}")
    say(f"{summary.out}")


def _mapping(summary: ScoreSummary) -> str:
    known = f"{summary.n_aliases:,} aliases of the world" if summary.n_aliases else "no aliases"
    return f"{known}, then the judge" if summary.judge else known


def _named(summary: ScoreSummary) -> str:
    if not summary.unanswered:
        return ""
    shown = ", ".join(summary.unanswered[:_SHOWN])
    more = len(summary.unanswered) - _SHOWN
    return f"; never: {shown}{f' and {more:,} more' if more > 0 else ''}"
