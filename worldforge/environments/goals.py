"""Goals over the final state of a session, and the outcome of checking one.

    Goal({"the widgets are packed": lambda state: state["packed"] == 3}, may_change=("packed",))
    Goal.from_json({"state": {"packed": 3}, "may_change": ["shelf"]})       what a task holds in its `goal`

A state is a JSON value. What changed in it beside what the goal asks for, or allows, is collateral.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worldforge.core.files import value_digest
from worldforge.scoring.answer_score import MEASURES

Condition = Callable[[Any], bool]
"""Tests a state's value."""


@dataclass(frozen=True)
class SessionState:
    """A session's state as a JSON value. Equal states have equal digests."""

    value: Any

    @cached_property
    def digest(self) -> str:
        """A SHA-256 over the value."""
        return value_digest(self.value)


@dataclass(frozen=True, slots=True)
class Goal:
    """Named conditions that must all hold in the final state.

    `may_change` are the parts of the state that may change on the way: paths of keys, joined by `/`, each with all
    below it.
    """

    conditions: Mapping[str, Condition]
    may_change: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Goal:
        """Read a goal of equalities: `state` gives values by path, `may_change` lists further paths."""
        wanted = given.get("state", {})
        conditions = {f"{path} = {json.dumps(value)}": _equals(path, value) for path, value in wanted.items()}
        return cls(conditions, (*wanted, *given.get("may_change", ())))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a check: which conditions hold, and which other parts of the state changed."""

    conditions: Mapping[str, bool]
    collateral: tuple[str, ...]
    state: str
    """The digest of the final state."""

    @property
    def success(self) -> bool:
        """Whether all conditions hold, and nothing else has changed."""
        return all(self.conditions.values()) and not self.collateral

    @property
    def progress(self) -> float:
        """The share of the conditions that hold."""
        return sum(self.conditions.values()) / len(self.conditions) if self.conditions else 1.0

    @property
    def measures(self) -> dict[str, float]:
        """The measures of an answer's score: each is the share of conditions that hold, `success` 0 or 1."""
        return {**dict.fromkeys((*MEASURES, "row_order"), self.progress), "success": float(self.success)}

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON values; `from_json` reads them back."""
        return {"conditions": dict(self.conditions), "collateral": list(self.collateral), "state": self.state}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Outcome:
        """Read what `to_json` wrote."""
        return cls(given["conditions"], tuple(given["collateral"]), given["state"])


def check_goal(goal: Goal, initial: SessionState, final: SessionState) -> Outcome:
    """Check a goal on the final state of a session that began with `initial`."""
    return Outcome(
        conditions={name: condition(final.value) for name, condition in goal.conditions.items()},
        collateral=tuple(
            path
            for path in changed_paths(initial.value, final.value)
            if not any(path == allowed or path.startswith(f"{allowed}/") for allowed in goal.may_change)
        ),
        state=final.digest,
    )


def changed_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of the innermost values that differ, in order. A missing part counts as empty."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        if before != after:
            yield path
        return
    for key in sorted({*before, *after}, key=str):
        below = f"{path}/{key}" if path else str(key)
        part = before.get(key), after.get(key)
        nothing: Any = {} if any(isinstance(one, Mapping) for one in part) else None
        if key in before and key in after:
            yield from changed_paths(*part, below)
        elif nothing is None or not any(part):
            yield below
        else:
            yield from changed_paths(before.get(key, nothing), after.get(key, nothing), below)


def _equals(path: str, value: Any) -> Condition:
    def holds(state: Any) -> bool:
        for key in path.split("/"):
            if not isinstance(state, Mapping) or key not in state:
                return False
            state = state[key]
        return bool(state == value)

    return holds
