"""Checks on tasks: gold, evidence, what pages disagree on, what tasks say of themselves, repeats, splits."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

import duckdb
import pyarrow as pa

from worldforge.builders.audit.finding import Finding, even_sample
from worldforge.builders.stated_values import conflicts_of
from worldforge.builders.tasks.derive_site_figures import derive_site_figures
from worldforge.builders.tasks.gold_sql import gold_query, run_gold_query
from worldforge.builders.tasks.gold_walk import walker_of
from worldforge.builders.tasks.guesses import Shortcuts, page_share
from worldforge.builders.tasks.question_languages import gold_in_words
from worldforge.builders.tasks.repeated_tasks import SAME_WORDS, answer_identity, entities
from worldforge.builders.tasks.splits import EVALUATION, TRAIN, named_entities
from worldforge.builders.text_similarity import SimilarTexts
from worldforge.schema.spec import WorldSpec
from worldforge.search.search_index import SearchIndex
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import Table, cell_reader
from worldforge.world.site_figures import SITE_FIGURES_FILE
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import read_parquet
from worldforge.world.task import Task, TaskColumn, task_to_row
from worldforge.world.task_terms import Terms
from worldforge.world.world import World

Connection = duckdb.DuckDBPyConnection

_MOST_WORDINGS = 5_000
_MOST_ADDRESSES = 500  # looked up in the index
_EXACT = 2e-6  # what is on file has six digits
_FIGURES = ("n_rows", "n_columns", "n_cells", "n_conditions", "best_page_share", "distractor_ratio", "guess_f1")


def check_gold(
    spec: WorldSpec, tables: Mapping[str, pa.Table], connection: Connection, tasks: Sequence[Task]
) -> Finding:
    """Check that SQL and the walk over the graph both give the gold table that is on file."""
    finding = Finding("gold")
    finding.n_checked += len(tasks)
    walker = walker_of(spec, tables)
    for task in tasks:
        by_query = run_gold_query(connection, task.query)
        by_walk = walker.gold(task.about, task.conditions, task.columns, task.shape)
        for how, found in (("SQL", by_query), ("the walk over the graph", by_walk)):
            if gold_in_words(spec, task, found.rows) != task.gold:
                finding.fail(
                    [f"{task.id}: {how} gives {len(found.rows)} rows that differ from the {len(task.gold)} on file"]
                )
    return finding


def check_site_figures(spec: WorldSpec, tables: Mapping[str, pa.Table], world: World) -> Finding:
    """Check that the figures of sites on file are those that their pages state, where tasks ask for such figures."""
    finding, path = Finding("site figures"), world.path / SITE_FIGURES_FILE
    if path.exists():
        written = [tuple(row.values()) for row in read_parquet(path).to_pylist()]
        finding.n_checked += len(written)
        stated = [tuple(row.values()) for row in derive_site_figures(spec, tables, world).to_pylist()]
        for id_, column, site, value in sorted({*written} - {*stated}):
            finding.fail([f"{id_}#{column}: pages of {site} do not say {value:g}"])
        for id_, column, site, value in sorted({*stated} - {*written}):
            finding.fail([f"{id_}#{column}: pages of {site} say {value:g}, which is not on file"])
    return finding


def check_evidence(tasks: Sequence[Task], evidence: Evidence) -> Finding:
    """Check that every fact of a gold table, and every fact behind its conditions, is stated by a page."""
    finding = Finding("evidence")
    for task in tasks:
        facts = task.needed_facts
        finding.n_checked += len(facts)
        finding.fail(f"{task.id}: no page states {fact}" for fact in facts if len(evidence.of(fact)) == 0)
    return finding


def check_conflicts(
    spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table, tasks: Sequence[Task]
) -> Finding:
    """Check that the world's rule settles every fact of a task that pages disagree on, and tasks count them rightly.

    The number checked is that of all facts of the world that pages disagree on.
    """
    finding = Finding("conflicts")
    conflicts = conflicts_of(spec, tables, pages, mentions)
    finding.n_checked += len(conflicts.contested)
    for task in tasks:
        n_conflicts = task.measures.n_conflicts
        own = conflicts.contested.intersection(task.needed_facts)
        doubtful = sorted(own & conflicts.unsettled)
        finding.fail(f"{task.id}: pages disagree on {fact}, and nothing settles it" for fact in doubtful)
        if len(own) != n_conflicts:
            finding.fail([f"{task.id}: pages disagree on {len(own)} of its facts, and it says {n_conflicts}"])
    return finding


def check_shortcuts(spec: WorldSpec, evidence: Evidence, tasks: Sequence[Task]) -> Finding:
    """Check that no page states more of a gold table than the task says and the spec allows, and no guess goes too far.

    The number checked is that of the facts of all gold tables.
    """
    finding = Finding("shortcuts")
    for task in tasks:
        measures = task.measures
        share = page_share(evidence, task.answer_facts)
        finding.n_checked += len(task.answer_facts)
        if abs(share - measures.gold_page_share) > _EXACT:
            finding.fail(
                [f"{task.id}: one page states {share:.6f} of its gold, and it says {measures.gold_page_share}"]
            )
        if share > spec.gates.page_share + _EXACT:
            finding.fail([f"{task.id}: one page states {share:.2f} of its gold; {spec.gates.page_share} is allowed"])
        if measures.guess_f1 > spec.gates.guess:
            finding.fail([f"{task.id}: a guess reaches item F1 {measures.guess_f1}; {spec.gates.guess} is allowed"])
    return finding


def check_splits(spec: WorldSpec, tasks: Sequence[Task]) -> Finding:
    """Check that no entity that tasks are about, or name, is behind tasks of both sides; entities are counted."""
    finding = Finding("splits")
    finding.fail(f"{task.id}: it is on no side of the split" for task in tasks if task.side not in (TRAIN, EVALUATION))
    sides: dict[str, set[str]] = {}
    for task in tasks:
        for entity in entities(task) | set(named_entities(task.conditions)):
            if entity.partition("/")[0] in spec.types:
                sides.setdefault(entity, set()).add(task.side)
    finding.n_checked += len(sides)
    both = sorted(entity for entity, own in sides.items() if len(own) > 1)
    finding.fail(f"{entity} is behind tasks for training and for evaluation" for entity in both)
    return finding


def check_search(pages: Table, index: SearchIndex, redirects: pa.Table | None = None) -> Finding:
    """Check that the index gives a page's own text under its address, and under one that it has left: a sample."""
    finding = Finding("search")
    text_of, url_of = cell_reader(pages, "text"), cell_reader(pages, "url")
    known = [(page, url_of(page)) for page in even_sample(pages.num_rows, _MOST_ADDRESSES)]
    if redirects is not None:
        left = redirects.take(pa.array(even_sample(redirects.num_rows, _MOST_ADDRESSES), pa.int64()))
        known += sorted(zip(rows_of(left["target"]).tolist(), left["url"].to_pylist(), strict=True))
    finding.n_checked += len(known)
    for page, url in known:
        found = index.page(url)
        if found is None or found.text != text_of(page):
            problem = "lacks" if found is None else "has another text under"
            finding.fail([f"page/{page:06d}: the index {problem} {url}"])
    return finding


def check_questions(tasks: Sequence[Task]) -> Finding:
    """Check that no two tasks ask the same: by query, by rows and columns, by words."""
    finding = Finding("questions")
    finding.n_checked += len(tasks)
    finding.fail(_repeats(tasks, lambda task: task.query, "have the same query"))
    finding.fail(_repeats(tasks, answer_identity, "ask for the same columns of the same rows"))
    finding.fail(_alike([tasks[row] for row in even_sample(len(tasks), _MOST_WORDINGS)]))
    return finding


def _repeats(tasks: Iterable[Task], key: Callable[[Task], Hashable], problem: str) -> Iterator[str]:
    first: dict[Hashable, str] = {}
    for task in tasks:
        before = first.setdefault(key(task), task.id)
        if before != task.id:
            yield f"{before} and {task.id} {problem}"


def _alike(tasks: Sequence[Task]) -> Iterator[str]:
    """Name the pairs of questions whose words are nearly the same."""
    wordings = SimilarTexts(SAME_WORDS)
    for task in tasks:
        question = task.wording.partition("\n")[0]
        for number, share in wordings.nearest(question):
            yield f"{tasks[number].id} and {task.id} ask in the same words (similarity {share:.2f})"
        wordings.add(question)


def check_claims(
    spec: WorldSpec, connection: Connection, evidence: Evidence, written: pa.Table, tasks: Sequence[Task]
) -> Finding:
    """Check that every figure that a task gives of itself is what is counted anew; figures are counted.

    `written` is tasks.parquet, `tasks` what it reads as. What oracle and searcher needed
    (`oracle_…`, `searcher_…`) is not played again.
    """
    finding, shortcuts = Finding("claims"), Shortcuts(spec, connection, evidence)
    for row, task in zip(written.to_pylist(), tasks, strict=True):
        again = shortcuts.measured(task).measured(
            best_page_share=page_share(evidence, task.needed_facts),
            distractor_ratio=_distractor_ratio(spec, connection, task),
        )
        found = task_to_row(again)
        finding.n_checked += len(_FIGURES)
        wrong = [name for name in _FIGURES if abs(row[name] - found[name]) > _EXACT]
        finding.fail(f"{task.id}: `{name}` is {found[name]:.6g}, and it says {row[name]:.6g}" for name in wrong)
        if not spec.gates.single_clue:
            finding.n_checked += 1
            if shortcuts.one_clue_is_enough(task):
                finding.fail([f"{task.id}: one of its conditions selects the answer alone"])
    return finding


def _distractor_ratio(spec: WorldSpec, connection: Connection, task: Task) -> float:
    """Return how many entities meet all terms but exactly one, for each that meets all, by leaving out each in turn."""

    def n_meeting(terms: Terms) -> int:
        query = gold_query(spec, task.about, terms, (TaskColumn("name", "name", "text"),))
        (n,) = connection.execute(f"SELECT count(*) FROM ({query})").fetchall()[0]
        return int(n)

    n_met, terms = n_meeting(task.conditions), task.conditions
    near = sum(n_meeting(terms[:place] + terms[place + 1 :]) - n_met for place in range(len(terms)))
    return near / max(1, n_met)
