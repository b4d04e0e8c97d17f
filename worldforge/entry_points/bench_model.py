"""Bench: runs of a world become held-out transitions, a model predicts them, scorers score it.

    bench_world_model(open_world("output/quickstart"), "engine")     ->  output/quickstart/bench/engine/

The folder holds the transitions in AgentWorldBench's own lines with their truths, the predictions (`predictions.jsonl`,
which its evaluation script judges as they are), a row of scores for each (`scores.parquet`), and `bench.json`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import (
    atomic,
    check_writable,
    local,
    locked,
    locked_for_reading,
    remove,
    value_digest,
    write_json,
)
from worldforge.core.progress import Progress, Silent
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
from worldforge.world_model.bench.harvest import COLUMNS, Harvest, Source, Wanted, harvest
from worldforge.world_model.bench.predict import CONCURRENCY, Asked, Prediction, predict, predict_engine
from worldforge.world_model.bench.report import Mean, means, score_table, verdicts
from worldforge.world_model.bench.rows import PATTERN, Row, read_rows, write_lines
from worldforge.world_model.bench.transitions import HELD_OUT, by_domain

ENGINE = "engine"
"""The model that is none: the engine, whose words are the truth."""
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
    wanted: Wanted | None = None,
    progress: Progress | None = None,
) -> TransitionsSummary:
    """Write held-out transitions of finished runs (default: of all) into the folder `out`, default bench/transitions.

    The runs are in the folder `trajectories`, by default the world's own.
    Raises InputError where there is no finished run, or no transition, and where `out` holds another's lines.
    """
    folder = local(out) if out is not None else world.path / FOLDER / "transitions"
    check_writable(folder, _ELSEWHERE)
    summary, _ = _export(
        world,
        folder,
        finished_runs(world, runs, trajectories),
        wanted or Wanted(200, 0, HELD_OUT),
        progress or Silent(),
    )
    return summary


def bench_world_model(
    world: World,
    model: str,
    out: str | Path | None = None,
    *,
    runs: Sequence[str] | None = None,
    trajectories: str | Path | None = None,
    wanted: Wanted | None = None,
    n_samples: int = 1,
    judge: str | None = None,
    concurrency: int = CONCURRENCY,
    models: Mapping[str, Model] | None = None,
    progress: Progress | None = None,
) -> BenchSummary:
    """Let the model at an address, or the `engine`, predict held-out transitions `n_samples` times, and score it.

    What has been predicted or judged into `out` (default: bench/ and the model's name) is not asked for again.
    The runs are in the folder `trajectories`, by default the world's own. `models` are models opened by the caller, by
    the names that addresses give them.
    """
    progress = progress or Silent()
    address = ModelAddress.parse(model) if model != ENGINE else None
    judged_by = ModelAddress.parse(judge) if judge else None
    folder = local(out) if out is not None else world.path / FOLDER / _slug(address)
    check_writable(folder, _ELSEWHERE)
    with locked(folder / LOCK, f"another process is at work in {folder}"):
        exported, gathered = _export(
            world, folder, finished_runs(world, runs, trajectories), wanted or Wanted(200, 0, HELD_OUT), progress
        )
        rows = [one.row for one in gathered.transitions]
        predictions, judged = run_sync(
            _ask(rows, address, judged_by, folder, n_samples, concurrency, models or {}, progress)
        )
        write_lines(folder / PREDICTIONS, _lines(rows, predictions))
        progress.start("score", len(predictions))
        summary = _score(world, folder, gathered, predictions, address, exported, n_samples, progress)
        if judged_by is not None:
            _write_judged(folder / JUDGED, rows, predictions, judged)
            summary = _with_judged(summary, judged_by, judged)
        write_json(folder / RECORD, _record(world, summary))
    return summary


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
    rows, progress = read_rows(source), progress or Silent()
    predicted = [row for row in rows if row.gen is not None]
    if not predicted:
        raise InputError(f"{source}: no line has a prediction in `gen`", "predict first, with this bench or eval.py")
    target = local(out) if out is not None else (source if source.is_dir() else source.parent) / JUDGED
    address = ModelAddress.parse(judge)
    predictions = [Prediction(row.id, row.sample, row.gen or "") for row in predicted]

    async def run() -> list[judging.Judged]:
        meter = RequestMeter()
        async with ModelPool(models, meter, progress.note) as pool, reporting(meter, progress) as shown:
            with Store(target.parent / REPLIES) as store:
                shown.start("judge", len(predictions))
                asked = await _asked(pool, address)
                pairs = list(zip(predicted, predictions, strict=True))
                return await judging.judge(pairs, asked, store, concurrency=concurrency, progress=shown)

    judged = run_sync(run())
    _write_judged(target, predicted, predictions, judged)
    n_unjudged = sum(not one.grades for one in judged)
    return JudgeSummary(target, address.identity, judging.rubric_means(judged), len(judged), n_unjudged)


def _export(
    world: World, folder: Path, chosen: Sequence[RunSummary], wanted: Wanted, progress: Progress
) -> tuple[TransitionsSummary, Harvest]:
    _check(wanted)
    _check_own(folder)
    with ExitStack() as stack:
        for run in chosen:
            refusal = f"another process is at work on the run in {run.folder}"
            stack.enter_context(locked_for_reading(run.folder / LOCK, refusal))
        gathered = harvest(world, [_source(run) for run in chosen], wanted, progress)
    if not gathered.transitions:
        raise InputError(
            f"{world.path}: the runs hold no transition of the {len(gathered.tasks)} tasks held out",
            "hold out more of them with `--held-out`, or play more",
        )
    counts = {name: len(group) for name, group in by_domain(gathered.transitions)}
    summary = TransitionsSummary(
        folder=folder,
        runs=tuple(run.run for run in chosen),
        n=counts,
        n_found=gathered.n_found,
        n_tasks=len(gathered.tasks),
        n_teams=gathered.n_teams,
        n_diverged=gathered.n_diverged,
    )
    _write_transitions(world, folder, gathered, wanted, summary)
    return summary, gathered


def _source(run: RunSummary) -> Source:
    shards = (read_shard(path, COLUMNS) for path in whole_shards(run.folder, run.tally.n_episodes))
    config = run.config
    return Source(run.run, config.environment, config.controls, run.tally.n_episodes, config.n_tasks, shards)


def _write_transitions(
    world: World, folder: Path, gathered: Harvest, wanted: Wanted, summary: TransitionsSummary
) -> None:
    for path in (*folder.glob(PATTERN), *folder.glob("*_truth.jsonl")):
        remove(path)
    record = asdict(summary) | {"folder": None, "world": world.name, "world_digest": world.digest}
    record |= {"wanted": asdict(wanted), "held_out": list(gathered.tasks)}
    write_json(folder / TRANSITIONS, {key: value for key, value in record.items() if value is not None})
    for name, group in by_domain(gathered.transitions):
        write_lines(folder / f"{name}_test.jsonl", (one.row.to_json() for one in group))
        write_lines(folder / f"{name}_truth.jsonl", (one.truth.model_dump(mode="json") for one in group))


def _check(wanted: Wanted) -> None:
    if wanted.n < 1:
        raise InputError(f"`n` is {wanted.n}, and must be at least 1")
    if not 0 < wanted.share <= 1:
        raise InputError(f"the share of tasks held out is {wanted.share:g}, and must be above 0 and at most 1")


def _check_own(folder: Path) -> None:
    """Refuse a folder whose lines an export would not have written: they are about to be replaced."""
    if folder.is_file():
        raise InputError(f"{folder} is a file", "choose a folder with `-o`")
    if not (folder / TRANSITIONS).exists() and any(folder.glob(PATTERN)):
        raise InputError(f"{folder} holds transitions of another's making", "choose another folder with `-o`")


async def _ask(
    rows: Sequence[Row],
    address: ModelAddress | None,
    judged_by: ModelAddress | None,
    folder: Path,
    n_samples: int,
    concurrency: int,
    models: Mapping[str, Model],
    progress: Progress,
) -> tuple[list[Prediction], list[judging.Judged]]:
    """Have the rows predicted, and the predictions judged where somebody is to judge."""
    meter = RequestMeter()
    async with ModelPool(models, meter, progress.note) as pool, reporting(meter, progress) as shown:
        with Store(folder / REPLIES) as store:
            shown.start("predict", len(rows) * n_samples)
            if address is None:
                predictions = predict_engine(rows, n_samples)
            else:
                predictions = await predict(
                    rows,
                    await _asked(pool, address),
                    store,
                    n_samples=n_samples,
                    concurrency=concurrency,
                    progress=shown,
                )
            if judged_by is None:
                return predictions, []
            shown.start("judge", len(predictions))
            pairs = list(zip(_repeated(rows, n_samples), predictions, strict=True))
            asked = await _asked(pool, judged_by)
            return predictions, await judging.judge(pairs, asked, store, concurrency=concurrency, progress=shown)


async def _asked(pool: ModelPool, address: ModelAddress) -> Asked:
    model = await pool.get(address)
    identity = value_digest([address.identity, identity_of(model)])
    return Asked(model, identity, address.sampling, address.thinking)


def _score(
    world: World,
    folder: Path,
    gathered: Harvest,
    predictions: Sequence[Prediction],
    address: ModelAddress | None,
    exported: TransitionsSummary,
    n_samples: int,
    progress: Progress,
) -> BenchSummary:
    scores = _scores(world, gathered, predictions, progress)
    table = score_table(gathered.transitions, predictions, scores)
    with atomic(folder / SCORES) as beside:
        pq.write_table(table, beside, compression="zstd")
    return BenchSummary(
        folder=folder,
        model=address.identity if address is not None else ENGINE,
        n_transitions=len(gathered.transitions),
        n_samples=n_samples,
        scores=means(table),
        by_kind={kind: means(_of_kind(table, kind)) for kind in sorted(set(table["kind"].to_pylist()))},
        verdicts=verdicts(table),
        n_failed=sum(bool(one.error) for one in predictions),
        n_prompt_tokens=sum(one.prompt_tokens for one in predictions),
        n_completion_tokens=sum(one.completion_tokens for one in predictions),
        transitions=exported,
    )


def _scores(
    world: World, gathered: Harvest, predictions: Sequence[Prediction], progress: Progress
) -> list[exact.Scored | None]:
    """Score what was predicted; a request that failed has no score."""
    scorer = exact.Scorer(world)
    truths = {one.truth.id: one.truth for one in gathered.transitions}
    scored: dict[int, exact.Scored] = {}
    for place, prediction in enumerate(predictions):
        if not prediction.error:
            scored[place] = scorer.score(truths[int(prediction.id)], prediction.observation)
        progress.advance()
    whole = dict(zip(scored, exact.with_consistency(list(scored.values())), strict=True))
    return [whole.get(place) for place in range(len(predictions))]


def _of_kind(table: pa.Table, kind: str) -> pa.Table:
    return table.filter(pc.equal(table["kind"], kind))


def _repeated(rows: Sequence[Row], n_samples: int) -> list[Row]:
    return [row for row in rows for _ in range(n_samples)]


def _lines(rows: Sequence[Row], predictions: Sequence[Prediction]) -> list[dict[str, Any]]:
    """Write predictions as the benchmark's evaluation script does: each row with `gen`."""
    by_id = {row.id: row for row in rows}
    return [by_id[one.id].to_json() | {"gen": one.text, "sample": one.sample} for one in predictions]


def _write_judged(
    path: Path, rows: Sequence[Row], predictions: Sequence[Prediction], judged: Sequence[judging.Judged]
) -> None:
    """Write judged lines, with the keys that the benchmark's evaluation script adds up."""
    by_id = {row.id: row for row in rows}
    lines = [
        by_id[one.id].to_json() | {"gen": prediction.text, "sample": one.sample} | judging.as_keys(one)
        for one, prediction in zip(judged, predictions, strict=True)
    ]
    write_lines(path, lines)


def _with_judged(summary: BenchSummary, judged_by: ModelAddress, judged: Sequence[judging.Judged]) -> BenchSummary:
    return replace(
        summary,
        judge=judged_by.identity,
        judged=judging.rubric_means(judged),
        n_unjudged=sum(not one.grades for one in judged),
    )


def _record(world: World, summary: BenchSummary) -> dict[str, Any]:
    """Write a summary as JSON values, with what it depends on."""
    told = asdict(summary) | {"folder": None}
    told["transitions"] = {key: value for key, value in told["transitions"].items() if key != "folder"}
    versions = {"scorer": exact.VERSION, "judge": judging.VERSION}
    record = {"world": world.name, "world_digest": world.digest, **told, "versions": versions}
    return {key: value for key, value in record.items() if value is not None}


def _slug(address: ModelAddress | None) -> str:
    if address is None:
        return ENGINE
    return re.sub(r"[^a-z0-9._]+", "-", address.model_name.rpartition("/")[2].lower()).strip("-.")[:60] or "model"
