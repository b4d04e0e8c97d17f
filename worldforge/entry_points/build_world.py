"""Build: a spec becomes a world. Reads from top to bottom as the build runs.

    build("world_schemas/quickstart.yaml", "output/quickstart")

Every stage leaves a record of what it read and wrote; a stage whose record still holds is not run again, so that a
build that was killed goes on where it stood, and an edit of the spec runs only what it touches.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldforge.builders.build_lock import build_lock, rollback_on_failure
from worldforge.builders.stage_records import (
    StageRecord,
    output_digests,
    read_record,
    remove_record,
    stale_reason,
    write_record,
)
from worldforge.builders.stages import STAGES, BuildJob, Stage
from worldforge.builders.world_manifest import counts, write_manifest
from worldforge.core.code_digest import code_digest
from worldforge.core.events import emit
from worldforge.core.files import output_path, remove, write_text
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.worker_pool import Engine
from worldforge.environments.registry import dialect_of, environment_named
from worldforge.environments.shipped import DEFAULT
from worldforge.models.embedding import check_embedder
from worldforge.observing.usage import cpu_s
from worldforge.schema.resolved_spec import write_resolved
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_loader import load_spec
from worldforge.search.embedding_archive import FILE as EMBEDDINGS
from worldforge.world.world import MANIFEST, SPEC

if TYPE_CHECKING:
    from worldforge.models.model import Model
    from worldforge.models.model_address import ModelAddress


@dataclass(frozen=True, slots=True)
class StageReport:
    """What happened to a stage: why it ran (nothing where its record still held), and for how long, in seconds.

    `cpu_s` counts worker processes too.
    """

    stage: str
    ran: bool
    reason: str
    wall_s: float = 0.0
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """A finished build: where the world is, its digest, its counts, and a report a stage.

    `warnings` are what the tables hold and the spec hardly means, such as births after the world's today.
    """

    folder: Path
    digest: str
    counts: dict[str, Any]
    stages: tuple[StageReport, ...]
    warnings: tuple[str, ...] = ()


def build(
    spec: WorldSpec | str | Path,
    out: str | Path | None = None,
    *,
    workers: int | Engine = 1,
    fresh: bool = False,
    code_from: Path | None = None,
    progress: Progress | None = None,
    model: ModelAddress | Model | str | None = None,
) -> BuildSummary:
    """Build the world of a spec into `out` (default: output/<name>) and return what was built.

    `spec` may be given loaded, or as a file, a folder with a world.yaml, or the name of a shipped spec. `workers`
    processes of this machine do the work, or those of an engine. `fresh` runs every stage; `code_from`
    is the folder that the spec's own generators may be imported from. `model`, or what is at that address, words pages
    where the spec says `prose: model`; what it has written before is kept and used again.

    Raises InputError where spec or folder cannot be used, where a model is wanting, and where a world would be built
    anew while a run of it is played; ModelUnavailableError where a model is gone, GateError where the audit finds the
    world broken.
    """
    job = _job(spec, out, workers, progress, code_from)
    if model is not None:
        from worldforge.builders.pages.prose.prose_requests import writer_of

        job = replace(job, writer=writer_of(model))
    if job.spec.rollouts.dialect:
        dialect_of(environment_named(DEFAULT), job.spec.rollouts.dialect)  # which the searcher speaks
    if job.spec.search.dense is not None and not (job.folder / EMBEDDINGS).exists():
        check_embedder(job.spec.search.dense.model)
    with build_lock(job.folder), rollback_on_failure(job.folder):
        _write_spec(job)
        reports = [_run_stage(stage, job, fresh=fresh) for stage in STAGES]
        digest = write_manifest(job.spec, job.folder)
    from worldforge.builders.audit.run_audit import read_warnings

    counted = counts(job.spec, job.folder)
    emit("world_built", folder=str(job.folder), digest=digest, counts=counted)
    return BuildSummary(job.folder, digest, counted, tuple(reports), tuple(read_warnings(job.folder)))


def plan_build(
    spec: WorldSpec | str | Path, out: str | Path | None = None, *, code_from: Path | None = None
) -> list[StageReport]:
    """Say what `build` would run, and why, without running it. A stage after one that runs may turn out unchanged."""
    job = _job(spec, out, 1, None, code_from)
    reports: list[StageReport] = []
    pending: set[str] = set()
    for stage in STAGES:
        waits = [before.name for before in STAGES if before.name in pending and {*before.writes} & {*stage.needs}]
        reason = _reason(stage, job) or (f"after {', '.join(waits)}" if waits else "")
        pending |= {stage.name} if reason else set()
        reports.append(StageReport(stage.name, bool(reason), reason))
    return reports


def _write_spec(job: BuildJob) -> None:
    """Put the resolved spec into the folder; one that differs makes the old manifest untrue, which goes first."""
    path, text = job.folder / SPEC, write_resolved(job.spec)
    if not path.exists() or path.read_bytes() != text.encode():
        _check_unplayed(job.folder)
        remove(job.folder / MANIFEST)
        write_text(path, text)


def _run_stage(stage: Stage, job: BuildJob, *, fresh: bool) -> StageReport:
    """Run a stage unless its record still holds; write its record when its outputs are whole."""
    reason = "asked for afresh" if fresh else _reason(stage, job)
    if not reason:
        emit("stage_kept", stage=stage.name)
        return StageReport(stage.name, ran=False, reason="")
    _check_unplayed(job.folder)
    remove(job.folder / MANIFEST)
    remove_record(job.folder, stage.name)
    job.progress.start(stage.name, why=reason)
    wall, cpu = time.perf_counter(), cpu_s()
    stage.run(job)
    written = output_digests(job.folder, stage.writes, job.n_local)
    write_record(job.folder, stage.name, StageRecord(_inputs(stage, job), written))
    return StageReport(stage.name, bool(reason), reason, time.perf_counter() - wall, cpu_s() - cpu)


def _check_unplayed(folder: Path) -> None:
    """Raise InputError where a run of the world in `folder` is being played, scored or exported."""
    if (folder / MANIFEST).exists():
        from worldforge.rollouts.run import check_unplayed  # of rollouts builds need nothing else

        check_unplayed(folder)


def _job(
    spec: WorldSpec | str | Path,
    out: str | Path | None,
    workers: int | Engine,
    progress: Progress | None,
    code_from: Path | None,
) -> BuildJob:
    loaded = spec if isinstance(spec, WorldSpec) else load_spec(spec, code_from=code_from)
    folder = output_path(out) if out is not None else Path("output") / loaded.name
    engine = LocalEngine(workers) if isinstance(workers, int) else workers
    return BuildJob(loaded, folder, engine, progress or Progress(), code_from)


def _reason(stage: Stage, job: BuildJob) -> str:
    record = read_record(job.folder, stage.name)
    return stale_reason(record, _inputs(stage, job), output_digests(job.folder, stage.writes, job.n_local))


def _inputs(stage: Stage, job: BuildJob) -> dict[str, str]:
    needed = output_digests(job.folder, stage.needs)
    return {**stage.spec_digests(job.spec), **needed, **stage.also(job), "code": code_digest(job.code_from)}
