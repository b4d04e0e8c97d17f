"""The gates that a task must pass. Each returns a reason for refusing it, or an empty text.

gold          SQL and the walk over the graph return the same table, of the size asked for, with no empty cell
ambiguous     who the question names, and which row is whose, can be told by name
scorer        gold scores 1 under both scorers, the empty answer 0
stated        every gold cell, and every condition on its rows, is stated by a page
settled       where pages disagree on a fact of gold or behind a condition, the world's rule gives the truth
wording       the question contains no cell of the answer and no alias of one, and reads back as what it was to ask
constant      no column has the same value in every row, and a condition that says it
vacuous       no condition, alternative or exception could be left out without a change
page_share    as far as the spec asks so (guesses.py): no page states too much of the gold,
guess         no guess without any page comes too near to it,
single_clue   and no one condition of several selects the answer alone
oracle        an agent that acts only through the tools of the default environment reaches item F1 1
searchable    so does, as far as the spec asks, the searcher, which knows only what it has seen (searcher_proof.py)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pyarrow as pa

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.builders.stated_values import conflicts_of
from worldforge.builders.tasks.gold_sql import counts_query, run_gold_query
from worldforge.builders.tasks.gold_walk import walker_of
from worldforge.builders.tasks.guesses import Shortcuts, page_share
from worldforge.builders.tasks.question_languages import gold_in_words
from worldforge.builders.tasks.searcher_proof import SearcherProof
from worldforge.builders.tasks.task_family import Family, load_family, relations_for_tasks
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.core.imports import load
from worldforge.core.run_async import run_sync
from worldforge.environments.answer_rows import answer_table
from worldforge.environments.call_budget import oracle_steps
from worldforge.environments.registry import dialect_of, environment_named
from worldforge.environments.shipped import DEFAULT
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import has_conflicting_pages
from worldforge.scoring.alias_judge import gold_called
from worldforge.scoring.cell_text import same_text
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.computed_cells import measure_of
from worldforge.world.conflict_resolution import Conflicts
from worldforge.world.entity_names import OtherNames, other_names, shared_names
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import Table
from worldforge.world.question_labels import Vocabulary
from worldforge.world.task import Task
from worldforge.world.task_terms import GivenEntities, Term, leaves
from worldforge.world.world import World

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = r"[^\W\u3400-\u9fff]"  # a letter or a figure, but no Chinese character
_ID = re.compile(r"[a-z][a-z0-9_]*/\d+")
_READ = "questions.read"


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """A task after the gates, and the reason if it was set aside."""

    task: Task
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Stated:
    """The mentions of all pages, which the oracle plans by."""

    mentions: Table
    evidence: Evidence
    tasks: Sequence[Task] = ()


class GateChecks:
    """All gates over the world in `folder`; `connection` holds the tables that tasks may ask about."""

    def __init__(
        self,
        spec: WorldSpec,
        folder: Path,
        tables: Mapping[str, pa.Table],
        connection: duckdb.DuckDBPyConnection,
        evidence: Evidence,
        code_from: Path | None = None,
    ) -> None:
        self._spec, self._connection, self._evidence = spec, connection, evidence
        self.walker = walker_of(spec, tables)
        self._words = vocabularies(spec, tables, (*spec.types, *relations_for_tasks(spec)), code_from)
        self._families = {one.family: load_family(one.family, code_from) for one in spec.tasks.values()}
        self._shortcuts = Shortcuts(spec, connection, evidence)
        self._shared = {name: shared_names(tables[name]) for name, kind in spec.types.items() if kind.name.namesakes}
        self._other_names = other_names(spec, (tables[name] for name in spec.types))
        world, environment = World(folder, {}), environment_named(DEFAULT)
        pages, mentions = world.stored("pages.parquet"), world.stored("mentions.parquet")
        self._conflicts = Conflicts(frozenset(), frozenset())
        if has_conflicting_pages(spec):
            self._conflicts = conflicts_of(spec, tables, pages, mentions)
        self._environment = environment(world)
        self._planner = environment.planners["oracle"](environment, "")
        source, gate = _Stated(mentions, evidence), spec.gates.searcher
        self._plan = self._planner.prepare(world, source, self._environment.dialect)
        usual = environment(world, dialect_of(environment, spec.rollouts.dialect))
        self._searcher = SearcherProof(world, usual, source, gate) if gate.max_steps else None

    def judge(self, task: Task) -> GateVerdict:
        """Derive a task's gold and run every gate over it."""
        found = run_gold_query(self._connection, task.query)
        ids = tuple(row[0].partition("#")[0] for row in task.facts)
        if found.ids != ids:
            return GateVerdict(task, f"gold: the query returns {len(found.ids)} rows where {len(ids)} were drawn")
        if self.walker.gold(task.about, task.conditions, task.columns, task.shape) != found:
            return GateVerdict(task, "gold: SQL and the walk over the graph differ")
        if any(cell is None for row in found.rows for cell in row):
            return GateVerdict(task, "gold: a cell is empty")
        rows = gold_in_words(self._spec, task, found.rows)
        task = replace(task, gold=tuple(tuple(str(cell) for cell in row) for row in rows))
        misread = wording_reason(task, self._other_names) or reading_reason(
            task, self._words, self._families[task.family]
        )
        reason = self._ambiguity(task) or misread or _scorer_reason(task)
        if not reason:
            task = self._shortcuts.measured(task)
            reason = self._shortcuts.reason(task)
        return GateVerdict(task, reason) if reason else self._prove(task)

    def _ambiguity(self, task: Task) -> str:
        """Return why names make a task ambiguous; empty if they do not."""
        for type_name, name in _named(task.conditions):
            if name in self._shared.get(type_name, ()):
                return f"ambiguous: more than one {type_name} is called `{name}`"
        keys = [task.labels.index(label) for label in task.keys]
        rows = Counter(tuple(same_text(row[key]) for key in keys) for row in task.gold)
        if len(rows) < len(task.gold):
            return f"ambiguous: {len(task.gold)} rows of the answer have {len(rows)} different keys"
        return ""

    def _prove(self, task: Task) -> GateVerdict:
        """Let the oracle solve a task, and measure what it takes."""
        facts = task.needed_facts
        for fact in facts:
            if not len(self._evidence.of(fact)):
                return GateVerdict(task, f"stated: no page states {fact}")
        if doubtful := sorted(self._conflicts.unsettled.intersection(facts)):
            return GateVerdict(task, f"settled: pages disagree on {doubtful[0]}, and nothing settles it")
        oracle, limits = PlannedAgent(self._plan(task, 0)), EpisodeLimits(oracle_steps(task))
        episode = run_sync(run_episode(oracle, self._environment.session(task), limits))
        score = score_strict(episode.answer, gold_called(task, self._other_names))
        if not score.success:
            why = "out of steps" if episode.ending == "step_limit" else f"item F1 {score.item_f1:.3f}"
            return GateVerdict(task, f"oracle: {why} with {self._planner.n_pages(task)} pages to read")
        counts = self._connection.execute(counts_query(self._spec, task.about, task.conditions)).fetchall()
        n_met, n_near = counts[0]
        measured = task.measured(
            n_conflicts=len(self._conflicts.contested.intersection(facts)),
            oracle_pages=self._planner.n_pages(task),
            oracle_calls=episode.n_tool_calls,
            best_page_share=page_share(self._evidence, facts),
            distractor_ratio=round(n_near / max(1, n_met), 6),
        )
        if self._searcher is None:
            return GateVerdict(measured)
        measured = self._searcher.measured(measured, gold_called(measured, self._other_names))
        return GateVerdict(measured, self._searcher.reason(measured))


def _named(terms: Sequence[Term]) -> Iterator[tuple[str, str]]:
    """Yield type and name of each entity that a question names; described entities are left out.

    Values that are no names are there with no type.
    """
    for condition in leaves(terms):
        yield condition.value.partition("/")[0] if _ID.fullmatch(condition.value) else "", condition.written
    for term in terms:
        if isinstance(term, GivenEntities):
            yield from ((id_.partition("/")[0], name) for id_, name in zip(term.ids, term.names, strict=True))


def _scorer_reason(task: Task) -> str:
    gold = gold_of(task)
    perfect, empty = answer_table(task.labels, task.gold), answer_table(task.labels, ())
    for name, score in (("strict", score_strict), ("compatible", score_compatible)):
        full, none = score(perfect, gold), score(empty, gold)
        if full.item_f1 != 1 or not full.success:
            return f"scorer: gold scores {full.item_f1:.3f} under the {name} scorer ({full.reason})"
        if none.item_f1 != 0:
            return f"scorer: the empty answer scores {none.item_f1:.3f} under the {name} scorer"
    return ""


def gives_away(question: str, cell: str) -> bool:
    """Return whether a question contains a cell: as a whole word, or for two or more Chinese characters anywhere."""
    if cell not in question:
        return False  # nearly always so, and no pattern needs to be compiled to tell
    if _HAN.search(cell):
        return len(cell) > 1
    return _whole_word(cell).search(question) is not None


def _whole_word(text: str) -> re.Pattern[str]:
    """Compile a pattern of a text as a whole word; for Chinese characters, anywhere."""
    if _HAN.search(text):
        return re.compile(re.escape(text))
    return re.compile(rf"(?<!{_WORD})(?<![,.]){re.escape(text)}(?!{_WORD}|[,.]\d)")


def _is_summary(path: str) -> bool:
    measure = measure_of(path)
    return measure is not None and measure.name not in ("min", "max")


def wording_reason(task: Task, other_names: OtherNames) -> str:
    """Return a reason if the question contains a cell of the answer, or an alias of an entity that a cell names.

    What its conditions say gives away no cell but a name of the first column: those who are asked for may be of either
    of two towns. The names that they give are no aliases of others; a number in the question tells no count.
    """
    question = task.wording.partition("\n")[0].casefold()
    beyond = question
    for condition in leaves((*task.conditions, *task.shape.where)):
        for text in filter(None, (condition.written, condition.upper_written)):
            beyond = _whole_word(text.casefold()).sub("\n", beyond)
    given = any(isinstance(term, GivenEntities) for term in task.conditions)  # the names stand there to be completed
    cells: dict[str, bool] = {}
    for place, own in enumerate(zip(*task.gold, strict=True)):
        if not (given and place == 0) and not _is_summary(task.columns[place].path):
            cells |= {cell: place == 0 or cells.get(cell, False) for cell in own}
    for cell, is_name in cells.items():
        if gives_away(question if is_name else beyond, cell.casefold()):
            return f"wording: it gives away `{cell}`"
    for type_name, name in _named(task.conditions):
        question = question.replace(name.casefold(), "\n") if type_name else question
    for cell in cells:
        for alias in other_names.get(cell, ()):
            if gives_away(question, alias.casefold()):
                return f"wording: it gives away `{cell}` by `{alias}`"
    return ""


def reading_reason(task: Task, words: Mapping[str, Vocabulary], family: Family) -> str:
    """Parse the question with the wording bank's own templates; return a reason if it asks something else."""
    frames = family.frames_in(task.language)
    found = load(_READ)(words[task.language], task.language, frames, task.about, task.labels, task.wording)
    if not found:
        return "wording: its conditions cannot be read back"
    if len(found) > 1:
        return "wording: it can be read in more than one way"
    if not found[0].says(task.conditions, task.shape):
        return "wording: it asks something else"
    return ""
