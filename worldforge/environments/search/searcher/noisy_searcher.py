"""A searcher that errs at chosen rates, and recovers where something gives it cause: for imperfect trajectories.

It misreads and overlooks values (`slips.py`) and believes what it has noted; it follows what does not matter, makes
calls again, sends broken ones, and stops early. It never knows where it is wrong. It looks at a page again because
pages disagree, because a cell is missing, or to check its notes before it answers, and then reads with care.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from worldforge.core.chance import Draws, Stream
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import PlanStep
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.evidence_plan import is_cut, is_transient, urls_in
from worldforge.environments.search.requests import NoteRequest, OpenRequest
from worldforge.environments.search.searcher.beliefs import News
from worldforge.environments.search.searcher.leads import Lead
from worldforge.environments.search.searcher.page_reading import PageReader, Reading
from worldforge.environments.search.searcher.searcher import Call, ScriptedSearcher, Steps, Take
from worldforge.environments.search.searcher.slips import Slip, Slips
from worldforge.environments.search.searcher.thoughts import Occasion, Thoughts, quoted
from worldforge.environments.search.views import PageView
from worldforge.environments.session import Observation
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall
from worldforge.rewording.slotted_text import SlottedText
from worldforge.schema.spec import WorldSpec
from worldforge.world.task import Task
from worldforge.world.task_terms import Condition, leaves

_AT_ONCE = 3  # pages looked at again together
_MOST_CHECKED = 6  # pages behind an answer, those with most of its cells first
_WRONG_ARGUMENTS = {"queries": "query", "query": "q", "url": "link", "words": "text"}
_WRONG_TOOLS = {"search": "search_web", "open": "open_url", "find": "search_in_page"}
_Rate = Annotated[float, Field(ge=0, le=1)]
_Place = tuple[str, int]
"""The address of a page, and the part of it."""


class NoiseRates(BaseModel):
    """Rates of mistakes, each from 0 to 1.

    Of each turn: `wander` to what does not matter, `repeat` one of its calls, send one `malformed`, `give_up`. Of each
    value on a page: `misread` another in its place, `forget` to note it. `recover` is the share of occasions to look
    at a page again that are taken.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    wander: _Rate = 0.1
    repeat: _Rate = 0.05
    malformed: _Rate = 0.04
    give_up: _Rate = 0.015
    misread: _Rate = 0.15
    forget: _Rate = 0.15
    recover: _Rate = 0.4


class NoisySearcher(ScriptedSearcher):
    """A searcher that errs. One serves one episode, whose seed is `seed`."""

    def __init__(
        self,
        spec: WorldSpec,
        task: Task,
        reader: PageReader,
        dialect: Dialect,
        thoughts: Thoughts,
        rates: NoiseRates,
        seed: int,
    ) -> None:
        super().__init__(spec, task, reader, dialect, thoughts)
        self._rates, self._draws = rates, _draws(seed, "acts")
        self._slips = Slips(reader, rates.misread, rates.forget, _draws(seed, "slips"))
        self._last_calls: Sequence[Call] = ()
        self._last_texts: Sequence[str] = ()
        self._read_at: dict[tuple[int, str], _Place] = {}
        self._titles_read: dict[_Place, str] = {}
        self._considered: set[_Place] = set()
        self._conflicts: list[tuple[str, str]] = []
        self._questioned = ""
        goal = self.questions.goals[0]
        paths = (*goal.columns, *(condition.path for condition in leaves(goal.terms)))
        self._columns = {path.partition(".")[0] for path in paths}

    def _steps(self) -> Generator[PlanStep, Sequence[Observation], str]:
        while True:
            if self._last_texts and self._happens(self._rates.give_up):
                return "give_up"
            yield from self._look_at_conflict()
            if self._happens(self._rates.wander):
                yield from self._wander()
            action = self._write_notes() or self._best_action() or self._check() or self._read_notes()
            if action is None:
                return "finish"
            yield from action

    def _happens(self, rate: float) -> bool:
        return self._draws.chance(rate)

    # calls

    def _make(
        self, calls: Sequence[Call], thought: SlottedText
    ) -> Generator[PlanStep, Sequence[Observation], Sequence[Observation]]:
        spoil = self._happens(self._rates.malformed)
        observations = yield from self._make_spoilt(calls, thought) if spoil else super()._make(calls, thought)
        self._last_calls, self._last_texts = calls, [observation.text for observation in observations]
        return observations

    def _make_spoilt(
        self, calls: Sequence[Call], thought: SlottedText
    ) -> Generator[PlanStep, Sequence[Observation], Sequence[Observation]]:
        """Make calls, one of which is broken; make that one again as it should be."""
        self._n_calls += len(calls) + 1
        at = self._draws.integer(0, len(calls) - 1)
        spoilt, occasion = self._draws.pick(list(self._spoilt(calls[at])))
        observations = list((yield PlanStep("", [*calls[:at], spoilt, *calls[at + 1 :]], thought)))
        (observations[at],) = yield PlanStep("", [calls[at]], self._think(occasion))
        return observations

    def _spoilt(self, call: Call) -> Iterator[tuple[tuple[str, Mapping[str, object] | str], Occasion]]:
        """Yield broken forms of a call, each with what is thought of it once the error has come back."""
        name, given = call
        text = json.dumps(given, ensure_ascii=False)
        yield (name, text[: -1 - int(self._draws.uniform() * len(text) / 2)]), ("mended_cut", {})
        request = self._dialect.read(ToolCall("", name, text))
        right = next(iter(given))
        wrong = _WRONG_ARGUMENTS.get(right, "input")
        renamed = {wrong if key == right else key: value for key, value in given.items()}
        if isinstance(self._dialect.read(ToolCall("", name, json.dumps(renamed))), ErrorView):
            yield (name, renamed), ("mended_argument", {"wrong": [wrong], "right": [right]})
        tool = _WRONG_TOOLS.get(request.kind, "browse")
        if tool not in self._dialect.types:
            yield (tool, given), ("mended_tool", {"wrong": [tool], "right": [name]})

    def _ask(self, requests: Sequence[ToolRequest], take: Take, why: Sequence[Occasion]) -> Steps:
        yield from super()._ask(requests, take, why)
        if self._happens(self._rates.repeat) and not isinstance(requests[0], NoteRequest):
            yield from self._repeat()

    def _repeat(self) -> Steps:
        """Make one of the last calls again, and take nothing new from it."""
        at = self._draws.integer(0, len(self._last_calls) - 1)
        (seen,) = yield PlanStep("", [self._last_calls[at]], self._think(("repeat", {})))
        if seen.text == self._last_texts[at]:
            self._reporter.report.remarks.append(("same", {}))

    # off the path

    def _wander(self) -> Steps:
        """Open a page that is not needed, or search for a name that stood in the last observation."""
        leads, entities = self._off_path_leads(), self._off_path_entities()
        if leads and (not entities or self._happens(0.5)):
            lead = self._draws.pick(leads)
            yield from self._open([lead], [("wander_open", {"titles": self._reasons.titles([lead])})])
            came_back = "back"
        elif entities:
            entity = self._draws.pick(entities)
            name = self.beliefs.names[entity]
            yield from self._search({name: entity}, [("wander_search", {"words": f"“{name}”"})])
            came_back = "back" if any(urls_in(text) for text in self._last_texts) else "no_results"
        else:
            return
        if not self._reporter.report.gain:
            self._reporter.report.remarks.append((came_back, {}))

    def _off_path_entities(self) -> list[str]:
        """Return the entities named in the last observations of which nothing is to be read."""
        text = "\n".join(self._last_texts)
        return [
            entity
            for entity, name in self.beliefs.names.items()
            if entity not in self.questions.weights and entity not in self._n_queries and name in text
        ]

    def _off_path_leads(self) -> list[Lead]:
        """Return the pages on such entities, else the half of all pages heard of that promises least."""
        about = [lead for entity in self._off_path_entities() for lead in islice(self._leads.on(entity), 1)]
        lists = sorted(self._leads.lists(), key=lambda one: one[0])
        return about or [lead for _, lead in lists[: len(lists) // 2]]

    # reading

    def _take_page(self, lead: Lead, seen: Observation, view: PageView | None) -> None:
        place = (lead.url, lead.part)
        for reading in super()._readings(lead, seen):
            self._titles_read[place] = reading.source.title
            for statement in reading.statements:
                self._read_at.setdefault((reading.source.page, statement.fact), place)
        super()._take_page(lead, seen, view)

    def _readings(self, lead: Lead, seen: Observation) -> Sequence[Reading]:
        readings = super()._readings(lead, seen)
        return [self._slips.read(reading, seen.text, self.beliefs.known) for reading in readings]

    def _report_values(self, reading: Reading, news: News) -> None:
        super()._report_values(reading, news)
        self._conflicts += [(fact, reading.source.title) for fact in news.contested if self._matters(fact)]

    def _matters(self, fact: str) -> bool:
        entity, _, column = fact.partition("#")
        return entity in self.questions.own and column in self._columns

    # a second look

    def _look_at_conflict(self) -> Steps:
        """Read again, one time in so many, the pages that disagree on a fact."""
        conflicts, self._conflicts = self._conflicts, []
        for fact, title in conflicts:
            if self._is_settled_anyway(fact):
                continue
            places = self._unchecked(self._places_of(fact))
            disagreement = self._reporter.disagreement(fact, title)
            if places and disagreement and self._happens(self._rates.recover):
                others = [one for one in self._reporter.report.disagreements if one != disagreement]
                self._reporter.report.disagreements = [disagreement, *others]
                yield from self._look_again(places, "look_at_conflict", fact)
                return

    def _is_settled_anyway(self, fact: str) -> bool:
        """Return whether a fact is of a candidate that has failed, and no condition is on it."""
        entity, _, column = fact.partition("#")
        conditions = {condition.path.partition(".")[0] for condition in leaves(self._task.conditions)}
        return self.questions.own[entity].holds is False and column not in conditions

    def _places_of(self, fact: str) -> list[_Place]:
        read = [self._read_at.get((source.page, fact)) for _, source in self.beliefs.sources(fact)]
        return list(dict.fromkeys(place for place in read if place))

    def _unchecked(self, places: Sequence[_Place]) -> list[_Place]:
        """Return the first of the places that were not considered for a second look, which they are now."""
        first = [place for place in places if place not in self._considered][:_AT_ONCE]
        self._considered.update(first)
        return first

    def _check(self) -> Steps | None:
        """Return a second look, before the answer, at pages that should have a missing cell, or at those behind it."""
        for entity, fact in self._gaps():
            name = self.beliefs.names[entity]
            own = self._unchecked([place for place, title in self._titles_read.items() if title == name])
            told = self._reporter.told_of(fact)
            if own and told and self._happens(self._rates.recover):
                return self._look_again(own, "look_for_gap", fact, **told)
        behind = self._unchecked(self._behind_answer())
        if not behind:
            return None
        chosen = [place for place in behind if self._happens(self._rates.recover)]
        return self._look_again(chosen, "check") if chosen else self._check()

    def _gaps(self) -> Iterator[tuple[str, str]]:
        """Yield entities of which a value is missing, and the fact: of rows of the answer, then of candidates."""
        for entity, row, path in self._cells():
            known, missing = self._truth.value(self._task.table, row, path)
            if known is None:
                yield entity, next(iter(missing), f"{row}#{path.partition('.')[0]}")
        terms = [term for term in self._task.conditions if isinstance(term, Condition)]
        for entity, candidate in self.questions.own.items():
            if not candidate.holds and not any(self._truth.reasons(self._task.about, entity, terms, hold=False)):
                for step in dict.fromkeys(term.path.partition(".")[0] for term in terms):
                    if self.beliefs.known(f"{entity}#{step}") is None:
                        yield entity, f"{entity}#{step}"

    def _behind_answer(self) -> list[_Place]:
        """Return the places that gave most cells of the answer, those with most first."""
        n_cells: dict[_Place, int] = {}
        for _, row, path in self._cells():
            for place in self._places_of(f"{row}#{path.partition('.')[0]}")[:1]:
                n_cells[place] = n_cells.get(place, 0) + 1
        return sorted(n_cells, key=lambda place: -n_cells[place])[:_MOST_CHECKED]

    def _cells(self) -> Iterator[tuple[str, str, str]]:
        """Yield the cells of the answer beside names: the entity, the row of a table, and the path."""
        for entity in self.questions.qualified():
            for row in self.questions.rows(entity):
                for path in self.questions.goals[0].columns:
                    yield entity, row, path

    def _look_again(self, places: Sequence[_Place], occasion: str, fact: str = "", **slots: str) -> Steps:
        """Open pages again, for a fact or to check, and put right what was misread or overlooked there."""
        self._questioned = fact

        def take(request: ToolRequest, seen: Observation) -> ToolRequest | None:
            if self._dialect.parse(request, seen.text) is None or is_transient(seen.text) or is_cut(seen.text):
                return request
            for reading in self._reader.read(seen):
                self._correct(reading)
            return None

        titles = [quoted(self._titles_read[place], self._task.language) for place in places]
        requests = [OpenRequest(url, part) for url, part in places]
        yield from self._ask(requests, take, [(occasion, {"titles": list(dict.fromkeys(titles)), **slots})])

    def _correct(self, reading: Reading) -> None:
        """Compare notes with a page that is read with care; report what was wrong in them."""
        slips = self._slips.mend(reading)
        for slip in slips:
            if slip.noted is not None:
                self.beliefs.withdraw(slip.noted, reading.source.page)
        self.beliefs.take(replace(reading, statements=[slip.stated for slip in slips]))
        self._update(slip.stated.fact for slip in slips)
        self._report_slips(slips, reading.source.title)
        self._reporter.verdicts()

    def _report_slips(self, slips: Sequence[Slip], title: str) -> None:
        """Tell of one slip, of the fact in question or that bears on the answer, and whether there were more."""
        remarks, page = self._reporter.report.remarks, {"title": quoted(title, self._task.language)}
        for noted, stated in sorted(slips, key=lambda slip: slip.stated.fact != self._questioned):
            told = self._reporter.told_of(stated.fact, stated) if self._bears_on_answer(stated.fact) else {}
            if told and stated.written:
                wrong = self._reporter.told_of(stated.fact, noted)["value"] if noted else ""
                remarks.append(("misread" if noted else "overlooked", {**page, **told, "noted": wrong}))
                if len(slips) > 1:
                    remarks.append(("slips_more", page))
                return
        told = self._reporter.told_of(self._questioned) if self._questioned else {}
        if told and self.beliefs.known(self._questioned) is None:
            remarks.append(("still_missing", {**page, **told}))
        else:
            remarks.append(("slips_other" if slips else "checked", page))

    def _bears_on_answer(self, fact: str) -> bool:
        candidate = self.questions.own.get(fact.partition("#")[0])
        return (
            self._matters(fact) and candidate is not None and (candidate.holds is not False or fact == self._questioned)
        )


def _draws(seed: int, what: str) -> Draws:
    return Stream(seed, "noisy_searcher").child(what).draws(np.zeros(1, np.int64))[0]
