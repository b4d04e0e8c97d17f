"""A plan brought down to what holds for one kind of call: the rest silenced, and what identifies it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from worldforge.core.files import value_digest
from worldforge.environments.controls.instruction import instruction
from worldforge.environments.controls.plan import CONTROLS, ControlPlan, FaultControl, Latency
from worldforge.environments.requests import ToolRequest

_SCOPE = {"tools", "from_turn", "to_turn", "tasks", "sessions"}


@dataclass(frozen=True)
class EffectivePlan:
    """How calls of one kind are treated: `plan` holds nothing but what acts on them."""

    plan: ControlPlan

    @cached_property
    def instruction(self) -> str:
        """What a model that renders is told."""
        return instruction(self.plan)

    @cached_property
    def key(self) -> str:
        """What identifies the controls of content and their seed; empty where there are none."""
        content = {
            name: one for name, one in self.plan.controls().items() if not isinstance(one, FaultControl | Latency)
        }
        if not content:
            return ""
        said = {name: control.model_dump(mode="json", exclude=_SCOPE) for name, control in content.items()}
        return value_digest({"seed": self.plan.seed, **said})[:16]

    @cached_property
    def shapes(self) -> bool:
        """Whether it does anything to what the world answers."""
        return bool(self.key)

    @cached_property
    def fails(self) -> bool:
        """Whether anything can go wrong, or take long."""
        return any(isinstance(control, FaultControl | Latency) for control in self.plan.controls().values())


def effective_plan(plan: ControlPlan, silent: Iterable[str], request: type[ToolRequest] | None) -> EffectivePlan:
    """Silence the controls named, and those that have nothing to do with requests of a type (None: of any)."""
    quiet = {name for name in CONTROLS if request is not None and not getattr(plan, name).reaches(request)} | set(
        silent
    )
    return EffectivePlan(plan.model_copy(update={name: type(getattr(plan, name))() for name in quiet}))
