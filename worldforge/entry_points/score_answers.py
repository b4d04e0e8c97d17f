"""Score answers to questions with gold: one row of scores each, and means.

    score("answers.jsonl", "output/quickstart")     ->  answers.scores.parquet

Every row has both scorers' figures and versions. A question's figure over N trials is their mean (avg@N), the best
(max@N) or the worst (min@N); a figure over questions is the mean of theirs. What was not answered scores 0.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, TypedDict, Unpack

from worldforge.core.errors import InputError
from worldforge.core.files import check_writable, output_path, value_digest
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.run_async import map_bounded, run_sync
from worldforge.core.store import Store
from worldforge.core.worker_pool import Engine
from worldforge.core.worker_runtime import worker_context
from worldforge.models.model import Model
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.models.request_meter import RequestMeter, reporting
from worldforge.scoring.alias_judge import AliasJudge, Judge
from worldforge.scoring.benchmark_files import (
    METRICS,
    Answer,
    BenchmarkQuestion,
    read_answers,
    read_questions,
    write_scores,
)
from worldforge.scoring.benchmark_metrics import DAY
from worldforge.scoring.compatible_scorer import Revision, score_compatible, version_of
from worldforge.scoring.model_judge import VERSION as JUDGE_VERSION
from worldforge.scoring.model_judge import ModelJudge
from worldforge.scoring.strict_scorer import VERSION as STRICT_VERSION
from worldforge.scoring.strict_scorer import score_strict

CONCURRENCY = 64  # answers being judged at once
CACHE = "judge.sqlite"
NOT_ANSWERED = "not answered"


@dataclass(frozen=True, slots=True)
class AtN:
    """A metric over questions: the mean of each question's mean, best and worst trial."""

    avg: float
    max: float
    min: float


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """What was scored: where the rows are, how many trials a question had, who was not answered, metrics by name.

    `unanswered` are questions without any answer; `n_missing` counts all rows without one. `n_requests` are requests to
    the judge; what its cache knew is not among them. `n_aliases` are other names, of all questions, by which both
    scorers know gold's; 0 where the tasks name none, or none were to be used.
    """

    out: Path
    n_questions: int
    n_trials: int
    n_answers: int
    n_missing: int
    unanswered: tuple[str, ...]
    metrics: Mapping[str, AtN]
    strict_version: str
    compat_version: str
    judge: str
    n_requests: int
    n_aliases: int


class ScoreOptions(TypedDict, total=False):
    """Options of `score`."""

    judge: str | None
    aliases: bool
    cache: str | Path | None
    revision: Revision
    day: datetime.date
    models: Mapping[str, Model] | None
    workers: int | Engine


def score(
    answers: str | Path,
    questions: str | Path,
    *,
    out: str | Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[ScoreOptions],
) -> ScoreSummary:
    """Score a file or folder of answers to the questions of a world, or of a folder in the benchmark's layout.

    `judge` is a model's address; without one, names that differ from gold's are other names, unless the world says
    that they are aliases (with `aliases`), and columns to be judged are compared by their words.
    `cache` keeps what it judged (default:
    judge.sqlite beside `out`). `out` is a `.parquet` or `.jsonl` file, by default beside the answers. `models` are open
    ones, by address. `workers` processes of this machine score, or those of an engine; a judge
    is asked by this process alone.

    Raises InputError for answers or questions that cannot be read, ModelError where the judge fails.
    """
    workers, judge, cache = options.get("workers", 1), options.get("judge"), options.get("cache")
    engine = LocalEngine(workers) if isinstance(workers, int) else workers
    if judge is not None and engine.workers > 1:
        raise InputError(
            f"a judge is asked by one process, and not by {engine.workers} workers", "leave `--workers` out"
        )
    source = Path(answers)
    target = _scores_path(source, out)
    check_writable(target.parent, "write the scores elsewhere with `-o FILE`")
    tasks = read_questions(Path(questions))
    if not options.get("aliases", True):
        tasks = {name: replace(one, gold=replace(one.gold, aliases={})) for name, one in tasks.items()}
    found = {(one.instance_id, one.trial): one for one in read_answers(source, tasks, besides=[target])}
    trials = sorted({trial for _, trial in found})
    address = ModelAddress.parse(judge) if judge is not None else None
    kept = Path(cache) if cache is not None else target.parent / CACHE
    revision, day = options.get("revision", "f726273"), options.get("day", DAY)
    inputs = _inputs(tasks, found, revision, day, address)
    work, shown = _ScoringWork(tasks, found, trials, revision, day, inputs), progress or Progress()

    if address is None:
        shown.start("score", len(tasks) * len(trials))
        rows, n_requests = _score_all(work, engine, shown), 0
    else:
        rows, n_requests = run_sync(_score_judged(work, address, kept, options.get("models"), shown))
    write_scores(target, rows)
    return _summary(rows, work, target, n_requests)


@dataclass(frozen=True, slots=True)
class _ScoringWork:
    """What is to be scored, and how; `inputs` are columns of each row that name both."""

    questions: Mapping[str, BenchmarkQuestion]
    answers: Mapping[tuple[str, int], Answer]
    trials: Sequence[int]
    revision: Revision
    day: datetime.date
    inputs: Mapping[str, str]

    def row(self, question: BenchmarkQuestion, trial: int, judge: Judge | None = None) -> dict[str, Any]:
        """Score one answer; a missing one scores 0."""
        answer = self.answers.get((question.instance_id, trial))
        text = answer.text if answer else ""
        strict = score_strict(text, question.gold)
        known = AliasJudge(question.gold, judge)
        compatible = score_compatible(text, question.gold, known, revision=self.revision, day=self.day)
        return {
            "instance_id": question.instance_id,
            "task": question.task,
            "language": question.language,
            "trial": trial,
            "answered": bool(text),
            **strict.columns("strict_"),
            **compatible.columns("compat_"),
            "strict_row_order": strict.row_order,
            "strict_reason": strict.reason if text else NOT_ANSWERED,
            "compat_reason": compatible.reason if text else NOT_ANSWERED,
            "source": Path(answer.source).name if answer else "",
            **self.inputs,
        }


def _inputs(
    questions: Mapping[str, BenchmarkQuestion],
    answers: Mapping[tuple[str, int], Answer],
    revision: Revision,
    day: datetime.date,
    judge: ModelAddress | None,
) -> dict[str, str]:
    """Return versions and digests of all that decides the rows, by the names of their columns."""
    answered = sorted([one.instance_id, one.trial, one.text, Path(one.source).name] for one in answers.values())
    return {
        "strict_version": STRICT_VERSION,
        "compat_version": version_of(revision),
        "compat_day": day.isoformat(),
        "judge": judge.identity if judge else "",
        "judge_version": JUDGE_VERSION if judge else "",
        "worldforge_version": version("worldforge"),
        "answers_sha256": value_digest(answered),
        "questions_sha256": value_digest([repr(question) for question in questions.values()]),
    }


def _score_all(work: _ScoringWork, engine: Engine, progress: Progress) -> list[dict[str, Any]]:
    """Score without a judge, by the workers of `engine`, every trial of the first question, then of the next."""
    rows: list[dict[str, Any]] = []
    with engine.pool(work, n_workers=len(work.questions)) as pool:
        for scored in pool.map_ordered(_score_question, [*work.questions]):
            rows += scored
            progress.advance(len(scored))
    return rows


def _score_question(name: str) -> list[dict[str, Any]]:
    """Score all trials of a question, in a worker."""
    work: _ScoringWork = worker_context()
    return [work.row(work.questions[name], trial) for trial in work.trials]


async def _score_judged(
    work: _ScoringWork,
    address: ModelAddress,
    cache: Path,
    models: Mapping[str, Model] | None,
    progress: Progress,
) -> tuple[list[dict[str, Any]], int]:
    """Score with a model as the judge, many answers at once; return rows in order, and how often it was asked."""
    meter = RequestMeter()
    async with ModelPool(models, meter, progress.note) as pool, reporting(meter, progress) as shown:
        with Store(cache) as store:
            shown.start("score", len(work.questions) * len(work.trials))
            judge = ModelJudge(await pool.get(address), address, store)

            async def row(place: tuple[BenchmarkQuestion, int]) -> dict[str, Any]:
                return await judge.settle(lambda known: work.row(*place, known))

            places = [(question, trial) for question in work.questions.values() for trial in work.trials]
            return await map_bounded(row, places, CONCURRENCY, shown), judge.n_requests


def _scores_path(answers: Path, out: str | Path | None) -> Path:
    """Return the file of scores. Raises InputError where it is neither Parquet nor JSON lines."""
    if not answers.exists():
        raise InputError(f"{answers} is not there", "give a file of answers in JSON lines, or a folder of such files")
    if out is None:
        return answers / "scores.parquet" if answers.is_dir() else answers.with_suffix(".scores.parquet")
    target = output_path(out)
    if target.suffix not in (".parquet", ".jsonl"):
        raise InputError(f"{target} is neither a `.parquet` nor a `.jsonl` file")
    if target.resolve() == answers.resolve():
        raise InputError(f"{target} holds the answers", "choose another file with `-o`")
    return target


def _summary(rows: list[dict[str, Any]], work: _ScoringWork, target: Path, n_requests: int) -> ScoreSummary:
    by_question: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_question.setdefault(row["instance_id"], []).append(row)
    metrics = {
        name: AtN(
            *(fmean(at(row[name] for row in trials) for trials in by_question.values()) for at in (fmean, max, min))
        )
        for name in (METRICS if rows else ())
    }
    return ScoreSummary(
        target,
        len(by_question),
        len(work.trials),
        sum(name in by_question for name, _ in work.answers),
        sum(not row["answered"] for row in rows),
        tuple(name for name, trials in by_question.items() if not any(row["answered"] for row in trials)),
        metrics,
        work.inputs["strict_version"],
        work.inputs["compat_version"],
        work.inputs["judge"],
        n_requests,
        sum(len(names) for one in work.questions.values() for names in one.gold.aliases.values()),
    )
