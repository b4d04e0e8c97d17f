"""Play one task with your own agent, and score one answer.

    played = play(world, world.tasks[0], Skimmer)
    played.scores["item_f1"], played.answer

Nothing is written to disk: `rollout` plays whole runs and records them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import Episode, run_episode
from worldforge.core.errors import InputError
from worldforge.core.run_async import run_sync
from worldforge.environments.call_budget import agent_steps
from worldforge.environments.goals import Outcome
from worldforge.environments.registry import dialect_of, environment_named
from worldforge.environments.session import outcome_of
from worldforge.environments.shipped import DEFAULT
from worldforge.rollouts.agents import AgentClass, make_agent
from worldforge.rollouts.scores import gold_table, score_row
from worldforge.world.task import Task
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class ScoredEpisode:
    """An episode that was played: its turns, the final answer, its scores (columns of a trajectory, fractions of 1).

    `outcome` says how the final state compares with the task's goal, None where gold is a table; then `scores` hold
    `success` alone.
    """

    task: Task
    episode: Episode
    scores: Mapping[str, Any]
    outcome: Outcome | None = None

    @property
    def answer(self) -> str:
        """The text of the final turn."""
        return self.episode.answer


class PlayOptions(TypedDict, total=False):
    """Options of `play`."""

    environment: str
    dialect: str
    seed: int
    max_steps: int | None


def play(world: World, task: Task | str, agent: AgentClass, **options: Unpack[PlayOptions]) -> ScoredEpisode:
    """Play one task and score the answer.

    `agent` is a class, or a function, that makes an agent of the question's text (and of its tools, where it takes
    two arguments); see `worldforge.agents.own_agent`. `task` may be an id. `environment` (default: `search`) and
    `dialect` name the tools; `seed` is what chance follows; `max_steps` are tool calls (default: 50, or twice what the
    oracle needed where that is more).

    Inside a running event loop, `await play_async(…)` lets others go on. Raises what the agent raises, and InputError
    for names that do not exist.
    """
    return run_sync(play_async(world, task, agent, **options))


async def play_async(
    world: World, task: Task | str, agent: AgentClass, **options: Unpack[PlayOptions]
) -> ScoredEpisode:
    """Do as `play` in the running event loop."""
    task = world.task(task) if isinstance(task, str) else task
    kind = environment_named(options.get("environment", DEFAULT))
    session = kind(world, dialect_of(kind, options.get("dialect", ""))).session(task, options.get("seed", 0))
    player = make_agent(agent, task.wording, session.tools)
    episode = await run_episode(player, session, EpisodeLimits(options.get("max_steps") or agent_steps(task)))
    outcome = outcome_of(session)
    scores = {"success": outcome.success} if outcome is not None else score_answer(world, task, episode.answer)
    return ScoredEpisode(task, episode, scores, outcome)


def score_answer(world: World, task: Task | str, answer: str) -> Mapping[str, Any]:
    """Score one answer, a Markdown table, with both scorers; the columns of a trajectory's scores by name.

    F1, precision and recall are fractions of 1, by item (cell) and by row; those of the scorer that is compatible with
    the benchmark begin with `compat_`. Raises InputError for a task whose gold is no table.
    """
    task = world.task(task) if isinstance(task, str) else task
    gold = gold_table(world, task)
    if gold is None:
        raise InputError(f"the gold of {task.id} is a state, not a table", "play the task: `worldforge.play`")
    return score_row(gold, answer)
