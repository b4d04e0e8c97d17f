"""Domains: the role of a world model, the calls it answers, and the form of its answers.

Grounded domains word what a world has decided and disclosed; ungrounded ones make their world up, and are labelled so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from worldforge.environments.arguments import Arguments, Schema, schemas
from worldforge.models.chat import ToolCall


@dataclass(frozen=True, slots=True)
class Example:
    """An example turn for prompts. `disclosed` is empty in domains that are not grounded."""

    call: ToolCall
    observation: str
    disclosed: str = ""


@dataclass(frozen=True, slots=True)
class Domain:
    """The role of a world model.

    `role` says what it is, `observations` how actions are answered. `tools` are the actions that a domain takes by
    itself, and `in_form` says whether an observation has the form that `observations` asks for. In grounded domains a
    dialect has the tools, and judges what is in form. `data` says how calls are answered with what is no prose, to a
    model that nothing is disclosed to; empty where `observations` says it.
    """

    name: str
    grounded: bool
    role: str
    observations: str
    data: str = ""
    in_form: Callable[[str], bool] = bool
    tools: Mapping[str, type[Arguments]] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def schemas(self) -> list[Schema]:
        """The tools, as OpenAI function schemas."""
        return schemas(self.tools)
