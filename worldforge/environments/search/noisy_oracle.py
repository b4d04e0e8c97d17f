"""A noisy oracle: the oracle's skill, and mistakes at chosen rates, so that imperfect trajectories need no model.

It wanders off, repeats itself, sends calls that are malformed, misreads and forgets values, gives up too early; and it
recovers, sometimes: it looks at a page again and puts right what it had wrong. What it does it does through the tools,
and says in words; the same seed gives the same trajectory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from typing import Annotated
from urllib.parse import parse_qsl

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.environments.coverage import GoldSource
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment, MakePlan, OutOfCallsError, Plan, Planner, PlanStep
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.dialects import AGENT_WORLD
from worldforge.environments.search.evidence_plan import PlannedPage, ReadingPlan, read_page, urls_in, worded
from worldforge.environments.search.oracle import PHRASES, Choice, SearchOracle, Steps, reading_plans
from worldforge.environments.search.requests import OpenRequest, SearchRequest
from worldforge.environments.session import Observation
from worldforge.world.task import Task
from worldforge.world.world import World

NAME = "noisy-oracle"
_EXAMPLE = f"for example: `{NAME}?wander=0.2&misread=0.05`"
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_WORDS = 6  # of a search off the path
_Rate = Annotated[float, Field(ge=0, le=1)]


class NoiseRates(BaseModel):
    """Rates of mistakes, each from 0 to 1.

    Of each turn: `wander` off the path, `repeat` what was just done, send a `malformed` call, `give_up`. Of each value
    on a page: `misread` another in its place, `forget` to read it. `recover` is the share of values so lost that a
    second look at the page puts right.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    wander: _Rate = 0.15
    repeat: _Rate = 0.08
    malformed: _Rate = 0.05
    give_up: _Rate = 0.03
    misread: _Rate = 0.1
    forget: _Rate = 0.1
    recover: _Rate = 0.4

    @classmethod
    def parse(cls, text: str) -> NoiseRates:
        """Read `wander=0.2&misread=0.05`, or nothing. Raises InputError for what is no rate."""
        try:
            return cls.model_validate(dict(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))))
        except ValidationError as error:
            first = error.errors()[0]
            message = f"{NAME}: `{first['loc'][0]}={first['input']}`: {first['msg']}"
            raise InputError(message, f"the rates are {', '.join(cls.model_fields)}") from error
        except ValueError as error:
            raise InputError(f"{NAME}: `{text}` is not written as rates are", _EXAMPLE) from error

    def __str__(self) -> str:
        return "&".join(f"{name}={rate:g}" for name, rate in self)


class NoisyPlanner(Planner):
    """Plans tasks as the oracle does, and errs at the rates that its settings give."""

    def __init__(self, environment: type[Environment], settings: str) -> None:
        super().__init__(environment, "")
        self._noise = NoiseRates.parse(settings)
        self.version = f"2?{self._noise}"

    def prepare(self, world: World, source: GoldSource, dialect: Dialect) -> MakePlan:
        """Index mentions by fact, and map the world's texts."""
        reading = reading_plans(world, source)
        return lambda task, seed: NoisyOracle(task, reading(task), self._noise, seed=seed, dialect=dialect).play()


class NoisyOracle(SearchOracle):
    """An oracle that errs. One serves one episode, whose seed is `seed`."""

    def __init__(
        self, task: Task, plan: ReadingPlan, noise: NoiseRates, *, seed: int, dialect: Dialect = AGENT_WORLD
    ) -> None:
        super().__init__(task, plan, dialect)
        self._noise, self._phrases = noise, PHRASES[task.language]
        self._chance, self._n_draws = Stream(seed, "noisy_oracle"), 0
        self._seen = ""
        self._planned = {page.url for page in (*plan.lists, *plan.others)}
        self._doubts: dict[tuple[str, int], tuple[PlannedPage, set[str]]] = {}

    def play(self) -> Plan:
        """Solve the task with mistakes; without calls left, answer with what was noted."""
        try:
            remark = yield from self._noisy_steps()
        except OutOfCallsError:
            remark = ""
        return remark + self.answer()

    def _noisy_steps(self) -> Generator[PlanStep, Sequence[Observation], str]:
        """Take the oracle's steps, with mistakes; return the text before the answer."""
        noise, remark = self._noise, ""
        sober = self.steps()
        step: PlanStep | None = next(sober)
        while step is not None:
            if self._happens(noise.give_up):
                return f"{self.pick(self._phrases['give_up'])}\n\n"
            if self._happens(noise.wander):
                yield from self._wander()
            if self._happens(noise.malformed):
                yield self._malformed(step)
                remark = self.pick(self._phrases["mended"])
            observations = yield PlanStep(remark + step.words, step.calls)
            self._seen = "\n".join(observation.text for observation in observations)
            following = _next(sober, observations)
            if self._happens(noise.repeat):
                yield PlanStep(self.pick(self._phrases["repeat"]), step.calls)
            remark = yield from self._look_again()
            step = following
        return remark and f"{remark.strip()}\n\n"

    def _wander(self) -> Steps:
        """Open an unneeded page, or search for words of the last observation."""
        off_path = sorted(set(urls_in(self._seen)) - self._planned)
        lines = [words for line in self._seen.splitlines() if len(words := worded(line).split()) >= _WORDS]
        remark: Sequence[str] = self._phrases["wander_search"]
        request: ToolRequest
        if off_path and (not lines or self._happens(0.5)):
            remark, request = self._phrases["wander_open"], OpenRequest(self.pick(off_path))
        elif lines:
            at = self.pick(lines)
            first = int(self._draw() * (len(at) - _WORDS + 1))
            request = SearchRequest((" ".join(at[first : first + _WORDS]),))
        else:
            return
        yield PlanStep(self.pick(remark), self._dialect.ask(request))

    def _malformed(self, step: PlanStep) -> PlanStep:
        """Corrupt the first call of a step: cut JSON, a wrong argument name, or an unknown tool."""
        name, given = step.calls[0]
        assert not isinstance(given, str), "oracles give arguments, not text"
        text = json.dumps(given, ensure_ascii=False)
        renamed = {("input" if n == 0 else key): value for n, (key, value) in enumerate(given.items())}
        spoilt: tuple[tuple[str, Mapping[str, object] | str], ...] = (
            (name, text[: -1 - int(self._draw() * len(text) / 2)]),
            (name, renamed),
            (f"{name.split('_')[0]}_tool", given),
        )
        return PlanStep(step.words, [self.pick(spoilt)])

    def _look_again(self) -> Generator[PlanStep, Sequence[Observation], str]:
        """Reread pages with doubtful notes and correct these; return a remark."""
        remark = ""
        for (url, part), (page, facts) in self._doubts.items():
            words = self.pick(self._phrases["second_look"]).format(title=page.title)
            observations = yield PlanStep(remark + words, self._dialect.ask(OpenRequest(url, part)))
            shown = [item for seen in observations for item in read_page(page, part, seen.text).items()]
            right = {fact: value for fact, value in shown if fact in facts}
            remark = self.pick(self._phrases["corrected"]) if right else ""
            self.values |= right
        self._doubts = {}
        return remark

    def read(self, page: PlannedPage, part: int, text: str) -> dict[str, str]:
        """Read a page; misread and forget some values, and doubt some of those."""
        right = read_page(page, part, text)
        noted = {fact: self._note(fact, right, text) for fact in right}
        wrong = [fact for fact in right if noted[fact] != right[fact]]  # in an order that is not of hashes: it draws
        doubted = {fact for fact in wrong if self._draw() < self._noise.recover}
        if doubted:
            self._doubts[page.url, part] = page, doubted
        return noted

    def _note(self, fact: str, right: Mapping[str, str], text: str) -> str:
        """Note one value of a page; a correct note stays correct."""
        value, draw = right[fact], self._draw()
        if self.values.get(fact) == value or draw >= self._noise.forget + self._noise.misread:
            return value
        if draw < self._noise.forget:
            return ""
        column = fact.partition("#")[2]
        others = [v for f, v in right.items() if f.partition("#")[2] == column and v != value]
        if not others and _NUMBER.fullmatch(value):
            others = [number for number in _NUMBER.findall(text) if len(number) == len(value) and number != value]
        return self.pick(others) if others and column != "name" else value

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """Draw one."""
        return choices[int(self._draw() * len(choices))]

    def _happens(self, rate: float) -> bool:
        return self._draw() < rate

    def _draw(self) -> float:
        self._n_draws += 1
        return float(self._chance.uniform(np.array([self._n_draws]))[0])


def _next(steps: Steps, observations: Sequence[Observation]) -> PlanStep | None:
    try:
        return steps.send(observations)
    except StopIteration:
        return None
