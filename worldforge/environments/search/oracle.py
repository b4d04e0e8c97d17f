"""The oracle of the search environment: plans from the mentions, acts through the tools, answers from observations.

It knows the gold's facts and the pages that state them: its success proves that a task can be solved with the tools at
hand, and its trajectories show a searcher who knows where to look. What it does not see in an observation it leaves
empty. It begins with a broad search and opens lists before the pages they name, three at a time: one search with a
query for each page whose address it has not come across, then the pages themselves.

It does not give up: what fails in passing it asks again, where results come in small pages it goes on to the next, and
what a page does not show it looks for on others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from worldforge.environments.answer_rows import answer_table, rows_from
from worldforge.environments.coverage import GoldSource
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import MakePlan, OutOfCallsError, Plan, Planner, PlanStep
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.dialects import AGENT_WORLD
from worldforge.environments.search.evidence_plan import (
    EvidencePlanner,
    PlannedPage,
    ReadingPlan,
    is_cut,
    is_transient,
    listed,
    opening_queries,
    queries_for,
    read_page,
    read_relations,
    related_value,
    urls_in,
)
from worldforge.environments.search.requests import OpenRequest, SearchRequest
from worldforge.environments.search.views import PageView, SearchView
from worldforge.environments.session import Observation
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall
from worldforge.schema.document import read_document
from worldforge.search.page_store import PageStore
from worldforge.world.evidence import FactRelation
from worldforge.world.task import Task
from worldforge.world.value_formats import ValueFormats
from worldforge.world.world import World

_BATCH = 3
_TRIES = 3  # of one call that fails in passing
_DEEPEST = 3  # page of results that it looks at
_ROUNDS = 3  # through all pages that state what is missing
_PLANS_HELD = 64  # trials of a task are played close together
_OLD_COPY = re.compile(r"\b(?:cached|copy|snapshot|archived)\b", re.IGNORECASE)
_PHRASES = Path(__file__).with_name("oracle_phrases.yaml")
PHRASES: Mapping[str, Mapping[str, str]] = read_document(_PHRASES.read_text("utf-8"), _PHRASES.name)[0].data
"""Sentences by language and occasion."""
_Call = tuple[str, Mapping[str, object]]
_Take = Callable[[ToolRequest, str], ToolRequest | None]
"""Takes what a request brought; gives what of it to ask again, or None."""
Steps = Generator[PlanStep, Sequence[Observation], None]


class SearchPlanner(Planner):
    """Plans tasks by the pages that state their facts."""

    def prepare(self, world: World, source: GoldSource, dialect: Dialect) -> MakePlan:
        """Index mentions by fact, and map the world's texts."""
        self._reading = reading_plans(world, source)
        return lambda task, _seed: SearchOracle(task, self._reading(task), dialect).play()

    def n_pages(self, task: Task) -> int:
        """Return how many pages the plan of a task reads."""
        return self._reading(task).n_pages


def reading_plans(world: World, source: GoldSource) -> Callable[[Task], ReadingPlan]:
    """Return a function that plans the reading of a task."""
    forms = ValueFormats.of_world(world)
    pages = PageStore(world.path / "index").table
    pages = pages.append_column("kind", world.stored("pages.parquet")["kind"])
    planner = EvidencePlanner(pages, source.evidence, forms)
    held: dict[str, ReadingPlan] = {}

    def plan(task: Task) -> ReadingPlan:
        if task.id not in held:
            if len(held) == _PLANS_HELD:
                held.pop(next(iter(held)))
            held[task.id] = planner.plan(task)
        return held[task.id]

    return plan


class SearchOracle:
    """Follows a reading plan. One serves one episode; it speaks `dialect`."""

    def __init__(self, task: Task, plan: ReadingPlan, dialect: Dialect = AGENT_WORLD) -> None:
        self._task, self._plan, self._dialect = task, plan, dialect
        self._urls: set[str] = set()
        self._in_small_pages = False
        self.values: dict[str, str] = {}
        self._doubtful: dict[str, str] = {}
        self._relations: dict[str, FactRelation] = {}

    def play(self) -> Plan:
        """Solve the task; without calls left, answer with what was seen."""
        with suppress(OutOfCallsError):
            yield from self.steps()
        return self.answer()

    def answer(self) -> str:
        """Write the rows whose name is known; what old copies alone have shown counts as well."""
        rows = rows_from(self._task, self._doubtful | self._derived() | self.values)
        return answer_table(self._task.labels, [row for row in rows if row[0]])

    def steps(self) -> Steps:
        """Give the steps that solve the task; `answer` then has what they showed."""
        opening = SearchRequest(tuple(opening_queries(self._task)))
        yield from self._ask(self._phrase("begin"), [opening], self._take_results)
        for pages in (self._plan.lists, self._plan.others):
            yield from self._visit(pages)
        tried = _page_facts(self._plan.lists) | _page_facts(self._plan.others)
        for _ in range(_ROUNDS):
            yield from self._look_elsewhere(tried)
            tried = set()

    def _visit(self, pages: Sequence[PlannedPage]) -> Steps:
        for first in range(0, len(pages), _BATCH):
            batch = pages[first : first + _BATCH]
            yield from self._search_for(batch)
            yield from self._open([page for page in batch if page.url in self._urls])

    def _look_elsewhere(self, tried: set[tuple[str, str]]) -> Steps:
        """Visit other pages that state missing facts, until all were tried."""
        while pages := self._plan.elsewhere(self._missing(), tried):
            tried |= _page_facts(pages)
            yield from self._visit(pages)

    def _missing(self) -> list[str]:
        known = self._derived() | self.values
        return [fact for fact in self._task.answer_facts if fact not in known]

    def _derived(self) -> dict[str, str]:
        """Return the values that follow from what was read relative to others."""
        found: dict[str, str] = {}
        for fact, relation in self._relations.items():
            other = self.values.get(relation.fact)
            value = None if other is None else related_value(other, relation.difference)
            found |= {} if value is None else {fact: value}
        return found

    def _search_for(self, batch: Sequence[PlannedPage]) -> Steps:
        """Search until each page's address was seen, or no query is left."""
        typing = {page.url: self._queries(page) for page in batch}
        while True:
            missing = [page for page in batch if page.url not in self._urls]
            typed = [search for page in missing if (search := next(typing[page.url], None))]
            if not typed:
                return
            words = self._phrase("look_for", [page.title for page in missing])
            yield from self._ask(words, _searches(typed), self._take_results)

    def _queries(self, page: PlannedPage) -> Iterator[tuple[str, int]]:
        """Give queries, each with the page of its results to look at."""
        queries = list(queries_for(page))
        for query in queries:
            yield query, 1
            if self._in_small_pages:
                yield from ((query, number) for number in range(2, _DEEPEST + 1))
        yield from ((queries[0], number) for number in range(2, _DEEPEST + 1) if not self._in_small_pages)

    def _open(self, pages: Sequence[PlannedPage]) -> Steps:
        wanted = [(page, part) for page in pages for part in page.parts]
        for first in range(0, len(wanted), _BATCH):
            batch = wanted[first : first + _BATCH]
            words = self._phrase("read", list(dict.fromkeys(page.title for page, _ in batch)))
            yield from self._ask(words, [OpenRequest(page.url, part) for page, part in batch], self._take_part(batch))

    def _ask(self, words: str, requests: Sequence[ToolRequest], take: _Take) -> Steps:
        """Make the calls of all requests together; retry the requests that `take` returns."""
        for _ in range(_TRIES):
            calls = [call for request in requests for call in self._calls(request)]
            observations = yield PlanStep(words, [call for _, call in calls])
            texts = [observation.text for observation in observations]
            self._urls.update(url for text in texts for url in urls_in(text))
            again = [take(request, text) for (request, _), text in zip(calls, texts, strict=True)]
            requests = [request for request in again if request is not None]
            if not requests:
                return
            words = self._phrase("again")

    def _phrase(self, occasion: str, titles: Sequence[str] = ()) -> str:
        language = self._task.language
        return PHRASES[language][occasion].format(titles=listed(titles, language))

    def _calls(self, request: ToolRequest) -> Iterator[tuple[ToolRequest, _Call]]:
        """Write a request as calls of the dialect, each with its own part of the request."""
        for name, arguments in self._dialect.ask(request):
            request_read = self._dialect.read(ToolCall("", name, json.dumps(arguments, ensure_ascii=False)))
            assert not isinstance(request_read, ErrorView), request_read.message
            yield request_read, (name, arguments)

    def _take_results(self, request: ToolRequest, text: str) -> ToolRequest | None:
        """Note whether results come in small pages; return the queries that failed with transient errors."""
        assert isinstance(request, SearchRequest)
        view = self._dialect.parse(request, text)
        if isinstance(view, SearchView):
            self._in_small_pages |= any(block.more and len(block.results) < request.size for block in view.blocks)
            failed = tuple(block.query for block in view.blocks if is_transient(block.message))
        else:
            garbled = view is None and not urls_in(text)
            failed = request.queries if garbled or is_transient(text) else ()
        return replace(request, queries=failed) if failed else None

    def _take_part(self, batch: Sequence[tuple[PlannedPage, int]]) -> _Take:
        pages = {page.url: page for page, _ in batch}

        def take(request: ToolRequest, text: str) -> ToolRequest | None:
            assert isinstance(request, OpenRequest)
            page, view = pages[request.url], self._dialect.parse(request, text)
            values, relations = read_page(page, request.part, text), read_relations(page, request.part, text)
            if isinstance(view, PageView) and _OLD_COPY.search(view.notice):
                self._doubtful |= values
                return request
            self.values |= values
            self._relations |= relations
            unread = any(r.part == request.part and r.fact not in values | relations for r in page.readings)
            return request if unread and (view is None or is_transient(text) or is_cut(text)) else None

        return take


def _page_facts(pages: Sequence[PlannedPage]) -> set[tuple[str, str]]:
    return {(page.url, reading.fact) for page in pages for reading in page.readings}


def _searches(typed: Sequence[tuple[str, int]]) -> list[SearchRequest]:
    """Group queries by the page of results that they ask for."""
    numbers = dict.fromkeys(number for _, number in typed)
    return [SearchRequest(tuple(query for query, at in typed if at == number), number) for number in numbers]
