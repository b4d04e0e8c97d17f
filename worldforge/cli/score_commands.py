"""The command `score`: score answers from anywhere."""

from __future__ import annotations

import datetime
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.options import PATH, engine_options, json_option, option, out_option
from worldforge.cli.printing import print_summary, progress, say, table

if TYPE_CHECKING:
    from worldforge.entry_points.score_answers import ScoreSummary

_MOST_NAMED = 5  # unanswered questions


@click.command("score")
@click.argument("answers", type=PATH)
@option("--tasks", "A world, or a folder with the benchmark's questions and `widesearch_gold/`.", PATH, required=True)
@option("--judge", "Address of the model that judges names and `llm_judge` columns.", metavar="ADDRESS")
@option(
    "--aliases/--no-aliases",
    "Take the world's other names of an entity for its name. Without: as the benchmark whose judge maps none.",
    default=True,
)
@option("--cache", "What the judge said. Default: judge.sqlite beside OUT.", PATH)
@option(
    "--revision",
    "Which revision of the benchmark's evaluation `compat_` scores equal.",
    click.Choice(["f726273", "pull-8"]),
    default="f726273",
)
@option(
    "--day",
    "The day from which `compat_` scores fill in dates that lack a part. Default: 2025-08-11.",
    click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
)
@out_option("A .parquet or .jsonl file. Default: by ANSWERS.")
@engine_options
@json_option
def score_command(answers: Path, tasks: Path, day: datetime.datetime | None, as_json: bool, **options: Any) -> None:
    """Score ANSWERS, a file of JSON lines as WideSearch's runner writes them, or a folder of such files.

    Scores each by both scorers: `strict_` for training, `compat_` as the benchmark does. Several trials of a question
    give avg@N, max@N and min@N; what was not answered scores 0.
    """
    from worldforge.entry_points.score_answers import score
    from worldforge.scoring.benchmark_metrics import DAY

    with progress() as shown:
        summary = score(answers, tasks, day=day.date() if day else DAY, progress=shown, **options)
    print_summary(summary, as_json, _describe)


def _describe(summary: ScoreSummary) -> None:
    """Print the means, and what was not answered."""
    n = summary.n_trials
    trials = "1 trial" if n == 1 else f"{n:,} trials"
    say(f"{summary.n_answers:,} answers to {summary.n_questions:,} questions, {trials} each")
    rows = [[name, *(f"{value:.4f}" for value in astuple(at_n))] for name, at_n in summary.metrics.items()]
    say(table(["metric", f"avg@{n}", f"max@{n}", f"min@{n}"], rows))
    if summary.n_missing:
        say(f"{summary.n_missing:,} of {summary.n_questions * n:,} were not answered and count as 0{_names(summary)}")
    known = f"{summary.n_aliases:,} aliases of the world" if summary.n_aliases else "no aliases"
    say(f"names mapped by {known}{', then the judge' if summary.judge else ''}")
    judged = f"; judge {summary.judge}, asked {summary.n_requests:,} times" if summary.judge else ""
    say(f"{summary.strict_version}, {summary.compat_version}{judged}")
    say(f"{summary.out}")


def _names(summary: ScoreSummary) -> str:
    if not summary.unanswered:
        return ""
    n_more = len(summary.unanswered) - _MOST_NAMED
    return f"; never: {', '.join(summary.unanswered[:_MOST_NAMED])}{f' and {n_more:,} more' if n_more > 0 else ''}"
