"""The configuration of a run, in its config.json: all that its rows depend on, and where its shards are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from worldforge.core.files import value_digest

CONFIG = "config.json"
VERSION = version("worldforge")
_LONG = 40  # characters of a value from which a message names its key alone
BY_TASK: Final = "task"
"""A number of tool calls that follows the task."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """World, agent, environment, prompts, trials and limits of a run.

    The run's tasks are the world's first `n_tasks`, each played `trials` times: trials `first_trial` and those after
    it, counted from 0. `seed` decides what chance does in episodes, beside the world's seed, the task and the trial.
    `max_steps` are tool calls an episode (`task`: as many as agents.budget says of its task),
    `max_tokens` tokens its agent may write, `context_tokens` tokens of its context (0: no limit of the run's own).
    `world_model` names the model that words observations, empty where the engine does. `agent_weights` and
    `world_model_weights` are the identities of both models (`models.model_weights`), empty where there is none: models
    of one name may have different weights. `controls` is their plan as JSON, empty where there are none.
    `system_prompt` is for tasks in the world's first language, `other_prompts` for those in others, by language.
    Its fields are flat: a resume under another configuration names the keys that differ, and each is an option.
    `clairvoyant` says that the agent knows what neither the question nor an observation has shown, as oracles do.
    `shards` is the URL below which shards are kept, empty where they are in the run's folder.
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
    shards: str = ""
    clairvoyant: bool = False
    worldforge_version: str = VERSION

    def prompt_for(self, language: str) -> str:
        """Return the system prompt for tasks in a language."""
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


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Name the keys in which two configurations differ, with their values where these are short."""
    found = []
    for key in [*now, *sorted(before.keys() - now.keys())]:
        if before.get(key) != now.get(key):
            was, is_now = str(before.get(key)), str(now.get(key))
            found.append(f"`{key}`" if max(len(was), len(is_now)) > _LONG else f"`{key}` was {was}, is now {is_now}")
    return found


def read_config(folder: Path) -> dict[str, Any] | None:
    """Read the configuration of the run in `folder`; None where there is none that can be read."""
    return read_json(folder / CONFIG)


def read_json(path: Path) -> dict[str, Any] | None:
    """Read a JSON object; None where there is none that can be read."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return value if isinstance(value, dict) else None


_NOT_OF_AN_EPISODE = frozenset({"world", "n_tasks", "trials", "first_trial", "shards", "worldforge_version"})
"""The keys of a configuration that say which episodes a run has, or who played them, and not how one goes."""
