"""Rollout: an agent plays the tasks of a world, and its episodes are recorded as a run of trajectories.

    rollout(open_world("output/quickstart"))        ->  output/quickstart/trajectories/oracle/

A run that was killed goes on from the episodes on record. Its shards end up the same, byte for byte, where the agent is
deterministic and the engine words what it sees.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, cast

from worldforge.core.errors import InputError
from worldforge.core.files import check_writable, remove, write_json
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.run_async import run_sync
from worldforge.core.store import redirect_stores
from worldforge.core.worker_pool import Engine
from worldforge.environments.registry import environment_named
from worldforge.environments.shipped import DEFAULT
from worldforge.models.embedding import embedder_address
from worldforge.models.model import Model
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import weights_identity
from worldforge.rollouts.agents import AgentClass, OwnAgentFactory, agent_named
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.environments import EnvironmentSettings
from worldforge.rollouts.episode_player import RolloutSetup
from worldforge.rollouts.estimate import (
    EpisodeSample,
    RolloutEstimate,
    RunPlan,
    UnfinishedRunError,
    read_sample,
    spread,
)
from worldforge.rollouts.factories import AgentFactory
from worldforge.rollouts.ledger import Ledger, n_recorded
from worldforge.rollouts.proof import check_some_are_left, unsolvable
from worldforge.rollouts.rank_shards import Merge, Part, RankShard
from worldforge.rollouts.ranks import locked_folder, merge_ranks, merged_before, recorded_weights, trials_of_rank
from worldforge.rollouts.run import (
    RANKS,
    RECORD,
    SAMPLE,
    Resume,
    RunSummary,
    add_trials,
    begin_run,
    call_figures,
    close_run,
    read_record,
    run_folder,
    runs_folder,
    trials_begun,
)
from worldforge.rollouts.run_monitor import Budget, RunMonitor
from worldforge.rollouts.shards import ShardStore
from worldforge.rollouts.trials import Trial, trials_of, without_set_aside
from worldforge.rollouts.unit_driver import play_trials
from worldforge.world.task import Task
from worldforge.world.world import World


class EpisodeOptions(TypedDict, total=False):
    """What decides the episodes of a run; without an option, as the world's spec says."""

    trials: int | None
    first_trial: int
    seed: int
    limit: int | None
    max_steps: int | Literal["task"] | None
    max_tokens: int
    context_tokens: int


class RolloutOptions(EpisodeOptions, total=False):
    """All options of `rollout`: its episodes, who plays them, and where the run goes."""

    thoughts_model: str | None
    concurrency: int | None
    workers: int | Engine
    run: str | None
    out: str | Path | None
    shards: str
    resume: Resume
    retry_failed: bool
    budget: Budget
    part: Part | None


_MINIMA = {"trials": 1, "limit": 1, "max_steps": 1, "concurrency": 1, "workers": 1, "first_trial": 0, "seed": 0}


def rollout(
    world: World,
    *,
    agent: str | AgentFactory | AgentClass | None = None,
    environment: EnvironmentSettings | None = None,
    models: Mapping[str, Model] | None = None,
    progress: Progress | None = None,
    **options: Unpack[RolloutOptions],
) -> RunSummary:
    """Play the tasks of `world`, several times each, and record the trajectories as a run.

    `agent` is `searcher`, `team:searcher`, `noisy-searcher`, `oracle`, a model's address or `team:` and one; or a class
    of your own with a method `act` (see `play`); or a factory. `environment` says which tools, dialect, controls and
    world model. `thoughts_model` is the address of the model that words a scripted agent's thoughts anew. `models` are
    models opened by the caller, by the names that addresses give them.

    Which episodes (default: as the world's spec says):
    `trials` a task, numbered from `first_trial`; a run that is there with fewer is given the others. `limit`: only the
    first tasks. `seed`: what chance follows, beside the world's seed, the task and the trial. `max_steps`: tool calls
    an episode (`task`: 50, or twice what the searcher needed where that is more). `max_tokens`, `context_tokens`:
    tokens that an agent may write, and hold in its context (0: no limit of the run's own).

    How they are played: `concurrency` at once in each of `workers` processes of this machine, or of those of an
    engine. `run` names the run, `out` is the folder of runs (default: the world's trajectories/), which then also
    keeps what models write. Workers write the shards there, or below the fsspec URL `shards` (`s3://bucket/runs`), from
    where they are fetched when they are read. `resume` says whether a run of that name goes on, `retry_failed` plays
    failed episodes again, `budget` ends the run early. `part` is the share of a rank, which alone is played, or a merge
    of all shares.

    Episodes that the controls make unsolvable are set aside, with the reason, and not played.

    Raises InputError where a file of the world is damaged, where the run's configuration changed, where another process
    is at work on it, and where its controls make every episode unsolvable; PartialError where the budget was spent
    before all was played.
    """
    _check_numbers(options)
    part, out = options.get("part"), options.get("out")
    tasks, models = _tasks(world, options.get("limit")), models or {}
    environment = _in_usual_dialect(world, environment or EnvironmentSettings())
    worded_by = options.get("thoughts_model") or ""
    agents = _agents(agent or _usual_agent(world, environment), environment, worded_by)
    workers, gpus = options.get("workers", 1), _gpus(world, agents, environment)
    engine = LocalEngine(workers) if isinstance(workers, int) else workers
    _check_models(engine, models, gpus)
    config = _config(world, agents, environment, len(tasks), options)
    runs = runs_folder(world, out)
    folder = run_folder(runs, options.get("run") or _run_name(world, agents, environment, config, worded_by))
    check_writable(runs, "`--out FOLDER` plays into another folder, from which `--trajectories FOLDER` exports")
    merging = isinstance(part, Merge)
    weights = recorded_weights(folder) if merging else _weights(agents.model, environment.model, models)
    config = replace(config, agent_weights=weights[0], world_model_weights=weights[1])
    episodes = trials_of(tasks, config.trials, config.first_trial)
    concurrency = options.get("concurrency") or world.spec.rollouts.concurrency
    setup, progress = RolloutSetup(world, agents, environment, config, concurrency, models), progress or Progress()
    if isinstance(part, Merge):
        return merge_ranks(folder, config, episodes, part.of, runs if out else world.path, progress)
    with nullcontext() if out is None else redirect_stores(runs, alone=os.access(world.path, os.W_OK)):
        how = (options.get("resume", "auto"), options.get("retry_failed", False), options.get("budget") or Budget())
        return _RunPlayer(folder, setup, engine, gpus, *how, progress).play(episodes, part)


def estimate_rollout(world: World, *, sample: int = 0, **options: Any) -> RolloutEstimate:
    """Estimate what a run would take: its episodes, tokens, seconds and GPU hours. `options` are those of `rollout`.

    Play and measure `sample` of its episodes, spread evenly over it; they are part of the run, which goes on from
    there. With 0, play and write nothing, and estimate by the last sample, if there was one.
    """
    if isinstance(options.get("part"), Merge):
        raise InputError("a merge plays nothing: there is nothing to estimate", "leave `--merge` out")
    try:
        rollout(world, budget=Budget(episodes=sample), **options)
    except UnfinishedRunError as error:
        return error.estimate
    return estimate_rollout(world, **(options | {"resume": "auto"}))  # the sample was all that was left


@dataclass(frozen=True, slots=True)
class _RunPlayer:
    """Plays one run into `folder`: begins it, adds trials to it, or goes on with it."""

    folder: Path
    setup: RolloutSetup
    engine: Engine
    gpus: int
    resume: Resume
    retry_failed: bool
    budget: Budget
    progress: Progress

    def play(self, trials: Sequence[Trial], share: RankShard | None) -> RunSummary:
        """Play a run of these trials, or a rank's share of it, unless a merge has made it."""
        config = self.setup.config
        episodes = trials_of_rank(share, trials)
        if self.budget.episodes == 0:
            raise UnfinishedRunError(self._estimate(episodes, share))
        if config.shards:  # before anything is written: an address that cannot be used leaves no run behind
            ShardStore(self.folder, f"{config.shards}/{self.folder.name}").names()
        before = merged_before(self.folder, share, config, self.resume, self.retry_failed)
        if before is not None:
            return before
        with locked_folder(self.folder, share, self.resume) as folder:
            n_begun = trials_begun(folder, config, self.resume, may_grow=share is None)
            new = [trial for trial in episodes if trial.trial >= config.first_trial + n_begun]
            if new:
                unsolved = unsolvable(self.setup, new, self.progress)
                if share is None and not n_begun:
                    check_some_are_left(new, unsolved)
                (add_trials if n_begun else begin_run)(folder, config, episodes, unsolved)
            return self._play_missing(folder, without_set_aside(episodes, folder))

    def _plan(self, folder: Path, n_episodes: int) -> RunPlan:
        addresses = (self.setup.agents.model, self.setup.environment.model)
        n_workers = max(1, min(self.engine.workers, n_episodes))
        return RunPlan(folder, *addresses, n_episodes, n_workers, self.setup.concurrency, self.gpus)

    def _estimate(self, trials: Sequence[Trial], share: RankShard | None) -> RolloutEstimate:
        """Estimate what is left of the run by its last sample, changing nothing on disk."""
        folder = self.folder if share is None else share.folder(self.folder / RANKS)
        begun = trials_begun(folder, self.setup.config, self.resume, may_grow=share is None)
        played = without_set_aside(trials, folder) if begun else trials
        n_left = len(played) - (n_recorded(folder, len(played)) if begun else 0)
        return self._plan(folder, len(played)).estimate(n_left, read_sample(folder) if begun else None)

    def _measure(self, folder: Path, monitor: RunMonitor, n_episodes: int, n_left: int) -> RolloutEstimate:
        """Keep what was played, if anything, as the run's sample, and estimate what is left by it."""
        usage, plan = monitor.usage, self._plan(folder, n_episodes)
        if usage.n_episodes:
            n, tokens = usage.n_episodes, monitor.load.usage
            figures = (n, min(n, plan.n_at_once), usage.seconds, monitor.playing_s)
            sample = EpisodeSample(*figures, tokens.prompt, tokens.cached, tokens.completion)
            write_json(folder / SAMPLE, asdict(sample))
        return plan.estimate(n_left, read_sample(folder))

    def _play_missing(self, folder: Path, trials: Sequence[Trial]) -> RunSummary:
        """Play what the ledger in `folder` lacks, then write the record. A finished run is left as it is."""
        before = read_record(folder)
        ledger = Ledger(folder, [trial.id for trial in trials], retry_failed=self.retry_failed)
        missing = ledger.missing
        if before is not None and not missing:
            return before
        remove(folder / RECORD)
        self.progress.start("rollout", len(trials))
        self.progress.advance(len(trials) - len(missing))
        monitor = RunMonitor(len(missing), self.budget, self.progress)
        chosen = [trials[missing[place]] for place in spread(len(missing), self.budget.episodes)]
        play_trials(self.setup, chosen, ledger, self.engine, monitor, tokens=self.budget.tokens, gpus=self.gpus)
        n_left = len(ledger.missing)
        if n_left:
            raise UnfinishedRunError(self._measure(folder, monitor, len(trials), n_left))
        ledger.put_in_order()
        return close_run(folder, self.setup.config, call_figures(monitor, self.setup.addresses), len(trials))


def _usual_agent(world: World, environment: EnvironmentSettings) -> str:
    """Return the agent that the spec names; the oracle where that one does not know its way in the environment."""
    agent = world.spec.rollouts.agent
    return agent if agent in environment.environment.planners else "oracle"


def _in_usual_dialect(world: World, environment: EnvironmentSettings) -> EnvironmentSettings:
    """Give the search environment the dialect that the spec names, unless the caller named one."""
    usual = world.spec.rollouts.dialect
    if environment.dialect_name or environment.environment is not environment_named(DEFAULT):
        return environment
    return replace(environment, dialect_name=usual)


def _tasks(world: World, limit: int | None) -> Sequence[Task]:
    """Return the tasks to play. Raises InputError for a damaged world, and for one without tasks."""
    world.check_whole()
    tasks = world.tasks[:limit]
    if not tasks:
        asks = "its set_aside.parquet says why none was kept" if world.spec.tasks else "its spec asks for none"
        raise InputError(f"{world.path} has no tasks to roll out", f"{asks}: change `tasks`, and build it again")
    return tasks


def _config(
    world: World, agents: AgentFactory, environment: EnvironmentSettings, n_tasks: int, options: RolloutOptions
) -> RunConfig:
    first, *others = world.spec.languages
    settings = world.spec.rollouts
    return RunConfig(
        world=world.name,
        world_digest=world.digest,
        world_seed=world.spec.seed,
        agent=f"{agents.name}@{agents.version}",
        clairvoyant=agents.clairvoyant,
        environment=environment.name,
        world_model=environment.world_model,
        controls=environment.controls,
        system_prompt=agents.system_prompt(environment.tools, first),
        other_prompts={language: agents.system_prompt(environment.tools, language) for language in others},
        n_tasks=n_tasks,
        trials=options.get("trials") or settings.trials,
        first_trial=options.get("first_trial", 0),
        seed=options.get("seed", 0),
        max_steps=options.get("max_steps") or settings.max_steps,
        max_tokens=options.get("max_tokens", 0),
        context_tokens=options.get("context_tokens", 0),
        shards=_checked_url(options.get("shards", ""), options.get("part")),
    )


def _checked_url(url: str, part: Part | None) -> str:
    """Return the URL for shards, without a slash at its end. Raises InputError where it is none, or there are ranks."""
    if url and "://" not in url:
        raise InputError(f"`{url}` is no URL to keep shards at", "write `s3://bucket/folder`, or take `--out FOLDER`")
    if url and part is not None:
        raise InputError("ranks keep their shards in their folders, to be merged", "leave `--shards` out")
    return url.rstrip("/")


def _weights(agent: str, world_model: str, given: Mapping[str, Model]) -> tuple[str, str]:
    """Return the identities of the models at two addresses; empty where an address is."""

    async def identity(text: str) -> str:
        return await weights_identity(ModelAddress.parse(text), given) if text else ""

    async def identities() -> tuple[str, str]:
        return await identity(agent), await identity(world_model)

    return run_sync(identities())


def _gpus(world: World, agents: AgentFactory, environment: EnvironmentSettings) -> int:
    """Return how many GPUs one worker needs: its models share them, so the most of any."""
    addresses = [ModelAddress.parse(text) for text in (agents.model, environment.model) if text.startswith("vllm:")]
    embedder = embedder_address() if world.spec.search.dense is not None else None
    return max((address.n_gpus for address in (*addresses, embedder) if address is not None), default=0)


def _check_models(engine: Engine, models: Mapping[str, Model], gpus: int) -> None:
    """Raise InputError where workers in other processes would need models of this process."""
    if (not engine.holds_models and (models or gpus)) or (models and not isinstance(engine, LocalEngine)):
        raise InputError(
            f"a model in this process cannot serve {engine.workers} workers",
            "take one worker, or a server: openai:NAME@URL",
        )


def _agents(
    agent: str | AgentFactory | AgentClass, environment: EnvironmentSettings, thoughts_model: str
) -> AgentFactory:
    """Return the factory that a name, a factory or an agent's class stands for."""
    if isinstance(agent, str):
        return agent_named(agent, environment, thoughts_model)
    if thoughts_model:
        raise InputError("only the thoughts of agents that come with WorldForge are worded", "leave it out")
    return cast("AgentFactory", agent) if hasattr(agent, "open") else OwnAgentFactory.of(agent)


def _run_name(
    world: World, agents: AgentFactory, environment: EnvironmentSettings, config: RunConfig, worded_by: str
) -> str:
    """Name a run after agent, environment and seed: `oracle`, `qwen3-8b-mild`, `noisy-searcher-seed7`.

    `worded_by` is the address of the model that words the agent's thoughts.
    """
    chance = [f"{name}{number}" for name, number in (("seed", config.seed), ("from", config.first_trial)) if number]
    kind, _, dialect = environment.name.partition("/")
    usual = _in_usual_dialect(world, replace(environment, dialect_name="")).dialect.name
    team = "team" if agents.name.startswith("team:") else ""
    parts = [team, agents.name, worded_by, "" if kind == DEFAULT else kind, "" if dialect == usual else dialect]
    return "-".join(filter(None, map(_slug, [*parts, environment.world_model, environment.preset, *chance])))


def _slug(text: str) -> str:
    last = text.partition("?")[0].rstrip("/").rpartition("/")[2].rpartition(":")[2]
    return re.sub(r"[^a-z0-9._]+", "-", last.lower()).strip("-.")[:40]


def _check_numbers(options: RolloutOptions) -> None:
    """Raise InputError for a number that is too small."""
    for name, least in _MINIMA.items():
        number = options.get(name)
        if isinstance(number, int) and number < least:
            raise InputError(f"`{name}` is {number}, and must be at least {least}")
