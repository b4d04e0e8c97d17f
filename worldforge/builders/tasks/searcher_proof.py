"""What a task takes somebody who knows only what it has seen: the searcher plays it, without thoughts and controls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import AgentTurn, run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.run_async import run_sync
from worldforge.environments.coverage import GoldSource
from worldforge.environments.environment import Environment
from worldforge.environments.session import Observation
from worldforge.models.openai_server import estimate_tokens
from worldforge.schema.task_section import SearcherGate
from worldforge.scoring.gold_table import GoldTable
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.computed_cells import facts_of
from worldforge.world.evidence import Evidence
from worldforge.world.task import Task
from worldforge.world.world import World

FIRST_CALLS = 25
"""The calls after which the first share of `searcher_coverage` is measured; each further one after twice as many."""


class SearcherProof:
    """Lets the searcher play tasks of a world, to measure what it needs."""

    def __init__(self, world: World, environment: Environment, source: GoldSource, gate: SearcherGate) -> None:
        self._environment, self._evidence, self._gate = environment, source.evidence, gate
        planner = environment.planners["searcher"](type(environment), "thoughts=none")
        self._plan = planner.prepare(world, source, environment.dialect)

    def measured(self, task: Task, gold: GoldTable) -> Task:
        """Fill in the columns `searcher_…` of a task."""
        most = self._gate.max_steps
        agent = PlannedAgent(self._plan(task, 0), max_steps=most)
        episode = run_sync(run_episode(agent, self._environment.session(task), EpisodeLimits(most)))
        seen = [one for turn in episode.turns for one in turn.observations]
        opened = {part.page for one in seen for part in one.disclosed}
        return task.measured(
            searcher_calls=episode.n_tool_calls,
            searcher_pages=len(opened),
            searcher_tokens=sum(map(_n_tokens, episode.turns)),
            searcher_f1=round(score_strict(episode.answer, gold).item_f1, 6),
            searcher_coverage=coverage_over_calls(self._evidence, task, seen),
        )

    def reason(self, task: Task) -> str:
        """Return why a measured task is not kept; empty where the searcher reaches enough."""
        reached = task.measures.searcher_f1 or 0.0
        if reached >= self._gate.item_f1:
            return ""
        return f"searchable: the searcher reaches item F1 {reached:.3f} in {task.measures.searcher_calls} calls"


def _n_tokens(turn: AgentTurn) -> int:
    given = sum(estimate_tokens(call.arguments) for call in turn.action.tool_calls)
    return estimate_tokens(turn.action.content) + given + sum(estimate_tokens(one.text) for one in turn.observations)


def coverage_over_calls(evidence: Evidence, task: Task, seen: Sequence[Observation]) -> tuple[float, ...]:
    """Return the share of gold's cells that observations had shown after 25 calls, 50, 100 …, the last one after all.

    A cell is shown once each fact that it rests on stood in what was disclosed of a page that states it truly.
    """
    order = _calls_until_shown(evidence, task, seen)
    cells = [facts_of(cell) for row in task.facts for cell in row]
    shown = sorted(max(order.get(fact, len(seen)) for fact in facts) + 1 for facts in cells if facts)
    marks = [FIRST_CALLS]
    while marks[-1] < len(seen):
        marks.append(2 * marks[-1])
    found = [bisect_right(shown, min(mark, len(seen))) for mark in marks]
    return tuple(round(n / max(1, len(shown)), 4) for n in found)


def _calls_until_shown(evidence: Evidence, task: Task, seen: Sequence[Observation]) -> dict[str, int]:
    """Return after how many calls each fact of gold was shown; one that is stated relative to another after both."""
    opened: dict[int, list[tuple[int, int, int]]] = {}
    for number, one in enumerate(seen):
        for part in one.disclosed:
            opened.setdefault(part.page, []).append((number, part.start, part.end))
    order: dict[str, int] = {}
    facts = dict.fromkeys(fact for row in task.facts for cell in row for fact in facts_of(cell))
    for fact in facts:
        first = min(_shown_at(evidence, fact, opened), default=None)
        relation = evidence.relation(fact)
        if first is not None and relation is not None:
            other = min(_shown_at(evidence, relation.fact, opened), default=None)
            first = None if other is None else max(first, other)
        if first is not None:
            order[fact] = first
    return order


def _shown_at(evidence: Evidence, fact: str, opened: dict[int, list[tuple[int, int, int]]]) -> Iterator[int]:
    for mention in evidence.of(fact):
        start, end = evidence.start[mention], evidence.end[mention]
        for number, first, last in opened.get(int(evidence.page[mention]), ()):
            if first <= start and end <= last:
                yield number
