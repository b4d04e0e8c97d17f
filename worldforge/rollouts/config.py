"""The configuration of a run: all that its rows depend on. How many processes play, and how fast, is no part of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final, Literal

VERSION = version("worldforge")
BY_TASK: Final = "task"
"""A number of tool calls that follows the task."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Which world, who acts, in which environment, what they are told first, how often and how long they try.

    The run's tasks are the world's first `n_tasks`, each played `trials` times; `max_steps` are tool calls an episode
    (`task`: as many as agents.budget says of its task),
    `max_tokens` tokens its agent may write, `context_tokens` tokens it may hold in mind (0: no limit of the run's own).
    `world_model` names the model that words observations, empty where the engine does; `controls` is their plan as
    JSON, empty where there are none. `system_prompt` is for tasks in the world's first language, `other_prompts` for
    those in others, by language.
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
    other_prompts: Mapping[str, str] = field(default_factory=dict)
    worldforge_version: str = VERSION

    def told(self, language: str) -> str:
        """Return what agents are told first of a task in a language."""
        return self.other_prompts.get(language, self.system_prompt)
