"""The oracle: plans from the mentions, acts only through the tools, answers only from what it has observed.

It knows the gold's facts and the pages that state them: its success proves that a task can be solved with the tools at
hand, and its trajectories show a searcher who knows where to look. What it does not see in an observation it leaves
empty. It begins with a broad search and opens lists before the pages they name, three at a time: one search with a
query for each page whose address it has not come across, then the pages themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Sequence

from worldforge.agents.agent import Action
from worldforge.agents.plan import Plan, PlannedPage
from worldforge.environments.session import Observation
from worldforge.models.chat import ToolCall
from worldforge.world.task import Task

NAME = "oracle"
VERSION = "1"
_BATCH = 3
_URL = re.compile(r"https?://[^\s)\]>]+")
_NOT_WORDS = re.compile(r"[^\w\s'’-]+")
_Script = Generator[Action, Sequence[Observation], None]


class Oracle:
    """An agent that follows a plan. One oracle serves one episode."""

    def __init__(self, task: Task, plan: Plan) -> None:
        self._task, self._plan = task, plan
        self._urls: set[str] = set()
        self._values: dict[str, str] = {}
        self._n_calls = 0
        self._script = self._play()
        self._started = False

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Return the next action of the script."""
        if not self._started:
            self._started = True
            return next(self._script)
        return self._script.send(observations)

    def _play(self) -> _Script:
        words = "I will begin with a broad search."
        self._note((yield Action(words, (self._call("web_search", {"queries": opening_queries(self._task)}),))))
        for pages in (self._plan.lists, self._plan.others):
            for first in range(0, len(pages), _BATCH):
                batch = pages[first : first + _BATCH]
                yield from self._find(batch)
                yield from self._open([page for page in batch if page.url in self._urls])
        yield Action(self._answer())

    def _find(self, batch: Sequence[PlannedPage]) -> _Script:
        """Search until each page's address has been seen, or there is nothing left to type."""
        queries = {page.url: queries_for(page) for page in batch}
        while True:
            missing = [page for page in batch if page.url not in self._urls]
            typed = [query for page in missing if (query := next(queries[page.url], None))]
            if not typed:
                return
            words = f"Let me look for {_listed([page.title for page in missing])}."
            self._note((yield Action(words, (self._call("web_search", {"queries": typed}),))))

    def _open(self, pages: list[PlannedPage]) -> _Script:
        wanted = [(page, part) for page in pages for part in page.parts]
        for first in range(0, len(wanted), _BATCH):
            batch = wanted[first : first + _BATCH]
            calls = tuple(self._call("web_extractor", _address(page, part)) for page, part in batch)
            words = f"I will read {_listed(list(dict.fromkeys(page.title for page, _ in batch)))}."
            observations = yield Action(words, calls)
            self._note(observations)
            for (page, part), observation in zip(batch, observations, strict=True):
                self._read(page, part, observation.text)

    def _note(self, observations: Sequence[Observation]) -> None:
        for observation in observations:
            self._urls.update(_URL.findall(observation.text))

    def _read(self, page: PlannedPage, part: int, text: str) -> None:
        for reading in page.readings:
            place = text.find(reading.line) if reading.part == part else -1
            if place >= 0:
                self._values[reading.fact] = text[place + reading.start : place + reading.end]

    def _call(self, name: str, arguments: dict[str, object]) -> ToolCall:
        self._n_calls += 1
        return ToolCall(f"call_{self._n_calls}", name, json.dumps(arguments, ensure_ascii=False))

    def _answer(self) -> str:
        header = f"| {' | '.join(self._task.labels)} |"
        rule = f"|{'|'.join(' --- ' for _ in self._task.labels)}|"
        rows = [f"| {' | '.join(self._values.get(fact, '') for fact in row)} |" for row in self._task.facts]
        return "\n".join(["```markdown", header, rule, *rows, "```"])


def opening_queries(task: Task) -> list[str]:
    """Put what a task asks into a few words: what is sought, by each of its conditions."""
    sought = task.labels[0].lower()
    told = [
        f"{condition.path.replace('.', ' ').replace('_', ' ')} {condition.written}" for condition in task.conditions
    ]
    return [f"{sought} {words}" for words in told] or [sought]


def queries_for(page: PlannedPage) -> Iterator[str]:
    """Give queries that may find a page, the most natural first: its title, then words of the lines to read there."""
    title = _worded(page.title)
    yield title
    for reading in page.readings[:3]:
        yield f"{title} {_worded(reading.line)}"[:160]
    for reading in page.readings[:3]:
        yield _worded(reading.line)[:160]


def _address(page: PlannedPage, part: int) -> dict[str, object]:
    return {"url": page.url} if part == 1 else {"url": page.url, "part": part}


def _worded(text: str) -> str:
    return " ".join(_NOT_WORDS.sub(" ", _URL.sub(" ", text)).split())


def _listed(titles: list[str]) -> str:
    quoted = [f"“{title}”" for title in titles]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
