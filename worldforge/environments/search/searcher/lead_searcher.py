"""A searcher that leads a team: it finds out what there is to check, shares it out, reads the reports, and answers.

It searches alone until lists bring no new candidates. Then `create_sub_agents` starts sub-searchers, each with a
sub-question of its own (`sub_questions.py`): a part of the candidates, or of the columns where candidates are few. What
they report (`sub_reports.py`) counts as an observation. What was left over, or came up only then, is shared out once
more; the rest it looks up itself.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from worldforge.core.chance import Stream
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import PlanStep
from worldforge.environments.search.searcher.beliefs import Known
from worldforge.environments.search.searcher.leads import Lead
from worldforge.environments.search.searcher.open_questions import SearchCandidate
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.searcher import NEW_NAME, PAGES_AT_ONCE, ScriptedSearcher, Steps
from worldforge.environments.search.searcher.sub_questions import (
    SubQuestion,
    SubQuestionWriter,
    TeamWordings,
    checkable,
    ranking_paths,
)
from worldforge.environments.search.searcher.sub_reports import SubReport, read_sub_report
from worldforge.environments.search.searcher.sub_searcher import SubSearcher
from worldforge.environments.search.searcher.thoughts import Thoughts
from worldforge.environments.session import Observation
from worldforge.environments.team_tool import CREATE_SUB_AGENTS, MOST_SUB_AGENTS, read_reports
from worldforge.schema.spec import WorldSpec
from worldforge.world.task import Task
from worldforge.world.task_terms import Terms

_ROUNDS, _LIST_ROUNDS = 4, 2
_MOST_ENUMERATING = 25  # calls that the lead makes before it shares out
_FURTHER = 15  # calls for further lists between two rounds
_MOST_IDLE = 2  # turns with pages that neither name nor settle candidates before it does
_MOST_ALONE = 20  # calls that it makes after the last reports
_LEAST_EXPECTED = 0.12  # of a list for it to be opened before work is shared out
_LEAST_OF_ROW = 0.5  # the same of a page on a single candidate
_LEAST_LISTS, _MOST_LISTS, _LISTS_EACH = 8, 80, 5
"""Unread lists that are worth sub-searchers; how many of them are shared out, and about how many each gets."""
_LEAST_SHARED = 6  # candidates that are worth sub-searchers
_LEAST_EACH = 6  # candidates of a sub-searcher, where there are enough
_LEAST_COLUMNS = 4  # open ones, for columns to be shared out
_COLUMNS_EACH = 2


@dataclass(frozen=True, slots=True)
class SharedWork:
    """The sub-questions of one round, and why they are divided as they are, in the words of `thoughts.yaml`."""

    questions: tuple[SubQuestion, ...]
    occasion: str
    slots: Mapping[str, Sequence[str]]


class LeadSearcher(ScriptedSearcher):
    """Leads sub-searchers. Each agent may make `max_steps` calls (0: no limit); `seed` varies the wording."""

    def __init__(
        self,
        spec: WorldSpec,
        task: Task,
        reader: PageReader,
        dialect: Dialect,
        thoughts: Thoughts,
        seed: int,
        max_steps: int = 0,
    ) -> None:
        super().__init__(spec, task, reader, dialect, thoughts)
        self._seed = seed
        self._wordings = TeamWordings(task.language, Stream(seed, "team"))
        self._sub_writer = SubQuestionWriter(spec, task, self._wordings)
        self._terms = checkable(task.conditions)
        self._most, self._further_lists = _MOST_ENUMERATING, _FURTHER
        if max_steps:
            self._most, self._further_lists = min(_MOST_ENUMERATING, max_steps // 2), min(_FURTHER, max_steps // 4)
        self._asked: dict[str, SubQuestion] = {}
        self._tried: set[str] = set()
        self._votes: dict[str, list[bool]] = {}
        self._judged: dict[str, bool] = {}
        self._told_of: set[str] = set()
        self._n_rounds = self._n_rows = 0

    def sub_searcher(self, prompt: str, number: int, thoughts: Thoughts) -> SubSearcher:
        """Return the searcher that works on a sub-question of this lead: it is told what the text says."""
        wordings = TeamWordings(self._task.language, Stream(self._seed, "team").child("report", number))
        return SubSearcher(self._spec, self._asked[prompt], self._reader, self._dialect, thoughts, wordings)

    def _steps(self) -> Generator[PlanStep, Sequence[Observation], str]:
        most, has_more = self._most, True
        for number in range(_ROUNDS):
            has_more = yield from self._enumerate(self._n_calls + most)
            work = (self._lists() if has_more and number < _LIST_ROUNDS else None) or self._work()
            if work is None:
                break
            yield from self._share_out(work)
            most = self._further_lists
        alone = self._n_calls + _MOST_ALONE if self._n_rounds else math.inf
        while (action := self._best_action()) is not None:
            if self._n_calls >= alone:
                return "enough"
            yield from action
        return "finish"

    # what there is to check

    def _enumerate(self, most: int) -> Generator[PlanStep, Sequence[Observation], bool]:
        """Look for lists until they tell little, or so many calls were made in all; say whether there is more."""
        n_idle = 0
        while n_idle < _MOST_IDLE and not self.questions.goals[0].given:
            n_before, action = self._n_met_and_settled(), self._next_list()
            if action is None:
                return False
            if self._n_calls >= most:
                return True
            yield from action
            if self._reporter.report.n_read:
                n_idle = 0 if self._n_met_and_settled() > n_before + 1 else n_idle + 1
        return False

    def _n_met_and_settled(self) -> int:
        own = self.questions.own.values()
        return len(own) + sum(one.holds is not None for one in own)

    def _next_list(self) -> Steps | None:
        """Return how to read further lists, or pages on rows that are sure: these lead to other lists."""
        fit = (one for one in self._ranked_pages() if one[0] >= (_LEAST_OF_ROW if one[1].about else _LEAST_EXPECTED))
        pages = list(islice(fit, PAGES_AT_ONCE))
        openings = [query for _, query, entity in self._best_queries() if not entity]
        if openings and not (pages and self._n_openings):
            return self._search(dict.fromkeys(openings, ""))
        return self._read([lead for _, lead in pages]) if pages else None

    # what is shared out

    def _lists(self) -> SharedWork | None:
        """Share out the lists that the lead has heard of; None where they are too few."""
        ranked = sorted(self._leads.lists(), key=lambda one: -one[0])
        unread = {lead.list: (lead.url, lead.title) for worth, lead in reversed(ranked) if worth >= _LEAST_EXPECTED}
        pages = list(unread.values())[::-1][:_MOST_LISTS]
        if len(pages) < _LEAST_LISTS or not self._sub_writer.can_ask(self._terms, self._task.conditions):
            return None
        columns = [] if self._task.shape.rows else self._all_columns()
        n_agents = min(MOST_SUB_AGENTS, max(2, len(pages) // _LISTS_EACH))
        questions = tuple(
            self._sub_writer.on_pages(pages[number::n_agents], self._terms, columns, self._n_rounds)
            for number in range(n_agents)
        )
        return SharedWork(
            questions,
            "share_lists",
            {"n": [self._wordings.number(len(pages))], "agents": [self._wordings.number(n_agents)]},
        )

    def _work(self) -> SharedWork | None:
        """Return what can be shared out: candidates, or of a few rows the columns; None where it is too little."""
        open_ones = [one for one in self.questions.own.values() if self._is_open(one)]
        columns = self._open_columns(open_ones)
        if len(open_ones) < _LEAST_SHARED:
            if len(columns) < _LEAST_COLUMNS or not all(one.holds for one in open_ones) or self._task.shape.rows:
                return None
            return self._by_columns([one.entity for one in open_ones], columns)
        return self._by_candidates(open_ones, columns)

    def _is_open(self, candidate: SearchCandidate) -> bool:
        entity = candidate.entity
        if candidate.holds is False or entity in self._tried or not candidate.wanted:
            return False
        name = self.beliefs.names[entity]
        return sum(self.beliefs.names[other] == name for other in self.questions.own) == 1

    def _all_columns(self) -> list[str]:
        """Return the columns of which something is to be known."""
        return list(dict.fromkeys([*self.questions.goals[0].columns, *ranking_paths(self._task.conditions)]))

    def _open_columns(self, candidates: Sequence[SearchCandidate]) -> list[str]:
        """Return the columns that at least one candidate lacks; all, where the answer has rows of a relation."""
        paths, about = self._all_columns(), self._task.about
        if self._task.shape.rows:
            return paths
        known = self._truth.value
        return [path for path in paths if any(known(about, one.entity, path)[0] is None for one in candidates)]

    def _by_columns(self, entities: Sequence[str], columns: Sequence[str]) -> SharedWork:
        names = {entity: self.beliefs.names[entity] for entity in entities}
        parts = [columns[first : first + _COLUMNS_EACH] for first in range(0, len(columns), _COLUMNS_EACH)]
        questions = tuple(self._sub_writer.on_entities(names, (), part, self._n_rounds) for part in parts)
        slots = {
            "names": list(names.values()),
            "n": [self._wordings.number(len(columns))],
            "agents": [self._wordings.number(len(parts))],
        }
        return SharedWork(questions, "share_columns", slots)

    def _by_candidates(self, candidates: Sequence[SearchCandidate], columns: Sequence[str]) -> SharedWork | None:
        terms = self._open_terms(candidates)
        if not self._sub_writer.can_ask(terms, self._terms):
            terms = self._terms
        if not self._sub_writer.can_ask(terms, self._task.conditions):
            return None
        names = [(one.entity, self.beliefs.names[one.entity]) for one in candidates]
        n_agents = min(MOST_SUB_AGENTS, max(2, len(names) // _LEAST_EACH))
        bounds = [len(names) * number // n_agents for number in range(n_agents + 1)]
        questions = tuple(
            self._sub_writer.on_entities(dict(names[first:end]), terms, columns, self._n_rounds)
            for first, end in pairwise(bounds)
        )
        occasion = "share_again" if self._tried else "share_candidates" if terms else "share_rows"
        kinds = self._writer.several(self._task.about)
        slots = {
            "n": [self._wordings.number(len(names))],
            "kinds": [kinds],
            "agents": [self._wordings.number(n_agents)],
        }
        return SharedWork(questions, occasion, slots)

    def _open_terms(self, candidates: Sequence[SearchCandidate]) -> Terms:
        """Return the conditions that are open of one candidate at least."""
        about = self._task.about
        return tuple(
            term
            for term in self._terms
            if any(self._truth.holds(about, one.entity, term).holds is not True for one in candidates)
        )

    # what comes back

    def _share_out(self, work: SharedWork) -> Steps:
        self._n_rounds += 1
        self._asked |= {question.text: question for question in work.questions}
        orders = [{"index": number, "prompt": one.text} for number, one in enumerate(work.questions, 1)]
        thought = self._think((work.occasion, work.slots))
        (seen,) = yield from self._make([(CREATE_SUB_AGENTS, {"sub_agents": orders})], thought)
        reports = read_reports(seen.text)
        unsettled: list[str] = []
        for number, question in enumerate(work.questions, 1):
            if number in reports:
                unsettled += self._take_report(question, reports[number])
        self._reporter.verdicts()
        still_open = [name for name in dict.fromkeys(unsettled) if self._is_unsettled(name)]
        self._remark(len(work.questions), len(reports), still_open)

    def _split(self) -> list[str]:
        """Return the names of which as many reports say that they count as that they do not."""
        votes = ((entity, own) for entity, own in self._votes.items() if entity not in self._judged)
        return [self.beliefs.names[entity] for entity, own in votes if 2 * sum(own) == len(own)]

    def _is_unsettled(self, name: str) -> bool:
        candidate = self.questions.own.get(self._called.get(name, ""))
        return candidate is not None and candidate.holds is None

    def _remark(self, n_asked: int, n_reports: int, unsettled: Sequence[str]) -> None:
        """Say what came back."""
        remarks = self._reporter.report.remarks
        if n_reports < n_asked:
            remarks.append(
                (
                    "reports_missing",
                    {"n": self._wordings.number(n_asked - n_reports), "of": self._wordings.number(n_asked)},
                )
            )
        else:
            remarks.append(("reports_in_two" if n_asked == 2 else "reports_in", {"n": self._wordings.number(n_asked)}))
        split = [name for name in self._split() if name not in self._told_of]
        self._told_of |= set(split)
        if split:
            remarks.append(("reports_differ_one" if len(split) == 1 else "reports_differ", {"names": split[:3]}))
        if unsettled:
            part = "reports_left_one" if len(unsettled) == 1 else "reports_left"
            remarks.append((part, {"n": self._wordings.number(len(unsettled)), "name": unsettled[0]}))

    def _take_report(self, question: SubQuestion, text: str) -> list[str]:
        """Note what a report says; return the names that it leaves open."""
        report, terms = read_sub_report(text, self._wordings), checkable(question.task.conditions)
        n_before = self._n_met_and_settled()
        entities = self._entities(question, report)
        counting = [row[question.key] for row in report.rows if len(row) > question.key]
        verdicts = dict.fromkeys(report.not_counting, False) | dict.fromkeys([*report.others, *counting], True)
        for name, held in verdicts.items():
            if name in entities:
                self._vote(entities[name], terms, held=held, is_asked=name in question.given)
        self._take_rows(question, report, entities)
        self.questions.update(entities.values())
        if question.pages:
            self._close_pages(question, self._n_met_and_settled() - n_before)
        elif report.is_whole:
            self._tried |= set(question.given.values())
        return [name for name in report.unsettled if name in entities]

    def _vote(self, entity: str, terms: Terms, *, held: bool, is_asked: bool) -> None:
        """Note what a report says of a candidate.

        Most reports decide; where as many say the contrary, whoever was asked about it, else it is open.
        """
        if is_asked:
            self._judged[entity] = held
        votes = self._votes.setdefault(entity, [])
        votes.append(held)
        is_split = 2 * sum(votes) == len(votes)
        verdict = self._judged.get(entity) if is_split else 2 * sum(votes) > len(votes)
        verdicts = self._truth.reported.verdicts
        for term in terms:
            if verdict is None:
                verdicts.pop((entity, term), None)
            else:
                verdicts[entity, term] = verdict

    def _entities(self, question: SubQuestion, report: SubReport) -> dict[str, str]:
        """Return the entities that a report names, by name; take those that were not known as candidates."""
        about, entities = self._task.about, dict(question.given)
        named = [row[question.key] for row in report.rows if len(row) > question.key] if question.pages else []
        others = [*report.not_counting, *report.unsettled] if question.pages else []
        for name in (*named, *others, *report.others):
            entity = self._called.get(name) or self._reader.entity_called(about, name)
            if entity.partition("/")[0] == about:
                entities.setdefault(name, entity)
        self._know({entity: name for name, entity in entities.items() if entity not in self.beliefs.names})
        return entities

    def _close_pages(self, question: SubQuestion, n_told: int) -> None:
        """Mark the pages given to a sub-searcher as read; their gain is the number of candidates it reported on."""
        for url, title in question.pages:
            self._leads.close(url)
            self._leads.opened(Lead(url, title), title, NEW_NAME * n_told / len(question.pages), None)

    def _take_rows(self, question: SubQuestion, report: SubReport, entities: Mapping[str, str]) -> None:
        for row in report.rows:
            entity = entities.get(row[question.key], "") if len(row) > question.key else ""
            if entity and question.task.shape.rows:
                self._take_cells(question, self._new_row(question.task.table, entity), entity, row)
                self._truth.explored.add(entity)
            elif entity:
                self._take_cells(question, entity, entity, row)

    def _new_row(self, table: str, entity: str) -> str:
        self._n_rows += 1
        row = f"{table}/reported-{self._n_rows}"
        self._truth.reported.rows.setdefault(entity, []).append(row)
        return row

    def _take_cells(self, question: SubQuestion, row: str, entity: str, cells: Sequence[str]) -> None:
        for number, (column, text) in enumerate(zip(question.task.columns, cells, strict=False)):
            if text and column.path != "name":
                is_key = number == question.key
                value = entity if is_key else self._reader.read_cell(question.task.table, column.path, text)
                if value is not None:
                    self._truth.reported.values[row, column.path] = Known(value, text)
