"""A noisy oracle: the oracle's skill, and mistakes at chosen rates, so that imperfect trajectories need no model.

It wanders off, repeats itself, sends calls that are malformed, misreads and forgets values, gives up too early; and it
recovers, sometimes: it looks at a page again and puts right what it had wrong. What it does it does through the tools,
and says in words; the same seed gives the same trajectory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from worldforge.agents import oracle_phrases
from worldforge.agents.agent import Action
from worldforge.agents.evidence_plan import Plan, PlannedPage
from worldforge.agents.noise_rates import NoiseRates
from worldforge.agents.observation_reader import read_page, urls_in
from worldforge.agents.oracle import Oracle
from worldforge.agents.query_wording import worded
from worldforge.agents.scripted_agent import Script, ScriptedAgent
from worldforge.core.chance import Stream
from worldforge.environments.dialect import Dialect
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.agentworld import AGENT_WORLD
from worldforge.environments.search.requests import OpenRequest, SearchRequest
from worldforge.environments.session import Observation
from worldforge.models.chat import ToolCall
from worldforge.world.task import Task

VERSION = "1"
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_WORDS = 6  # of a search off the path
_Choice = TypeVar("_Choice")


class NoisyOracle:
    """An oracle that errs. One serves one episode, whose seed is `seed`; `dialect` and `max_steps` as the oracle's."""

    def __init__(
        self,
        task: Task,
        plan: Plan,
        noise: NoiseRates,
        *,
        seed: int,
        dialect: Dialect = AGENT_WORLD,
        max_steps: int = 0,
    ) -> None:
        self._noise, self._dialect = noise, dialect
        self._said = oracle_phrases.REMARKS[task.language]
        self._oracle = Oracle(task, plan, dialect, read=self._read)
        self._chance = Stream(seed, "noisy_oracle")
        self._n_draws = self._n_calls = 0
        self._seen = ""
        self._planned = {page.url for page in (*plan.lists, *plan.others)}
        self._doubts: dict[tuple[str, int], tuple[PlannedPage, set[str]]] = {}
        self._player = ScriptedAgent(self._play(), self._oracle.answer, max_steps)

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Return the next action, well advised or not."""
        return self._player.step(observations)

    def _play(self) -> Script:
        noise, remark = self._noise, ""
        action = self._oracle.step(())
        while action.tool_calls:
            if self._happens(noise.give_up):
                break
            if self._happens(noise.wander):
                yield from self._wander()
            if self._happens(noise.malformed):
                yield self._numbered(self._malformed(action))
                remark = self._pick(self._said.mended)
            observations = yield self._numbered(replace(action, content=remark + self._worded(action.content)))
            self._seen = "\n".join(observation.text for observation in observations)
            following = self._oracle.step(observations)
            if self._happens(noise.repeat):
                yield self._numbered(replace(action, content=self._pick(self._said.repeat)))
            remark = yield from self._look_again()
            action = following
        gave_up = f"{self._pick(self._said.give_up)}\n\n" if action.tool_calls else remark and f"{remark.strip()}\n\n"
        yield Action(gave_up + self._oracle.answer())

    def _wander(self) -> Script:
        """Open a page that nobody needs, or search for words that happened to stand somewhere."""
        off_path = sorted(set(urls_in(self._seen)) - self._planned)
        lines = [words for line in self._seen.splitlines() if len(words := worded(line).split()) >= _WORDS]
        remark: Sequence[str] = self._said.wander_search
        request: ToolRequest
        if off_path and (not lines or self._happens(0.5)):
            remark, request = self._said.wander_open, OpenRequest(self._pick(off_path))
        elif lines:
            at = self._pick(lines)
            first = int(self._draw() * (len(at) - _WORDS + 1))
            request = SearchRequest((" ".join(at[first : first + _WORDS]),))
        else:
            return
        yield self._numbered(Action(self._pick(remark), self._calls(request)))

    def _malformed(self, action: Action) -> Action:
        """Spoil the first call of an action: its JSON is cut, an argument has a wrong name, the tool does not exist."""
        call = action.tool_calls[0]
        given = json.loads(call.arguments)
        renamed = {("input" if n == 0 else name): value for n, (name, value) in enumerate(given.items())}
        spoilt = (
            replace(call, arguments=call.arguments[: -1 - int(self._draw() * len(call.arguments) / 2)]),
            replace(call, arguments=json.dumps(renamed, ensure_ascii=False)),
            replace(call, name=f"{call.name.split('_')[0]}_tool"),
        )
        return Action(self._worded(action.content), (self._pick(spoilt),))

    def _look_again(self) -> Generator[Action, Sequence[Observation], str]:
        """Read pages anew where something was noted wrongly, and put it right; return what to say of it."""
        remark = ""
        for (url, part), (page, facts) in self._doubts.items():
            words = self._pick(self._said.second_look).format(title=page.title)
            observations = yield self._numbered(Action(remark + words, self._calls(OpenRequest(url, part))))
            shown = {fact: value for seen in observations for fact, value in read_page(page, part, seen.text).items()}
            right = {fact: value for fact, value in shown.items() if fact in facts}
            remark = self._pick(self._said.corrected) if right else ""
            self._oracle.values |= right
        self._doubts = {}
        return remark

    def _read(self, page: PlannedPage, part: int, text: str) -> dict[str, str]:
        """Read a page, misread and forget some of it, and doubt some of that."""
        right = read_page(page, part, text)
        noted = {fact: self._note(fact, right, text) for fact in right}
        wrong = [fact for fact in right if noted[fact] != right[fact]]  # in an order that is not of hashes: it draws
        doubted = {fact for fact in wrong if self._draw() < self._noise.recover}
        if doubted:
            self._doubts[page.url, part] = page, doubted
        return noted

    def _note(self, fact: str, right: Mapping[str, str], text: str) -> str:
        """Note one value of a page; one that was noted rightly before stays."""
        value, draw = right[fact], self._draw()
        if self._oracle.values.get(fact) == value or draw >= self._noise.forget + self._noise.misread:
            return value
        if draw < self._noise.forget:
            return ""
        column = fact.partition("#")[2]
        others = [v for f, v in right.items() if f.partition("#")[2] == column and v != value]
        if not others and _NUMBER.fullmatch(value):
            others = [number for number in _NUMBER.findall(text) if len(number) == len(value) and number != value]
        return self._pick(others) if others and column != "name" else value

    def _calls(self, request: ToolRequest) -> tuple[ToolCall, ...]:
        asked = self._dialect.ask(request)
        return tuple(ToolCall("", name, json.dumps(given, ensure_ascii=False)) for name, given in asked)

    def _numbered(self, action: Action) -> Action:
        """Give the calls of an action ids in the order in which they are made."""
        first = self._n_calls + 1
        self._n_calls += len(action.tool_calls)
        calls = tuple(replace(call, id=f"call_{n}") for n, call in enumerate(action.tool_calls, first))
        return replace(action, tool_calls=calls)

    def _worded(self, words: str) -> str:
        for begin, choices in oracle_phrases.BEGINNINGS.items():
            if words.startswith(begin):
                return self._pick(choices) + words.removeprefix(begin)
        return words

    def _pick(self, choices: Sequence[_Choice]) -> _Choice:
        return choices[int(self._draw() * len(choices))]

    def _happens(self, rate: float) -> bool:
        return self._draw() < rate

    def _draw(self) -> float:
        self._n_draws += 1
        return float(self._chance.uniform(np.array([self._n_draws]))[0])
