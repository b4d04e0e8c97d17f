"""Consistency: whether a fact that is told in several predictions is told alike in them.

Tellings are of one fact where its id and its true form are the same: in other turns of a session, in other sessions, in
other samples of one transition. What a fact is true to plays no part: a value that is wrong everywhere is consistent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from worldforge.world_model.prose import Fact


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact told: which, with its true form, and what is said."""

    name: str
    said: Fact


def agreements(predictions: Sequence[Sequence[Claim]]) -> list[float | None]:
    """Return, for each prediction, the mean over its claims of the share of others' tellings that say the same.

    None where nobody else tells any of its facts. A prediction's own tellings are not held against one another.
    """
    everyone: dict[str, Counter[Fact]] = defaultdict(Counter)
    own = [_by_name(claims) for claims in predictions]
    for claims in own:
        for name, said in claims.items():
            everyone[name] += said
    return [_agreement(claims, everyone) for claims in own]


def _agreement(own: dict[str, Counter[Fact]], everyone: dict[str, Counter[Fact]]) -> float | None:
    shares: list[float] = []
    for name, tellings in own.items():
        n_others = everyone[name].total() - tellings.total()
        if n_others:
            shares += [
                (everyone[name][said] - tellings[said]) / n_others
                for said, times in tellings.items()
                for _ in range(times)
            ]
    return sum(shares) / len(shares) if shares else None


def _by_name(claims: Sequence[Claim]) -> dict[str, Counter[Fact]]:
    found: dict[str, Counter[Fact]] = defaultdict(Counter)
    for claim in claims:
        found[claim.name][claim.said] += 1
    return found
