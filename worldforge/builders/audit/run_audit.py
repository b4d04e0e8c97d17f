"""The audit: every check over one world, in order.

check         what must hold
files         every file has the digest that world.json gives it, and none is missing
keys          ids count from 0, names and aliases tell entities apart unless the spec asks otherwise, references and
              relation rows lead somewhere
constraints   every constraint of the spec holds in every row, and between rows
derived       every derived column holds what is computed from the tables on file
relations     in pairs all meet as often as they should, in series positions count on and `previous` is the one before
spans         text[start:end] is the value as written, for every mention
facts         what a page writes reads back as the cell of the table that it states, or as another where it is not so
dates         no page states what came after its own day
conflicts     the world's rule settles every fact of a task that pages disagree on
links         every address is there once, every link leads from a page to a page, or nowhere where its page is gone
addresses     no page's address is found by counting
authority     the authority of every page is what the links on file give it
gold          SQL and the walk over the graph give the gold table that is on file
future        years and days after the world's today, or far beyond it, are counted: no failure
evidence      every fact of a gold table is stated by a page
shortcuts     no page states more of a gold table than the task says, and than the spec allows
splits        no entity is behind tasks for training and for evaluation
search        the index gives each page's own text under its address, and under one that it has left

`worldforge audit` looks at more, and writes all of it to audit.json:

names         no entity bears a name of the shipped list of real ones
questions     no two tasks ask the same
duplicates    no two entities or relation rows are the same
reachability  searches and links lead to every page behind a sample of tasks
inverse       what pages state of a relation or a reference agrees from both of its ends
claims        what tasks say of their size, pages, near misses and guesses is what is counted anew
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from worldforge.builders.audit.check_authority import check_authority
from worldforge.builders.audit.check_conflicts import check_conflicts
from worldforge.builders.audit.check_countable_urls import check_countable
from worldforge.builders.audit.check_derived_columns import check_derived
from worldforge.builders.audit.check_duplicates import check_duplicates, check_questions
from worldforge.builders.audit.check_future_dates import CHECK as FUTURE
from worldforge.builders.audit.check_future_dates import check_future
from worldforge.builders.audit.check_inverse_pages import check_inverse
from worldforge.builders.audit.check_pages import check_facts, check_links
from worldforge.builders.audit.check_publication_dates import check_dates
from worldforge.builders.audit.check_reachability import check_reachability
from worldforge.builders.audit.check_real_names import check_names
from worldforge.builders.audit.check_relations import check_relations
from worldforge.builders.audit.check_shortcuts import check_shortcuts, check_splits
from worldforge.builders.audit.check_spans import check_spans
from worldforge.builders.audit.check_tables import check_constraints, check_keys
from worldforge.builders.audit.check_task_columns import check_claims
from worldforge.builders.audit.check_tasks import check_evidence, check_gold, check_search
from worldforge.builders.audit.check_world_overlap import check_overlap
from worldforge.builders.audit.finding import CheckCounter, Finding
from worldforge.core.errors import GateError, InputError
from worldforge.core.files import file_digest, write_json
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress, Silent
from worldforge.core.worker_runtime import worker_cached
from worldforge.models.embedding import NoEmbedderError
from worldforge.schema.site_authority import has_conflicting_pages
from worldforge.schema.spec import WorldSpec
from worldforge.search.search_index import open_index
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import ParquetReader
from worldforge.world.table_files import AUTHORITY_FILE, REDIRECTS_FILE, read_parquet, read_tables
from worldforge.world.task import Task, tasks_from_table
from worldforge.world.world import AUDIT, World


class AuditedWorld:
    """A world's files, each read when the first check asks for it; what is long, as far as it asks for it."""

    def __init__(self, spec: WorldSpec, folder: Path) -> None:
        self.spec, self.folder = spec, folder

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """Entities and relations, by name."""
        return read_tables(self.spec, self.folder)

    @cached_property
    def database(self) -> duckdb.DuckDBPyConnection:
        """A database over them: to open one takes as long as many of the queries that it is asked."""
        return connect(self.tables)

    @cached_property
    def pages(self) -> ParquetReader:
        """All pages."""
        return ParquetReader(self.folder / "pages.parquet")

    @cached_property
    def mentions(self) -> ParquetReader:
        """All mentions."""
        return ParquetReader(self.folder / "mentions.parquet")

    @cached_property
    def links(self) -> ParquetReader:
        """All links."""
        return ParquetReader(self.folder / "links.parquet")

    @cached_property
    def authority(self) -> pa.Table:
        """The authority of every page."""
        return read_parquet(self.folder / AUTHORITY_FILE)

    @cached_property
    def redirects(self) -> pa.Table | None:
        """The addresses that pages have left; None where the spec asks for none."""
        return read_parquet(self.folder / REDIRECTS_FILE) if self.spec.web.redirects else None

    @cached_property
    def tasks(self) -> list[Task]:
        """All tasks that were kept."""
        return tasks_from_table(self.tasks_on_file)

    @cached_property
    def tasks_on_file(self) -> pa.Table:
        """The table of tasks."""
        return read_parquet(self.folder / "tasks.parquet")


_CHECKS: dict[str, Callable[[AuditedWorld], Finding]] = {
    "keys": lambda a: check_keys(a.spec, a.tables),
    "constraints": lambda a: check_constraints(a.spec, a.tables, a.database),
    "derived": lambda a: check_derived(a.spec, a.tables, a.database),
    "relations": lambda a: check_relations(a.spec, a.tables, a.database),
    "spans": lambda a: check_spans(a.pages, a.mentions),
    "facts": lambda a: check_facts(a.spec, a.tables, a.pages, a.mentions),
    "dates": lambda a: check_dates(a.spec, a.tables, a.pages, a.mentions),
    "future": lambda a: check_future(a.spec, a.tables),
    "conflicts": lambda a: check_conflicts(a.spec, a.tables, a.pages, a.mentions, a.tasks),
    "links": lambda a: check_links(a.pages, a.links, a.redirects),
    "addresses": lambda a: check_countable(a.spec, a.pages, a.redirects),
    "authority": lambda a: check_authority(a.pages, a.links, a.authority),
    "gold": lambda a: check_gold(a.spec, a.tables, a.database, a.tasks),
    "evidence": lambda a: check_evidence(a.tasks, Evidence(a.mentions)),
    "shortcuts": lambda a: check_shortcuts(a.spec, a.mentions, a.tasks),
    "splits": lambda a: check_splits(a.spec, a.tasks),
    "search": lambda a: check_search(a.pages, open_index(a.folder / "index"), a.redirects),
}

_MORE: dict[str, Callable[[AuditedWorld], Finding]] = {
    "names": lambda a: check_names(a.spec, a.tables),
    "questions": lambda a: check_questions(a.tasks),
    "duplicates": lambda a: check_duplicates(a.spec, a.tables, a.database),
    "reachability": lambda a: check_reachability(
        a.pages,
        a.links,
        a.tasks,
        Evidence(a.mentions),
        open_index(a.folder / "index"),
    ),
    "inverse": lambda a: check_inverse(a.spec, a.tables, a.pages, a.mentions),
    "claims": lambda a: check_claims(a.spec, a.tables, a.database, a.mentions, a.tasks_on_file, a.tasks),
}

LOOKED_AT = {
    "files": "files",
    "keys": "rows",
    "constraints": "rows, by rule: none breaks one",
    "derived": "cells",
    "relations": "rows of pairs and series",
    "spans": "mentions",
    "facts": "mentions",
    "dates": "statements of what has a day",
    "future": "years and days: after today where they tell of the past",
    "conflicts": "facts stated in more than one way",
    "links": "links and pages",
    "addresses": "addresses: none is found by counting",
    "authority": "pages",
    "gold": "tasks",
    "evidence": "facts behind tasks",
    "shortcuts": "facts of gold tables",
    "splits": "entities behind tasks",
    "search": "pages, a sample",
    "names": "names and aliases",
    "questions": "tasks: none asks what another does",
    "duplicates": "entities and rows: none is there twice",
    "reachability": "pages behind a sample of tasks",
    "inverse": "statements from two ends, a sample",
    "claims": "figures that tasks give of themselves",
    "shared names": "names and aliases, of both worlds",
    "shared pages": "pages, of both worlds",
    "shared questions": "questions, of both worlds",
    "shared queries": "queries, of both worlds",
    "shared gold": "gold tables, of both worlds",
}
"""What a check counts."""


def _checks_of(spec: WorldSpec) -> list[str]:
    """Return the checks that have something to look at: pairs or series, a split, pages that disagree."""
    asks = {
        "relations": any(relation.pairs or relation.series for relation in spec.relations.values()),
        "conflicts": has_conflicting_pages(spec),
        "splits": spec.split is not None,
    }
    return [name for name in _CHECKS if asks.get(name, True)]


def audit_folder(
    spec: WorldSpec, folder: Path, progress: Progress | None = None, *, more: bool = False, workers: int = 1
) -> list[Finding]:
    """Run every check of a build over the files in `folder`, with `more` those of `worldforge audit` too.

    `workers` processes take checks in turn; each reads what its checks need. A check that cannot read its files has
    failed, and says so.
    """
    checks = [*_checks_of(spec), *(_MORE if more else ())]
    shown = progress or Silent()
    shown.start("audit", len(checks))
    findings: list[Finding] = []
    with LocalEngine(workers).pool(_AuditInput(spec, folder), n_workers=len(checks)) as pool:
        shown.note(checks[0])
        for finding in pool.map_ordered(_run, checks):
            findings.append(finding)
            shown.advance()
            if len(findings) < len(checks):
                shown.note(checks[len(findings)])
    return findings


def audit_world(
    world: World, progress: Progress | None = None, against: Mapping[str, World] | None = None, workers: int = 1
) -> list[Finding]:
    """Audit a finished world: its files against world.json, then every check, then what it shares with others.

    `against` are those others, by what they are called.
    """
    began = time.perf_counter()
    files = _check_files(world.path, world.manifest["files"])
    files = replace(files, seconds=time.perf_counter() - began)
    findings = [files, *audit_folder(world.spec, world.path, progress, more=True, workers=workers)]
    for said, other in (against or {}).items():
        findings += check_overlap(world, other, said)
    return findings


def refuse_broken(findings: Sequence[Finding]) -> None:
    """Raise GateError, naming what broke, where a check did not hold."""
    broken = [finding for finding in findings if finding.n_failed]
    if broken:
        lines = [f"{f.check}: {f.n_failed} of {f.n_checked} failed: {f.failures[0]}" for f in broken]
        raise GateError(
            "the world contradicts itself\n" + "\n".join(lines),
            "this is a defect of a generator or of the code",
        )


def write_audit(folder: Path, findings: Sequence[Finding]) -> None:
    """Write what was found to audit.json, whether it held or not."""
    write_json(folder / AUDIT, {"checks": [finding.lasting() for finding in findings]})


def read_warnings(folder: Path) -> list[str]:
    """Read from audit.json what a build should warn of: years and days that lie in no past."""
    checks = json.loads((folder / AUDIT).read_text(encoding="utf-8"))["checks"]
    return [line for check in checks if check["check"] == FUTURE for line in check.get("note", "").splitlines()]


@dataclass(frozen=True, slots=True)
class _AuditInput:
    """What a worker begins with."""

    spec: WorldSpec
    folder: Path


def _audited(given: _AuditInput) -> AuditedWorld:
    return AuditedWorld(given.spec, given.folder)


def _run(name: str) -> Finding:
    """Run a check, in a worker that was given a world."""
    began = time.perf_counter()
    try:
        finding = (_CHECKS | _MORE)[name](worker_cached(_audited))
    except NoEmbedderError:
        raise
    except (InputError, pa.ArrowException, duckdb.Error, LookupError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        finding = Finding(name, 0, 1, (f"cannot be checked, the files are damaged: {reason}",))
    return replace(finding, seconds=time.perf_counter() - began)


def _check_files(folder: Path, listed: Mapping[str, Mapping[str, Any]]) -> Finding:
    tally = CheckCounter("files")
    tally.checked(len(listed))
    for name, entry in listed.items():
        path = folder / name
        if not path.is_file():
            tally.failed([f"{name} is missing"])
        elif file_digest(path) != entry["sha256"]:
            tally.failed([f"{name} is not as it was written"])
    return tally.finding()
