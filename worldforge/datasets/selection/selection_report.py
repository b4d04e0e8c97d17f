"""What a selection did: how many rows each step removed, in order, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class SelectionStep:
    """One step: `name` is the option's, `asked` what was asked of it; `n_removed` rows went, `n_left` stayed."""

    name: str
    asked: str
    n_removed: int
    n_left: int


@dataclass(frozen=True, slots=True)
class PassAt:
    """pass@k: the mean over the `n_tasks` that were tried at least `k` times."""

    k: int
    value: float
    n_tasks: int


@dataclass(frozen=True, slots=True)
class TokenizerRecord:
    """Which tokenizer counted: its name, a SHA-256 over its JSON form and chat template, whether it has a template."""

    name: str
    sha256: str
    has_template: bool


@dataclass(frozen=True, slots=True)
class SelectionReport:
    """What a selection did. Rows found, less what the steps removed, are the rows left.

    `trials` has the numbers of the trials that are left of each run. `pass_at` are over all that was found;
    `near_duplicates` names the library that looked for them and its version.
    """

    n_found: int
    steps: tuple[SelectionStep, ...]
    n_left: int
    pass_at: tuple[PassAt, ...] = ()
    tokenizer: TokenizerRecord | None = None
    near_duplicates: str = ""
    trials: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def as_data(self) -> Mapping[str, Any]:
        """Write the report as JSON values, what does not apply left out."""
        from dataclasses import asdict

        return {name: value for name, value in asdict(self).items() if value not in (None, "")}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read what `as_data` wrote."""
        given = {
            **data,
            "steps": tuple(SelectionStep(**step) for step in data["steps"]),
            "pass_at": tuple(PassAt(**one) for one in data["pass_at"]),
        }
        if "tokenizer" in data:
            given["tokenizer"] = TokenizerRecord(**data["tokenizer"])
        return cls(**given)
