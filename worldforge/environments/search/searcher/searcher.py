"""The searcher: it acts on the question's words and on what it has observed, and on nothing else.

It knows what is asked as a perfect reader of the question does, and reads perfectly what it is shown
(`page_reading.py`). It never sees the gold, a plan, or a page that it has not opened. Each turn it does what is
expected to tell most of what is still open (`open_questions.py`), by its experience with pages of the same kind
(`leads.py`): open pages, look where a long page names an entity, or search for names and words that stood in the
question or in an observation. It ends when nothing that it could do promises more, and answers with what it has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import FinalAnswer, OutOfCallsError, Plan, PlanStep
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.dialects import DictMemory
from worldforge.environments.search.evidence_plan import is_cut, is_transient
from worldforge.environments.search.requests import NoteRequest, OpenRequest, SearchRequest
from worldforge.environments.search.searcher.action_reasons import ActionReasons
from worldforge.environments.search.searcher.answer import AnswerWriter
from worldforge.environments.search.searcher.beliefs import Beliefs, News
from worldforge.environments.search.searcher.leads import Lead, Leads
from worldforge.environments.search.searcher.notes import Notebook
from worldforge.environments.search.searcher.open_questions import LIKELY, ON_THE_WAY, OpenQuestions, goals_of
from worldforge.environments.search.searcher.page_reading import PageReader, Reading
from worldforge.environments.search.searcher.queries import QueryWriter
from worldforge.environments.search.searcher.reporting import Reporter
from worldforge.environments.search.searcher.term_truth import ROWS, TermTruth
from worldforge.environments.search.searcher.thoughts import Occasion, Thoughts
from worldforge.environments.search.tools.find_in_page import MOST_CHARACTERS, FindInPage, FoundView
from worldforge.environments.search.views import PageView, SearchBlock, SearchView
from worldforge.environments.session import Observation
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall
from worldforge.rewording.slotted_text import SlottedText
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import label_of
from worldforge.world.site_figures import by_site
from worldforge.world.task import Task

PAGES_AT_ONCE = 3
_QUERIES_AT_ONCE = 5
_TRIES = 3  # of a call that fails in passing
_LEAST = 0.01  # expected of a call for it to be made
_LEAST_BY_NAME = 0.04  # the same where entities are looked for by name
_MOST_QUERIES = 6  # about one entity that is likely to be asked for
_FEW_QUERIES = 2  # about one of which nothing speaks for it
_OPENING, _FURTHER = 4.0, 1.0  # what the first opening queries are expected to lead to, and each further one
_QUERY = 0.5  # of what is open on an entity is what a query about it is expected to lead to
_FOUND = 0.5  # how well the first result of an opening query fits, whatever its title says
_SNIPPET = 0.4  # how much the words of a snippet count beside those of a title
_LIST_BESIDE_NAMES = 0.1  # what an unknown list is expected to tell of entities that are looked for by name
NEW_NAME = 0.1  # what it is worth to hear of a candidate
Steps = Generator[PlanStep, Sequence[Observation], None]
Take = Callable[[ToolRequest, Observation], ToolRequest | None]
Call = tuple[str, Mapping[str, object]]
"""The name of a tool, and the arguments."""


class ScriptedSearcher:
    """Searches for the answer to one question. One serves one episode; it speaks `dialect`."""

    def __init__(self, spec: WorldSpec, task: Task, reader: PageReader, dialect: Dialect, thoughts: Thoughts) -> None:
        self._spec, self._task, self._reader, self._dialect = spec, task, reader, dialect
        self._finds = FindInPage in dialect.types.values()
        self.beliefs = Beliefs(spec, reader, spec.web.settled_by)
        self._truth = TermTruth(spec, self.beliefs)
        goals = goals_of(spec, task)
        self.questions = OpenQuestions(spec, self.beliefs, self._truth, goals)
        self._hosts = {
            by_site(column.partition("#")[2], site): host
            for column, sites in self.questions.asked_of_sites.items()
            for site in sites
            if (host := reader.host_of(site)) and host in task.wording
        }
        self._writer = QueryWriter(spec, task, goals, self._hosts)
        self._answer = AnswerWriter(task, self.beliefs, self._truth, self.questions)
        self._leads = Leads(self._writer.words())
        self._queries = self._writer.openings()
        self._opening, self._further, self._least = _OPENING, _FURTHER, _LEAST
        self._n_openings = 0
        self._n_queries: dict[str, int] = {}
        self._queries_made: set[str] = set()
        self._n_opened: dict[str, int] = {}
        self._called: dict[str, str] = {}
        self._followed: set[str] = set()
        self._looked_in: set[tuple[str, str]] = set()
        self._concerned: list[str] = []
        self._reporter = Reporter(spec, task, self.beliefs, self._truth, self.questions, self._writer, thoughts)
        self._n_calls, self._has_read_notes = 0, False
        self._notebook = self._new_notebook(thoughts) if DictMemory in dialect.types.values() else None
        self._reasons = ActionReasons(self.beliefs, self._leads, self._reporter, task.language)
        self._know(goals[0].given)

    def _new_notebook(self, thoughts: Thoughts) -> Notebook:
        goal = self.questions.goals[0]
        asked = {column.path: column.label for column in self._task.columns}
        labels = [asked.get(path) or self._writer.label(goal.table, path) for path in goal.columns]
        key = thoughts.form("note_key", n="{n}")
        return Notebook(self._answer, self.beliefs, self.questions, [label_of(self._spec, goal.about), *labels], key)

    def _look_by_name(self) -> None:
        """Expect more of pages on entities that the question names, and of searches for them, than of lists."""
        self._leads.list_worth = _LIST_BESIDE_NAMES
        self._opening = self._further = self._least = _LEAST_BY_NAME

    def _know(self, names: Mapping[str, str]) -> None:
        """Take entities that are named elsewhere than on pages, in the question, by id."""
        for entity, name in names.items():
            self.beliefs.know(entity, name)
            self._called.setdefault(name, entity)
            self._leads.name(entity, name)
        self.questions.meet(names)

    def play(self) -> Plan:
        """Search until nothing promises more, or calls are used up, and answer."""
        try:
            end = yield from self._steps()
        except OutOfCallsError:
            end = "out_of_calls"
        return self._final(end)

    def _steps(self) -> Generator[PlanStep, Sequence[Observation], str]:
        """Search; return why it ends, in the words of `thoughts.yaml`."""
        while (action := self._next_action()) is not None:
            yield from action
        return "finish"

    def _next_action(self) -> Steps | None:
        """Return what to do next; None where the answer is."""
        return self._write_notes() or self._best_action() or self._read_notes()

    def _best_action(self) -> Steps | None:
        """Return what is expected to tell most; None where nothing promises more."""
        pages, queries = self._best_pages(), self._best_queries()
        page, query = (max((one[0] for one in found), default=0.0) for found in (pages, queries))
        if max(page, query) < self._least:
            return None
        if query >= page:
            return self._search({query: entity for _, query, entity in queries})
        return self._read([lead for _, lead in pages])

    def _best_pages(self) -> list[tuple[float, Lead]]:
        """Return the pages that are expected to tell most, best first, as many as are opened at once."""
        return self._ranked_pages()[:PAGES_AT_ONCE]

    def _ranked_pages(self) -> list[tuple[float, Lead]]:
        """Return all pages heard of that may tell something, with what each is expected to tell, best first."""
        hosts = self._hosts_of(self._all_open()) if self._hosts else ()
        lists = (one for one in self._leads.lists() if not hosts or one[1].host in hosts)
        found = {(lead.url, lead.part): (worth, lead) for worth, lead in lists}
        for entity in self.questions.weights:
            weight = self.questions.expected(entity)
            for place, lead in enumerate(self._leads_on(entity)):
                worth = weight * self._leads.hit_rate(lead) / (1 + self._n_opened.get(entity, 0) + place)
                found[lead.url, lead.part] = found.get((lead.url, lead.part), (0.0, lead))[0] + worth, lead
        return sorted(found.values(), key=lambda one: -one[0])

    def _all_open(self) -> Iterator[str]:
        """Yield the columns with unknown values, of one entity after the other."""
        for entity in self.questions.weights:
            yield from self.questions.columns.get(entity, ())

    def _leads_on(self, entity: str) -> list[Lead]:
        """Return the unopened pages on an entity; where named sites are to give all that is open, only theirs."""
        leads = self._leads.on(entity)
        hosts = self._hosts_of(self.questions.columns.get(entity, ())) if self._hosts else ()
        return [lead for lead in leads if lead.host in hosts] if hosts else leads

    def _hosts_of(self, columns: Iterable[str]) -> set[str]:
        """Return the hosts that give the figures of `columns`; none where a value may come from any site."""
        hosts = {self._hosts.get(column, "") for column in columns}
        return set() if "" in hosts else hosts

    def _best_queries(self) -> list[tuple[float, str, str]]:
        """Return the queries that are expected to lead furthest, best first, each with the entity it is about."""
        found = [(self._further if self._n_openings else self._opening, query, "") for query in self._queries]
        for entity in self.questions.weights:
            weight = self.questions.expected(entity)
            n = self._n_queries.get(entity, 0)
            if entity in self.beliefs.names and n < _most_queries(weight) and not self._leads_on(entity):
                worth = weight * _QUERY / (1 + n + self._n_opened.get(entity, 0))
                if worth >= self._least and (query := self._query_about(entity, n)):
                    found.append((worth, query, entity))
        return sorted(found, key=lambda one: -one[0])[:_QUERIES_AT_ONCE]

    def _query_about(self, entity: str, n: int) -> str:
        """Write the next query about an entity that was not made yet; empty where there is none."""
        columns, titles = self.questions.columns.get(entity, {}), self._leads.telling_titles()
        name = self.beliefs.names[entity]
        while n < _MOST_QUERIES:
            query = self._writer.about(entity.partition("/")[0], name, columns, titles, n)
            if query not in self._queries_made:
                return query
            n += 1
        return ""

    # searching

    def _search(self, about: Mapping[str, str], why: Sequence[Occasion] = ()) -> Steps:
        """Search for queries, each with the entity that it is about, if it is about one."""
        why = why or self._reasons.to_search(about, first=not self._n_openings, again=self._is_again(about))
        for query, entity in about.items():
            self._queries_made.add(query)
            if entity:
                self._n_queries[entity] = self._n_queries.get(entity, 0) + 1
            elif query in self._queries:
                self._queries.remove(query)
                self._n_openings += 1

        def take(request: ToolRequest, seen: Observation) -> ToolRequest | None:
            assert isinstance(request, SearchRequest)
            view = self._dialect.parse(request, seen.text)
            if not isinstance(view, SearchView):
                return request if view is None or is_transient(seen.text) else None
            for block in view.blocks:
                self._take_results(block, about.get(block.query, ""))
            failed = tuple(block.query for block in view.blocks if is_transient(block.message))
            return replace(request, queries=failed) if failed else None

        yield from self._ask([SearchRequest(tuple(about))], take, why)
        for entity in about.values():
            self._give_up_on(entity)

    def _is_again(self, about: Mapping[str, str]) -> bool:
        """Return whether there were queries about all entities before that these are about."""
        return all(self._n_queries.get(one) for one in about.values() if one)

    def _take_results(self, block: SearchBlock, entity: str) -> None:
        name = self.beliefs.names.get(entity, "")
        likely = self.questions.weights.get(entity, 0.0) >= LIKELY * ON_THE_WAY
        for place, result in enumerate(block.results, 1):
            on = self._called.get(result.title, "")
            if entity and (name in result.snippet or (likely and not on)) and (result.url, name) not in self._looked_in:
                on = entity
            fits = 0.0 if entity else max(_FOUND / place, _SNIPPET * self._leads.words.relevance(result.snippet))
            self._leads.hear(result.url, result.title, on, relevance=fits, query=block.query)

    # reading

    def _read(self, leads: Sequence[Lead]) -> Steps:
        """Open pages; of those that are not on the entity itself, first find where they name it, if there is a tool."""
        to_find = [lead for lead in leads if self._finds and self._must_be_found(lead)]
        if to_find:
            yield from self._find(to_find)
        if rest := [lead for lead in leads if lead not in to_find]:
            yield from self._open(rest)

    def _must_be_found(self, lead: Lead) -> bool:
        name = self.beliefs.names.get(lead.about, "")
        return bool(name) and not lead.named and name not in lead.title

    def _find(self, leads: Sequence[Lead]) -> Steps:
        by_place = {(lead.url, self.beliefs.names[lead.about]): lead for lead in leads}
        self._looked_in |= by_place.keys()

        def take(request: ToolRequest, seen: Observation) -> ToolRequest | None:
            assert isinstance(request, FindInPage)
            lead, view = by_place[request.url, request.words], self._dialect.parse(request, seen.text)
            if is_transient(seen.text) or is_cut(seen.text):
                return request
            if isinstance(view, FoundView):
                self._take_found(lead, seen, view)
            return None

        for lead in leads:
            self._leads.drop(lead)
        requests = [FindInPage(url, name) for url, name in by_place]
        self._concerned = [lead.about for lead in leads]
        yield from self._ask(requests, take, self._reasons.to_find(leads))
        for lead in leads:
            self._give_up_on(lead.about)

    def _take_found(self, lead: Lead, seen: Observation, view: FoundView) -> None:
        """Note what the lines found state, and in which parts of the page they stand."""
        report = self._reporter.report
        told = report.named_in if view.lines else report.not_named_in
        told.append((view.title, self.beliefs.names[lead.about]))
        for reading in self._readings(lead, seen):
            self._take_reading(reading)
        for part in dict.fromkeys(line.part for line in view.lines if _leaves_out(line.text)):
            if not self._leads.is_opened(lead.url, part):
                self._leads.hear(lead.url, lead.title, lead.about, part, named=True)

    def _open(self, leads: Sequence[Lead], why: Sequence[Occasion] = ()) -> Steps:
        by_place = {(lead.url, lead.part): lead for lead in leads}

        def take(request: ToolRequest, seen: Observation) -> ToolRequest | None:
            assert isinstance(request, OpenRequest)
            view = self._dialect.parse(request, seen.text)
            if view is None or is_transient(seen.text) or is_cut(seen.text):
                return request
            self._take_page(by_place[request.url, request.part], seen, view if isinstance(view, PageView) else None)
            return None

        why, self._concerned = why or self._reasons.to_open(leads), [lead.about for lead in leads]
        yield from self._ask([OpenRequest(lead.url, lead.part) for lead in leads], take, why)
        for lead in leads:
            if not self._leads.is_opened(lead.url, lead.part):
                self._leads.opened(lead, lead.title, 0.0, None)

    def _take_page(self, lead: Lead, seen: Observation, view: PageView | None) -> None:
        """Note what a page states, and what it was worth."""
        title, n_parts = (view.title, view.n_parts) if view is not None else (lead.title, 1)
        self._leads.has_parts(lead.url, n_parts)
        weights, gain = dict(self.questions.weights), 0.0
        hoped = list(self.questions.columns.get(lead.about, ())) if lead.about else []
        for reading in self._readings(lead, seen):
            gain += NEW_NAME * self._take_reading(reading)
        if lead.about:
            self._n_opened[lead.about] = self._n_opened.get(lead.about, 0) + 1
            if lead.part >= n_parts:
                self._truth.explored.add(lead.about)
                self.questions.update([lead.about])
        gain += sum(max(0.0, weight - self.questions.weights.get(one, 0.0)) for one, weight in weights.items())
        was_open = weights.get(lead.about, 0.0)
        self._leads.opened(lead, title, gain, min(1.0, gain / was_open) if was_open else None)
        self._note_absences(lead, title, hoped, n_parts)
        if n_parts > lead.part and not lead.named:
            self._leads.hear(lead.url, title, lead.about, lead.part + 1)
        self._follow_up()
        self._give_up_on(lead.about)
        self._reporter.report.n_read += 1
        self._reporter.report.gain += gain

    def _note_absences(self, lead: Lead, title: str, hoped: Sequence[str], n_parts: int) -> None:
        """Note what a page of one part, read on an entity, does not give of it."""
        open_columns = self.questions.columns.get(lead.about, {})
        for column in hoped[:1] if n_parts == 1 else ():
            if column in open_columns and not column.startswith(ROWS):
                self._reporter.absent(lead.about, column, title)

    def _readings(self, lead: Lead, seen: Observation) -> Sequence[Reading]:
        """Read an observation of a page."""
        asked = self.questions.asked_of_sites
        return [self._reader.with_site_figures(reading, asked) for reading in self._reader.read(seen)]

    def _take_reading(self, reading: Reading) -> int:
        """Note what is stated; return how many candidates were met."""
        news = self.beliefs.take(reading)
        for entity in news.names:
            self._called.setdefault(self.beliefs.names[entity], entity)
            self._leads.name(entity, self.beliefs.names[entity])
        for anchor, url in reading.links:
            self._leads.hear(url, anchor, self._called.get(anchor, ""), linked_from=reading.source.title)
        self._update((*news.facts, *news.confirmed))
        met = self.questions.meet(news.names)
        self._reporter.report.met += [self.beliefs.names[entity] for entity in met]
        self._reporter.verdicts()
        self._report_values(reading, news)
        return len(met)

    def _update(self, facts: Iterable[str]) -> None:
        """Test again what rests on facts."""
        rows = {fact.partition("#")[0] for fact in facts}
        ends = {end for row in rows if row.partition("/")[0] in self._spec.relations for end in self.beliefs.ends(row)}
        self.questions.update(rows | ends)

    def _report_values(self, reading: Reading, news: News) -> None:
        """Note the values that were read for the answer, and on what pages disagree."""
        self._reporter.values(reading, news)

    def _follow_up(self) -> None:
        """Ask for the candidates that entities lead to which were found to be on the way to them."""
        for number in range(1, len(self.questions.goals)):
            for entity in self.questions.qualified(number):
                name = self.beliefs.names.get(entity, "")
                if name and entity not in self._followed:
                    self._followed.add(entity)
                    self._leads.add_value(name)
                    self._queries.append(self._writer.through(name))

    def _give_up_on(self, entity: str) -> None:
        """Hope for nothing more of an entity whose pages were read, and which queries find no further pages on."""
        if entity not in self.questions.weights or self._leads_on(entity):
            return
        if self._n_queries.get(entity, 0) >= _most_queries(self.questions.weights[entity]):
            self._truth.given_up.add(entity)
            self.questions.update([entity])
            self._reporter.verdicts()

    # notes

    def _write_notes(self) -> Steps | None:
        due = self._notebook.due(self._n_calls) if self._notebook is not None else None
        if due is None:
            return None
        why: list[Occasion] = [("note_changed", {})] if due.changes else []
        if due.new is not None:
            kinds, n = self._writer.several(self._task.about), self._reporter.number(due.n_new)
            why.append(("note", {"n": n, "kinds": kinds}))
        return self._ask([*due.changes, *([due.new] if due.new is not None else [])], _take_note, why)

    def _read_notes(self) -> Steps | None:
        """Return how to read the notes before the answer, if there are any that were not read."""
        if self._notebook is None or not self._notebook.has_notes or self._has_read_notes:
            return None
        self._has_read_notes = True
        return self._ask([NoteRequest("retrieve_all")], _take_note, [("read_notes", {})])

    # calls, thoughts, answer

    def _ask(self, requests: Sequence[ToolRequest], take: Take, why: Sequence[Occasion]) -> Steps:
        """Make the calls of all requests together; make those again that `take` returns."""
        for _ in range(_TRIES):
            calls = [call for request in requests for call in self._calls(request)]
            observations = yield from self._make([call for _, call in calls], self._think(*why))
            again = [take(request, seen) for (request, _), seen in zip(calls, observations, strict=True)]
            requests = [request for request in again if request is not None]
            if not requests:
                return
            self._reporter.report.n_failed, why = len(requests), [("again", {})]

    def _make(
        self, calls: Sequence[Call], thought: SlottedText
    ) -> Generator[PlanStep, Sequence[Observation], Sequence[Observation]]:
        """Make calls together; return what they brought."""
        self._n_calls += len(calls)
        return (yield PlanStep("", calls, thought))

    def _calls(self, request: ToolRequest) -> Iterator[tuple[ToolRequest, Call]]:
        for name, arguments in self._dialect.ask(request):
            read = self._dialect.read(ToolCall("", name, json.dumps(arguments, ensure_ascii=False)))
            assert not isinstance(read, ErrorView), read.message
            yield read, (name, arguments)

    def _think(self, *why: Occasion) -> SlottedText:
        """Word what happened since the last thought and why the next calls are made; begin a new report."""
        concerned, self._concerned = self._concerned, []
        return self._reporter.word(concerned, *why)

    def _final(self, end: str) -> FinalAnswer:
        """Answer with what is believed; what nothing was read of does not hold."""
        unchecked = self._reporter.unchecked() if end == "finish" else []
        self._truth.closed = True
        self.questions.test_all()
        found = self.questions.qualified()
        table = self._answer.table(found)
        name, label = self._reporter.missing()
        n_rows = table.count("\n|") - 2  # below the head and the line of dashes
        occasion = "finish_without" if end == "finish" and name else end
        why = self._reporter.ending(occasion, n_rows, name, label)
        computed = self._reasons.to_answer(self._task, self._answer, found)
        return FinalAnswer(table, self._reporter.word_last(*unchecked, *computed, why, refused=end == "out_of_calls"))


def _most_queries(weight: float) -> int:
    """Return how many queries about an entity are worth it, by what is open on it."""
    return _MOST_QUERIES if weight >= LIKELY * ON_THE_WAY else _FEW_QUERIES


def _take_note(request: ToolRequest, seen: Observation) -> ToolRequest | None:
    return request if is_transient(seen.text) else None


def _leaves_out(line: str) -> bool:
    """Return whether what is told of a name may stand beside its line: below a heading, or beyond a cut."""
    return line.startswith("#") or len(line) >= MOST_CHARACTERS
