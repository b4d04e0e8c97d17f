"""The configuration of a run: all that its rows depend on. How many processes play, and how fast, is no part of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Final, Literal

from worldforge.core.files import value_digest

VERSION = version("worldforge")
BY_TASK: Final = "task"
"""A number of tool calls that follows the task."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Which world, who acts, in which environment, what they are told first, how often and how long they try.

    The run's tasks are the world's first `n_tasks`, each played `trials` times: trials `first_trial` and those after
    it, counted from 0. `seed` decides what chance does in episodes, beside the world's seed, the task and the trial.
    `max_steps` are tool calls an episode (`task`: as many as agents.budget says of its task),
    `max_tokens` tokens its agent may write, `context_tokens` tokens it may hold in mind (0: no limit of the run's own).
    `world_model` names the model that words observations, empty where the engine does. `agent_weights` and
    `world_model_weights` are the identities of both models (`models.model_weights`), empty where there is none: models
    of one name may have different weights. `controls` is their plan as JSON, empty where there are none.
    `system_prompt` is for tasks in the world's first language, `other_prompts` for those in others, by language.
    """

    world: str
    world_digest: str
    world_seed: int
    agent: str
    environment: str
    world_model: str
    controls: str
    system_prompt: str
    n_tasks: int
    trials: int
    max_steps: int | Literal["task"]
    max_tokens: int = 0
    context_tokens: int = 0
    seed: int = 0
    first_trial: int = 0
    agent_weights: str = ""
    world_model_weights: str = ""
    other_prompts: Mapping[str, str] = field(default_factory=dict)
    worldforge_version: str = VERSION

    def told(self, language: str) -> str:
        """Return what agents are told first of a task in a language."""
        return self.other_prompts.get(language, self.system_prompt)

    @property
    def identity(self) -> str:
        """The digest of all that decides an episode of a given task and trial.

        Runs that agree in it repeat each other's episodes, whatever they are called and however many trials they have.
        """
        config = {key: value for key, value in asdict(self).items() if key not in _NOT_OF_AN_EPISODE}
        if self.controls and json.loads(self.controls).get("schedule"):  # acts by how far through the run a task stands
            config["n_tasks"] = self.n_tasks
        return value_digest(config)

    def episode(self, task: str, trial: int) -> str:
        """Return the identity of an episode, the same in every run that holds it: 32 hexadecimal digits."""
        return value_digest([self.identity, task, trial])[:32]


_NOT_OF_AN_EPISODE = frozenset({"world", "n_tasks", "trials", "first_trial", "worldforge_version"})
"""The keys of a configuration that say which episodes a run has, or who played them, and not how one goes."""
