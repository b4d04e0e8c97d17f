"""Bench: take held-out transitions from runs of a world, let a model predict them, and score it.

    bench_world_model(open_world("output/quickstart"), "engine")     ->  output/quickstart/bench/engine/

The folder holds the transitions in AgentWorldBench's own lines with their truths, the predictions (`predictions.jsonl`,
which its evaluation script judges as they are), a row of scores for each (`scores.parquet`), and `bench.json`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypedDict, Unpack

import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import (
    atomic,
    check_writable,
    locked,
    output_path,
    remove,
    value_digest,
    write_json,
)
from worldforge.core.progress import Progress
from worldforge.core.run_async import run_sync
from worldforge.core.store import Store
from worldforge.models.model import Model, identity_of
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.models.request_meter import RequestMeter, reporting
from worldforge.rollouts.ledger import whole_shards
from worldforge.rollouts.run import LOCK, RunSummary, finished_runs
from worldforge.rollouts.shards import read_shard
from worldforge.world.world import World
from worldforge.world_model.bench import exact
from worldforge.world_model.bench import judge as judging
from worldforge.world_model.bench.exact import Mean, means, score_table, verdicts
from worldforge.world_model.bench.harvest import COLUMNS, Harvest, RunSource, TransitionSample, harvest
from worldforge.world_model.bench.predict import CONCURRENCY, Prediction, SampledModel, predict, predict_engine
from worldforge.world_model.bench.transitions import HELD_OUT, PATTERN, Row, by_domain, read_rows, write_lines

ENGINE = "engine"
"""Stands for the engine in place of a model: its observations are the truth."""
DEFAULT_WANTED = TransitionSample(200, 0, HELD_OUT)
"""The transitions that are taken by default."""
_ELSEWHERE = "write it elsewhere with `-o FOLDER`"
FOLDER, RECORD, PREDICTIONS, SCORES = "bench", "bench.json", "predictions.jsonl", "scores.parquet"
TRANSITIONS, JUDGED, REPLIES = "transitions.json", "judged.jsonl", "replies.sqlite"


@dataclass(frozen=True, slots=True)
class TransitionsSummary:
    """Transitions that were written: where, from which runs, how many by domain, and what they were chosen from."""

    folder: Path
    runs: tuple[str, ...]
    n: Mapping[str, int]
    n_found: int
    n_tasks: int
    n_teams: int
    n_diverged: int


@dataclass(frozen=True, slots=True)
class BenchSummary:
    """A finished bench. `scores` are by dimension, over all predictions; `by_kind` over searches, pages, records.

    `judged` are a judge's means, 0..100, empty without one; `n_unjudged` those it could not judge; `n_failed` are
    requests that a model did not answer.
    """

    folder: Path
    model: str
    n_transitions: int
    n_samples: int
    scores: Mapping[str, Mean]
    by_kind: Mapping[str, Mapping[str, Mean]]
    verdicts: Mapping[str, int]
    n_failed: int
    n_prompt_tokens: int
    n_completion_tokens: int
    transitions: TransitionsSummary
    judge: str = ""
    judged: Mapping[str, float] = field(default_factory=dict)
    n_unjudged: int = 0


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """A finished judgement: where it is, whose, the means of each dimension and of all, 0..100, how many."""

    path: Path
    judge: str
    judged: Mapping[str, float]
    n: int
    n_unjudged: int


def export_transitions(
    world: World,
    out: str | Path | None = None,
    *,
    runs: Sequence[str] | None = None,
    trajectories: str | Path | None = None,
    wanted: TransitionSample = DEFAULT_WANTED,
    progress: Progress | None = None,
) -> TransitionsSummary:
    """Write held-out transitions of finished runs (default: of all) into the folder `out`, default bench/transitions.

    The runs are in the folder `trajectories`, by default the world's own.
    Raises InputError where there is no finished run, or no transition, and where `out` holds another's lines.
    """
    folder = output_path(out) if out is not None else world.path / FOLDER / "transitions"
    check_writable(folder, _ELSEWHERE)
    return _export(world, folder, finished_runs(world, runs, trajectories), wanted, progress or Progress())[0]


class BenchOptions(TypedDict, total=False):
    """Options of `bench_world_model`; runs and transitions are chosen as by `export_transitions`."""

    runs: Sequence[str] | None
    trajectories: str | Path | None
    wanted: TransitionSample
    n_samples: int
    judge: str | None
    concurrency: int
    models: Mapping[str, Model] | None


def bench_world_model(
    world: World,
    model: str,
    out: str | Path | None = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[BenchOptions],
) -> BenchSummary:
    """Let the model at an address, or the `engine`, predict held-out transitions `n_samples` times, and score it.

    Results are kept in `out` (default: bench/ and the model's name) and not asked for again. `judge` is the address of
    a model that grades predictions as well. `models` are models opened by the caller, by the names that addresses give
    them. `runs`, `trajectories` and `wanted` are those of `export_transitions`.
    """
    progress, n_samples = progress or Progress(), options.get("n_samples", 1)
    address = ModelAddress.parse(model) if model != ENGINE else None
    judge = ModelAddress.parse(text) if (text := options.get("judge")) else None
    folder = output_path(out) if out is not None else world.path / FOLDER / _slug(address)
    check_writable(folder, _ELSEWHERE)
    with locked(folder / LOCK, f"another process is at work in {folder}"):
        runs = finished_runs(world, options.get("runs"), options.get("trajectories"))
        exported, gathered = _export(world, folder, runs, options.get("wanted", DEFAULT_WANTED), progress)
        rows = [one.row for one in gathered.transitions]
        repeated = [row for row in rows for _ in range(n_samples)]
        predictions, judged = run_sync(_predict_and_judge(folder, rows, address, judge, progress, options))
        write_lines(folder / PREDICTIONS, _lines(repeated, predictions, []))
        progress.start("score", len(predictions))
        table = score_table(gathered.transitions, predictions, _scores(world, gathered, predictions, progress))
        with atomic(folder / SCORES) as beside:
            pq.write_table(table, beside, compression="zstd")
        if judge is not None:
            write_lines(folder / JUDGED, _lines(repeated, predictions, judged))
        summary = BenchSummary(
            folder=folder,
            model=address.identity if address is not None else ENGINE,
            n_transitions=len(gathered.transitions),
            n_samples=n_samples,
            scores=means(table),
            by_kind={k: means(table.filter(pc.field("kind") == k)) for k in sorted(set(table["kind"].to_pylist()))},
            verdicts=verdicts(table),
            n_failed=sum(bool(one.error) for one in predictions),
            n_prompt_tokens=sum(one.prompt_tokens for one in predictions),
            n_completion_tokens=sum(one.completion_tokens for one in predictions),
            transitions=exported,
            judge=judge.identity if judge is not None else "",
            judged=judging.rubric_means(judged) if judge is not None else {},
            n_unjudged=sum(not one.grades for one in judged),
        )
        write_json(folder / RECORD, _record(world, summary))
    return summary


async def _predict_and_judge(
    folder: Path,
    rows: Sequence[Row],
    address: ModelAddress | None,
    judge: ModelAddress | None,
    progress: Progress,
    options: BenchOptions,
) -> tuple[list[Prediction], list[judging.Judged]]:
    """Predict each of `rows` `n_samples` times, by a model or by the engine, and have a judge grade the predictions."""
    n_samples = options.get("n_samples", 1)
    repeated = [row for row in rows for _ in range(n_samples)]
    async with _opened_models(folder, options.get("models"), progress) as (opened, store, shown):
        how: dict[str, Any] = {"concurrency": options.get("concurrency") or CONCURRENCY, "progress": shown}
        shown.start("predict", len(repeated))
        if address is None:
            predictions = predict_engine(rows, n_samples)
        else:
            predictions = await predict(rows, await opened(address), store, n_samples=n_samples, **how)
        if judge is None:
            return predictions, []
        shown.start("judge", len(repeated))
        pairs = list(zip(repeated, predictions, strict=True))
        return predictions, await judging.judge(pairs, await opened(judge), store, **how)


def judge_lines(
    path: str | Path,
    judge: str,
    out: str | Path | None = None,
    *,
    concurrency: int = CONCURRENCY,
    models: Mapping[str, Model] | None = None,
    progress: Progress | None = None,
) -> JudgeSummary:
    """Let a model judge lines in AgentWorldBench's format that hold predictions (`gen`); into `out`.

    `out` defaults to judged.jsonl beside them. Raises InputError where the lines cannot be read, or none has a `gen`.
    """
    source = Path(path)
    rows = [row for row in read_rows(source) if row.gen is not None]
    if not rows:
        raise InputError(f"{source}: no line has a prediction in `gen`", "predict first, with this bench or eval.py")
    target = output_path(out) if out is not None else (source if source.is_dir() else source.parent) / JUDGED
    address = ModelAddress.parse(judge)
    predictions = [Prediction(row.id, row.sample, row.gen or "") for row in rows]

    async def ask() -> list[judging.Judged]:
        async with _opened_models(target.parent, models, progress or Progress()) as (opened, store, shown):
            shown.start("judge", len(rows))
            pairs, model = list(zip(rows, predictions, strict=True)), await opened(address)
            return await judging.judge(pairs, model, store, concurrency=concurrency, progress=shown)

    judged = run_sync(ask())
    write_lines(target, _lines(rows, predictions, judged))
    n_unjudged = sum(not one.grades for one in judged)
    return JudgeSummary(target, address.identity, judging.rubric_means(judged), len(judged), n_unjudged)


@asynccontextmanager
async def _opened_models(
    folder: Path, models: Mapping[str, Model] | None, progress: Progress
) -> AsyncIterator[tuple[Callable[[ModelAddress], Awaitable[SampledModel]], Store, Progress]]:
    """Give what opens the model at an address, the store in `folder` that keeps replies, and the progress to tell."""
    meter = RequestMeter()
    async with ModelPool(models or {}, meter, progress.note) as pool, reporting(meter, progress) as shown:

        async def opened(address: ModelAddress) -> SampledModel:
            model = await pool.get(address)
            identity = value_digest([address.identity, identity_of(model)])
            return SampledModel(model, identity, address.sampling, address.thinking)

        with Store(folder / REPLIES) as store:
            yield opened, store, shown


def _export(
    world: World, folder: Path, chosen: Sequence[RunSummary], wanted: TransitionSample, progress: Progress
) -> tuple[TransitionsSummary, Harvest]:
    """Write the transitions of runs, while no other process may change these; return them."""
    _check_sample(wanted)
    _check_folder(folder)
    with ExitStack() as stack:
        for run in chosen:
            refusal = f"another process is at work on the run in {run.folder}"
            stack.enter_context(locked(run.folder / LOCK, refusal, shared=True))
        sources = [
            RunSource(run.run, run.config.environment, run.config.controls, run.tally.n_episodes, run.config.n_tasks,
                      (read_shard(path, COLUMNS) for path in whole_shards(run.folder, run.tally.n_episodes)))
            for run in chosen
        ]  # fmt: skip
        gathered = harvest(world, sources, wanted, progress)
    if not gathered.transitions:
        raise InputError(
            f"{world.path}: the runs hold no transition of the {len(gathered.tasks)} tasks held out",
            "hold out more of them with `--held-out`, or play more",
        )
    summary = TransitionsSummary(
        folder,
        tuple(run.run for run in chosen),
        {name: len(group) for name, group in by_domain(gathered.transitions)},
        gathered.n_found,
        len(gathered.tasks),
        gathered.n_teams,
        gathered.n_diverged,
    )
    _write_transitions(world, folder, gathered, wanted, summary)
    return summary, gathered


def _write_transitions(
    world: World, folder: Path, gathered: Harvest, wanted: TransitionSample, summary: TransitionsSummary
) -> None:
    for path in (*folder.glob(PATTERN), *folder.glob("*_truth.jsonl")):
        remove(path)
    record = asdict(summary) | {"world": world.name, "world_digest": world.digest}
    record |= {"wanted": asdict(wanted), "held_out": list(gathered.tasks)}
    write_json(folder / TRANSITIONS, {key: value for key, value in record.items() if key != "folder"})
    for name, group in by_domain(gathered.transitions):
        write_lines(folder / f"{name}_test.jsonl", (one.row.to_json() for one in group))
        write_lines(folder / f"{name}_truth.jsonl", (one.truth.model_dump(mode="json") for one in group))


def _check_sample(wanted: TransitionSample) -> None:
    if wanted.n < 1:
        raise InputError(f"`n` is {wanted.n}, and must be at least 1")
    if not 0 < wanted.share <= 1:
        raise InputError(f"the share of tasks held out is {wanted.share:g}, and must be above 0 and at most 1")


def _check_folder(folder: Path) -> None:
    """Raise InputError for a folder with transitions that no export wrote: they would be replaced."""
    if folder.is_file():
        raise InputError(f"{folder} is a file", "choose a folder with `-o`")
    if not (folder / TRANSITIONS).exists() and any(folder.glob(PATTERN)):
        raise InputError(f"{folder} holds transitions that no export wrote", "choose another folder with `-o`")


def _scores(
    world: World, gathered: Harvest, predictions: Sequence[Prediction], progress: Progress
) -> list[exact.ExactScore | None]:
    """Score what was predicted; a request that failed has no score."""
    scorer = exact.ExactScorer(world)
    truths = {one.truth.id: one.truth for one in gathered.transitions}
    scored: dict[int, exact.ExactScore] = {}
    for place, prediction in enumerate(predictions):
        if not prediction.error:
            scored[place] = scorer.score(truths[int(prediction.id)], prediction.observation)
        progress.advance()
    whole = dict(zip(scored, exact.with_consistency(list(scored.values())), strict=True))
    return [whole.get(place) for place in range(len(predictions))]


def _lines(
    rows: Sequence[Row], predictions: Sequence[Prediction], judged: Sequence[judging.Judged]
) -> list[dict[str, Any]]:
    """Write predictions (`gen`), and how they were judged, with the keys of the benchmark's evaluation script."""
    lines = [
        row.to_json() | {"gen": prediction.text, "sample": prediction.sample}
        for row, prediction in zip(rows, predictions, strict=True)
    ]
    return [line | judging.as_keys(one) for line, one in zip(lines, judged, strict=True)] if judged else lines


def _record(world: World, summary: BenchSummary) -> dict[str, Any]:
    """Write a summary as JSON values, with what it depends on."""
    record = {"world": world.name, "world_digest": world.digest, **asdict(summary)}
    del record["folder"], record["transitions"]["folder"]
    return record | {"versions": {"scorer": exact.VERSION, "judge": judging.VERSION}}


def _slug(address: ModelAddress | None) -> str:
    if address is None:
        return ENGINE
    return re.sub(r"[^a-z0-9._]+", "-", address.model_name.rpartition("/")[2].lower()).strip("-.")[:60] or "model"
