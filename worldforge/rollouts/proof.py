"""The proof that controls preserve the answer: under them the oracle still solves every episode of the run.

Wrong facts are left out of it: a world that lies at a chosen rate cannot be searched perfectly, and is not meant to be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from worldforge.agents.episode import run_episode
from worldforge.core.errors import InputError
from worldforge.core.loops import run_to_end
from worldforge.core.progress import Progress
from worldforge.models.pool import ModelPool
from worldforge.rollouts.agents import oracle_for
from worldforge.rollouts.engine import Setting
from worldforge.rollouts.environments import EnvironmentSettings
from worldforge.rollouts.stated import Stated
from worldforge.rollouts.trials import Trial
from worldforge.scoring.aliases import gold_with_aliases
from worldforge.scoring.strict import score_strict
from worldforge.world.world import World

_SHOWN = 5  # tasks named in a refusal


def prove(setting: Setting, trials: Sequence[Trial], progress: Progress) -> None:
    """Let the oracle play `trials` under the setting's controls, worded by the engine and without wrong facts.

    Raises InputError that names the tasks it does not solve within the run's limits. Without controls, and in an
    environment that is not ours, there is nothing to prove.
    """
    if not isinstance(setting.environment, EnvironmentSettings) or not setting.environment.controls:
        return
    truthful = setting.environment.truthful()
    progress.start("proof", len(trials))
    unsolved = run_to_end(_unsolved(setting.world, setting, truthful, trials, progress))
    if unsolved:
        more = f", and {len(unsolved) - _SHOWN} more" if len(unsolved) > _SHOWN else ""
        raise InputError(
            f"the controls break {len(unsolved)} of {len(trials)} episodes: {'; '.join(unsolved[:_SHOWN])}{more}",
            "lower the rates, or allow more calls with `--max-steps`",
        )


async def _unsolved(
    world: World, setting: Setting, environment: EnvironmentSettings, trials: Sequence[Trial], progress: Progress
) -> list[str]:
    oracles = oracle_for(environment)
    stated = Stated(world, [trial.task for trial in trials])
    unsolved = []
    async with (
        ModelPool() as models,
        oracles.open(world, models, setting.limits, stated) as seat_for,
        environment.open(world, models) as session_for,
    ):
        for trial in trials:
            seed = trial.seed(setting.config.world_seed)
            seat = seat_for(trial, seed, session_for(trial, seed))
            episode = await run_episode(seat.agent, seat.session, setting.limits.at(trial.task))
            score = score_strict(episode.answer, gold_with_aliases(world, trial.task))
            if not score.success:
                why = "out of steps" if episode.ending == "step_limit" else f"item F1 {score.item_f1:.3f}"
                unsolved.append(f"{trial.id} ({why})")
            progress.advance()
            await asyncio.sleep(0)
    return unsolved
