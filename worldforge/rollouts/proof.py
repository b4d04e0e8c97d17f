"""The proof that tasks can be solved: the oracle solves every episode of the run under the run's controls.

A task whose gold is a predicate over the final state is proved without controls too: its plan reaches the goal, and a
session in which nothing was done does not.

Wrong facts are left out of it: a world that lies at a chosen rate cannot be searched perfectly, and is not meant to be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from worldforge.agents.episode import Episode, run_episode
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.core.run_async import run_sync
from worldforge.environments.environment import Environment
from worldforge.environments.goals import Outcome
from worldforge.environments.session import outcome_of
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.agents import oracle_for
from worldforge.rollouts.environments import EnvironmentSettings
from worldforge.rollouts.episode_player import RolloutSetup
from worldforge.rollouts.factories import TaskMentions
from worldforge.rollouts.trials import Trial
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.site_figures import is_of_site
from worldforge.world.task import Task
from worldforge.world.world import World

_SHOWN = 5  # tasks named in a refusal
_NEEDS_PAGES = "it asks for figures by site, which only pages state"


def unsolvable(setup: RolloutSetup, trials: Sequence[Trial], progress: Progress) -> dict[str, str]:
    """Let the oracle play `trials` under the run's controls, worded by the engine and without wrong facts.

    Return the ids of those that it does not solve within the run's limits, each with the reason. Without controls
    tasks whose gold is a table need no proof. Tasks that ask for figures by site need an environment with pages: in
    others they are not solved.
    """
    if not setup.environment.environment.states_facts_on_pages:
        without_pages = {one.id: _NEEDS_PAGES for one in trials if any(map(is_of_site, one.task.answer_facts))}
        trials = [trial for trial in trials if trial.id not in without_pages]
        return without_pages | _unsolvable_by_controls(setup, trials, progress)
    return _unsolvable_by_controls(setup, trials, progress)


def _unsolvable_by_controls(setup: RolloutSetup, trials: Sequence[Trial], progress: Progress) -> dict[str, str]:
    if not setup.environment.controls:
        sets_goals = setup.environment.environment.goal is not Environment.goal
        trials = [trial for trial in trials if sets_goals or trial.task.goal]
    if not trials:
        return {}
    truthful = setup.environment.truthful()
    progress.start("proof", len(trials))
    return run_sync(_unsolved(setup, truthful, trials, progress))


def check_some_are_left(trials: Sequence[Trial], broken: Mapping[str, str]) -> None:
    """Raise InputError, naming some, where all of `trials` are among the `broken` ones, by id with reasons."""
    if len(broken) < len(trials):
        return
    reasons = [f"{id_} ({why})" for id_, why in broken.items()]
    more = f", and {len(reasons) - _SHOWN:,} more" if len(reasons) > _SHOWN else ""
    if set(broken.values()) == {_NEEDS_PAGES}:
        raise InputError(
            f"none of {len(trials):,} episodes can be played: {_NEEDS_PAGES}",
            "leave out `--environment`: the default one has pages",
        )
    raise InputError(
        f"the controls break all of {len(trials):,} episodes: {'; '.join(reasons[:_SHOWN])}{more}",
        "lower the rates, or allow more calls with `--max-steps`",
    )


async def _unsolved(
    setup: RolloutSetup, environment: EnvironmentSettings, trials: Sequence[Trial], progress: Progress
) -> dict[str, str]:
    oracles = oracle_for(environment)
    mentions = TaskMentions(setup.world, [trial.task for trial in trials])
    unsolved = {}
    async with (
        ModelPool() as models,
        oracles.open(setup.world, models, setup.limits, mentions) as make_agent,
        environment.open(setup.world, models) as open_session,
    ):
        for trial in trials:
            seed = trial.seed(setup.config.world_seed, setup.config.seed)
            session = open_session(trial, seed)
            reached = outcome_of(session)
            if reached is not None and reached.success:
                unsolved[trial.id] = "the goal is reached before anything is done"
                continue
            made = make_agent(trial, seed, session)
            episode = await run_episode(made.agent, made.session, setup.limits.at(trial.task))
            why = _shortfall(setup.world, trial.task, episode, outcome_of(session))
            if why:
                unsolved[trial.id] = "out of steps" if episode.ending == "step_limit" else why
            progress.advance()
            await asyncio.sleep(0)
    return unsolved


def _shortfall(world: World, task: Task, episode: Episode, reached: Outcome | None) -> str:
    """Say what an episode lacks; empty where it solves its task."""
    if reached is not None:
        return "" if reached.success else f"{reached.progress:.0%} of the goal, {len(reached.collateral)} other changes"
    score = score_strict(episode.answer, gold_with_aliases(world, task))
    return "" if score.success else f"item F1 {score.item_f1:.3f}"
