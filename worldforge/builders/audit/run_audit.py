"""The audit: run every check over one world, in order. docs/audit.md says what each check demands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from worldforge.builders.audit.audit_tasks import (
    check_claims,
    check_conflicts,
    check_evidence,
    check_gold,
    check_questions,
    check_search,
    check_shortcuts,
    check_site_figures,
    check_splits,
)
from worldforge.builders.audit.check_columns import FUTURE, check_derived, check_future
from worldforge.builders.audit.check_entities import check_duplicates, check_names
from worldforge.builders.audit.check_inverse_pages import check_inverse
from worldforge.builders.audit.check_mentions import (
    check_dates,
    check_facts,
    check_relative,
    check_spans,
    check_totals,
)
from worldforge.builders.audit.check_reachability import check_reachability
from worldforge.builders.audit.check_tables import check_constraints, check_keys, check_relations
from worldforge.builders.audit.check_web import check_authority, check_countable, check_links
from worldforge.builders.audit.check_world_overlap import check_overlap
from worldforge.builders.audit.finding import Finding
from worldforge.core.errors import GateError, InputError
from worldforge.core.files import file_digest, write_json
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.worker_runtime import worker_cached
from worldforge.models.embedding import NoEmbedderError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import has_conflicting_pages
from worldforge.search.search_index import SearchIndex, open_index
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.site_figures import page_sites, with_site_figures
from worldforge.world.table_files import REDIRECTS_FILE, read_parquet, read_tables
from worldforge.world.task import Task, tasks_from_table
from worldforge.world.world import AUDIT, World

_LONG = ("pages.parquet", "mentions.parquet", "links.parquet")


class _AuditedWorld:
    """A world's files, each read when the first check asks for it; what is long, as far as it asks for it."""

    def __init__(self, given: tuple[WorldSpec, Path]) -> None:
        self.spec, folder = given
        self.world = World(folder, {})
        self.pages, self.mentions, self.links = map(self.world.stored, _LONG)

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        return read_tables(self.spec, self.world.path)

    @cached_property
    def database(self) -> duckdb.DuckDBPyConnection:
        return connect(self.tables)

    @cached_property
    def task_tables(self) -> dict[str, pa.Table]:
        """The tables with the figures of sites that tasks ask for."""
        return with_site_figures(self.tables, self.world.path)

    @cached_property
    def task_database(self) -> duckdb.DuckDBPyConnection:
        return connect(self.task_tables)

    @cached_property
    def redirects(self) -> pa.Table | None:
        return read_parquet(self.world.path / REDIRECTS_FILE) if self.spec.web.redirects else None

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.mentions, page_sites(self.world))

    @cached_property
    def index(self) -> SearchIndex:
        return open_index(self.world.path / "index")

    @cached_property
    def tasks_on_file(self) -> pa.Table:
        return read_parquet(self.world.path / "tasks.parquet")

    @cached_property
    def tasks(self) -> list[Task]:
        return tasks_from_table(self.tasks_on_file)


class _Check(NamedTuple):
    """A check: the noun of what it counts, and what runs it."""

    counted: str
    run: Callable[[_AuditedWorld], Finding]


_CHECKS = {
    "keys": _Check("rows", lambda a: check_keys(a.spec, a.tables, a.database)),
    "constraints": _Check("rows, by rule: none breaks one", lambda a: check_constraints(a.spec, a.tables, a.database)),
    "derived": _Check("cells", lambda a: check_derived(a.spec, a.tables, a.database)),
    "relations": _Check("rows of pairs and series", lambda a: check_relations(a.spec, a.tables, a.database)),
    "spans": _Check("mentions", lambda a: check_spans(a.pages, a.mentions)),
    "facts": _Check("mentions", lambda a: check_facts(a.spec, a.tables, a.pages, a.mentions)),
    "relative": _Check("statements relative to others", lambda a: check_relative(a.tables, a.mentions)),
    "totals": _Check("totals in tables", lambda a: check_totals(a.tables, a.mentions)),
    "dates": _Check("statements of what has a day", lambda a: check_dates(a.spec, a.tables, a.pages, a.mentions)),
    FUTURE: _Check(
        "years and days: after today where they tell of the past",
        lambda a: check_future(a.spec, a.tables, a.database),
    ),
    "conflicts": _Check(
        "facts stated in more than one way",
        lambda a: check_conflicts(a.spec, a.tables, a.pages, a.mentions, a.tasks),
    ),
    "links": _Check("links and pages", lambda a: check_links(a.pages, a.links, a.redirects)),
    "addresses": _Check(
        "addresses: none is found by counting", lambda a: check_countable(a.spec, a.pages, a.redirects)
    ),
    "authority": _Check("pages", lambda a: check_authority(a.pages, a.links, a.world.authority)),
    "site figures": _Check("figures that sites give", lambda a: check_site_figures(a.spec, a.tables, a.world)),
    "gold": _Check("tasks", lambda a: check_gold(a.spec, a.task_tables, a.task_database, a.tasks)),
    "evidence": _Check("facts behind tasks", lambda a: check_evidence(a.tasks, a.evidence)),
    "shortcuts": _Check("facts of gold tables", lambda a: check_shortcuts(a.spec, a.evidence, a.tasks)),
    "splits": _Check("entities behind tasks", lambda a: check_splits(a.spec, a.tasks)),
    "search": _Check("pages, a sample", lambda a: check_search(a.pages, a.index, a.redirects)),
}
"""The checks of a build."""
_MORE = {
    "names": _Check("names and aliases", lambda a: check_names(a.spec, a.tables)),
    "questions": _Check("tasks: none asks what another does", lambda a: check_questions(a.tasks)),
    "duplicates": _Check(
        "entities and rows: none is there twice", lambda a: check_duplicates(a.spec, a.tables, a.database)
    ),
    "reachability": _Check(
        "pages behind a sample of tasks",
        lambda a: check_reachability(a.pages, a.links, a.tasks, a.evidence, a.index),
    ),
    "inverse": _Check(
        "statements from two ends, a sample", lambda a: check_inverse(a.spec, a.tables, a.pages, a.mentions)
    ),
    "claims": _Check(
        "figures that tasks give of themselves",
        lambda a: check_claims(a.spec, a.task_database, a.evidence, a.tasks_on_file, a.tasks),
    ),
}
"""The checks that `worldforge audit` makes beside them."""

LOOKED_AT = {
    "files": "files",
    **{name: check.counted for name, check in (_CHECKS | _MORE).items()},
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
    shown = progress or Progress()
    shown.start("audit", len(checks))
    findings: list[Finding] = []
    with LocalEngine(workers).pool((spec, folder), n_workers=len(checks)) as pool:
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
    files.seconds = time.perf_counter() - began
    findings = [files, *audit_folder(world.spec, world.path, progress, more=True, workers=workers)]
    for label, other in (against or {}).items():
        findings += check_overlap(world, other, label)
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


def _run(name: str) -> Finding:
    """Run a check, in a worker that was given a world."""
    began = time.perf_counter()
    try:
        finding = (_CHECKS | _MORE)[name].run(worker_cached(_AuditedWorld))
    except NoEmbedderError:
        raise
    except (InputError, pa.ArrowException, duckdb.Error, LookupError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        finding = Finding(name)
        finding.fail([f"cannot be checked, the files are damaged: {reason}"])
    finding.seconds = time.perf_counter() - began
    return finding


def _check_files(folder: Path, listed: Mapping[str, Mapping[str, Any]]) -> Finding:
    finding = Finding("files")
    finding.n_checked += len(listed)
    for name, entry in listed.items():
        path = folder / name
        if not path.is_file():
            finding.fail([f"{name} is missing"])
        elif file_digest(path) != entry["sha256"]:
            finding.fail([f"{name} is not as it was written"])
    return finding
