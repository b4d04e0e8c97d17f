"""The second spine: an agent is let loose on a world's tasks, and what it did becomes trajectories.

    rollout(open_world("output/quickstart"))        ->  output/quickstart/trajectories/oracle/

Every finished episode is on disk before the next is counted. A run that was killed goes on where it stood, and its
shards end up the same, byte for byte, where the agent is deterministic.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.files import locked, remove
from worldforge.core.progress import Progress, Silent
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.engine import Setting
from worldforge.rollouts.factories import AgentFactory, SearchFactory, agent_named
from worldforge.rollouts.ledger import Ledger, shard_paths
from worldforge.rollouts.run import LOCK, RECORD, RunSummary, close_run, open_run, read_record, run_folder
from worldforge.rollouts.shards import read_shard
from worldforge.rollouts.tally import COLUMNS
from worldforge.rollouts.trajectory import Trial, trials_of
from worldforge.rollouts.workers import play_all
from worldforge.world.world import World


def rollout(
    world: World,
    *,
    agent: str | AgentFactory | None = None,
    trials: int | None = None,
    max_steps: int | None = None,
    concurrency: int | None = None,
    workers: int = 1,
    limit: int | None = None,
    run: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> RunSummary:
    """Play every task of `world`, or the first `limit`, `trials` times each; return what came of it.

    What is not given is as the world's spec says. `max_steps` are tool calls an episode, `concurrency` episodes under
    way at once in each of `workers` processes; `run` names the run (default: the agent's name), `fresh` starts it anew.
    Raises InputError where the run's configuration changed, or where another process is at work on it.
    """
    _check(trials=trials, max_steps=max_steps, concurrency=concurrency, workers=workers, limit=limit)
    asked, environment = world.spec.rollouts, SearchFactory()
    agents = _agents(agent or asked.agent)
    tasks = world.tasks[:limit]
    if not tasks:
        raise InputError(f"{world.path} has no tasks to roll out", "its set_aside.parquet says why none was kept")
    config = RunConfig(
        world=world.name,
        world_digest=world.digest,
        world_seed=world.spec.seed,
        agent=f"{agents.name}@{agents.version}",
        environment=environment.name,
        system_prompt=agents.system_prompt,
        n_tasks=len(tasks),
        trials=trials or asked.trials,
        max_steps=max_steps or asked.max_steps,
    )
    setting = Setting(world.path, agents, environment, config, concurrency or asked.concurrency)
    folder = run_folder(world, run or agents.name)
    with locked(folder / LOCK, f"another process is at work on the run in {folder}"):
        open_run(folder, config, fresh=fresh)
        return _play_missing(folder, setting, trials_of(tasks, config.trials), workers, progress or Silent())


def _play_missing(
    folder: Path, setting: Setting, trials: Sequence[Trial], workers: int, progress: Progress
) -> RunSummary:
    """Play what the run's ledger lacks, then put the record over it. A finished run is left as it is."""
    started = time.perf_counter()
    ledger = Ledger(folder, [trial.id for trial in trials])
    missing = ledger.missing
    before = read_record(folder)
    if before is not None and not missing:
        return before
    remove(folder / RECORD)
    progress.start("rollout", len(trials))
    progress.advance(len(trials) - len(missing))

    def record(index: int, line: bytes) -> None:
        ledger.record(index, line)
        progress.advance()

    play_all(setting, [trials[index] for index in missing], workers, record)
    table = pa.concat_tables(read_shard(shard, COLUMNS) for shard in shard_paths(folder, len(trials)))
    return close_run(folder, setting.config, table, missing, time.perf_counter() - started)


def _check(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise InputError(f"`{name}` is {number}, and must be at least 1")


def _agents(agent: str | AgentFactory) -> AgentFactory:
    return agent_named(agent) if isinstance(agent, str) else agent
