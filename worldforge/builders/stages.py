"""Define the stages of a build, in order: inputs, outputs and code of each."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from worldforge.core.files import atomic, remove, value_digest
from worldforge.core.local_pool import local_workers
from worldforge.core.progress import Progress
from worldforge.core.worker_pool import Engine
from worldforge.schema.spec import WorldSpec
from worldforge.world.world import AUDIT

if TYPE_CHECKING:
    from worldforge.builders.pages.prose.prose_requests import Writer

_LARGE = 10_000_000  # bytes of mentions, about 60,000 pages


@dataclass(frozen=True, slots=True)
class BuildJob:
    """One build: which spec, into which folder, by which workers, and which model words pages if one does."""

    spec: WorldSpec
    folder: Path
    engine: Engine
    progress: Progress
    code_from: Path | None = None
    writer: Writer | None = None

    @property
    def n_local(self) -> int:
        """How many processes of this machine work on what is not given to other machines."""
        return local_workers(self.engine)


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a build. `needs` and `writes` name files and folders below the world's folder.

    `also` gives digests of what else the outcome depends on, as it is when the stage has run.
    """

    name: str
    reads: tuple[str, ...]
    needs: tuple[str, ...]
    writes: tuple[str, ...]
    run: Callable[[BuildJob], None]
    also: Callable[[BuildJob], dict[str, str]] = lambda _job: {}

    def spec_digests(self, spec: WorldSpec) -> dict[str, str]:
        """Return the digest of each part of the spec that this stage reads."""
        parts = spec.model_dump(mode="json", include=set(self.reads))
        # as lists of pairs: the order of types, attributes and pages is part of what they say
        return {f"spec.{name}": value_digest(_ordered(parts.get(name))) for name in self.reads}


def _ordered(value: object) -> object:
    if isinstance(value, dict):
        return [[key, _ordered(item)] for key, item in value.items()]
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _populate(job: BuildJob) -> None:
    from worldforge.builders.populate.populate_stage import populate
    from worldforge.world.table_files import write_parquet

    tables = populate(job.spec, job.progress, job.code_from)
    for kind, names in (("entities", job.spec.types), ("relations", job.spec.relations)):
        with atomic(job.folder / kind) as beside:
            beside.mkdir(parents=True)
            for name in names:
                write_parquet(beside / f"{name}.parquet", [tables[name]], tables[name].schema)


def _pages(job: BuildJob) -> None:
    from worldforge.builders.pages.pages_stage import write_pages
    from worldforge.world.table_files import read_tables

    tables = read_tables(job.spec, job.folder)
    write_pages(job.spec, tables, job.folder, job.engine, job.progress, job.code_from, job.writer)


def _books(job: BuildJob) -> dict[str, str]:
    from worldforge.schema.phrasebook import book_digests

    return book_digests(job.spec)


def _books_and_dialect(job: BuildJob) -> dict[str, str]:
    """Return the digests of phrasebooks, and the dialect in which the searcher plays each task."""
    return {**_books(job), "dialect": job.spec.rollouts.dialect}


def _books_and_prose(job: BuildJob) -> dict[str, str]:
    """Return the digests of phrasebooks, and of what models have written where the spec has pages worded by one."""
    if all(kind.prose == "templates" for kind in job.spec.pages.values()):
        return _books(job)
    from worldforge.builders.pages.prose.archive import FILE, archive_digest

    return _books(job) | {FILE: archive_digest(job.folder)}


def _index(job: BuildJob) -> None:
    from worldforge.schema.web_section import authority_of
    from worldforge.search.index_writer import write_index
    from worldforge.search.rerank import RankingSettings

    spec = job.spec
    inputs = dict(spec.search)
    dense = inputs.pop("dense")
    ranking = RankingSettings.of(**inputs, as_of=spec.as_of, seed=spec.seed)
    authority = {key: authority_of(spec, key) for key in spec.pages}
    workers = job.n_local
    index = job.folder / "index"
    write_index(job.folder, index, job.progress, ranking, authority, dense, workers)


def _tasks(job: BuildJob) -> None:
    from worldforge.builders.tasks.tasks_stage import pose_tasks

    pose_tasks(job.spec, job.folder, job.n_local, job.progress, job.code_from)
    if _is_large(job.folder):
        gc.collect()  # the index is held in circles, and with it the maps of all texts, while the audit goes on


def _is_large(folder: Path) -> bool:
    return (folder / "mentions.parquet").stat().st_size > _LARGE


def _audit(job: BuildJob) -> None:
    from worldforge.builders.audit.run_audit import audit_folder, refuse_broken, write_audit

    remove(job.folder / AUDIT)
    workers = job.n_local if _is_large(job.folder) else 1  # to start others takes a second each
    findings = audit_folder(job.spec, job.folder, job.progress, workers=workers)
    refuse_broken(findings)
    write_audit(job.folder, findings)


_TABLES = ("entities", "relations")
_PAGES = ("pages.parquet", "mentions.parquet", "links.parquet", "authority.parquet", "redirects.parquet")
_TASKS = ("tasks.parquet", "set_aside.parquet", "widesearch", "site_figures.parquet")
_WORLD = ("seed", "naming", "names_part", "scale", "as_of", "types", "relations")
_WORDS = ("languages", "translations")
_WEB = ("sites", "web", "pages")
_TASKS_PARTS = ("tasks", "gates", "split")

POPULATE = Stage("populate", (*_WORLD, "constraints"), (), _TABLES, _populate)
PAGES = Stage("pages", ("name", "title", *_WORLD, *_WORDS, *_WEB), _TABLES, _PAGES, _pages, _books_and_prose)
STAGES: tuple[Stage, ...] = (
    POPULATE,
    PAGES,
    Stage(
        "index",
        ("seed", "as_of", "sites", "pages", "search"),
        ("pages.parquet", "authority.parquet", "redirects.parquet"),
        ("index",),
        _index,
    ),
    Stage(
        "tasks",
        (*_WORLD, *_WORDS, *_WEB, *_TASKS_PARTS),
        (*_TABLES, *_PAGES, "index"),
        _TASKS,
        _tasks,
        _books_and_dialect,
    ),
    Stage(
        "audit",
        (*_WORLD, *_WORDS, "constraints", *_WEB, *_TASKS_PARTS),
        (*_TABLES, *_PAGES, "index", *_TASKS),
        (),  # audit.json says something of the world and is no part of it: `worldforge audit` writes it anew
        _audit,
    ),
)
