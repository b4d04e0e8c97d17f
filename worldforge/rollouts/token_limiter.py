"""Limits the tokens of a run: the driver grants each unit a part, within which its worker starts episodes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """Tokens that a unit may use, and the mean use of an episode (None: not known yet)."""

    tokens: int
    per_episode: float | None


class TokenBudget:
    """Divides `tokens` (None: no limit) among at most `n_slots` running units."""

    def __init__(self, tokens: int | None, n_slots: int) -> None:
        self._left, self._n_slots = tokens, n_slots
        self._granted = self._n_granted = self._used = self._n_played = 0

    @property
    def _per_episode(self) -> float | None:
        return self._used / self._n_played if self._n_played else None

    @property
    def may_start(self) -> bool:
        """Whether another unit may start: tokens may last for an episode, or some are left and no unit is running."""
        if self._left is None or not self._n_granted:
            return self._left is None or self._left > 0
        return self._left - self._granted >= max(1, self._per_episode or 0)

    def grant(self) -> TokenGrant | None:
        """Grant a unit an equal part of what is left, at least enough for an episode; None without a limit."""
        if self._left is None:
            return None
        share = (self._left - self._granted) // max(1, self._n_slots - self._n_granted)
        grant = TokenGrant(max(1, share, round(self._per_episode or 0)), self._per_episode)
        self._granted, self._n_granted = self._granted + grant.tokens, self._n_granted + 1
        return grant

    def settle(self, grant: TokenGrant | None, used: int, n_played: int) -> None:
        """Return a grant, of which `n_played` episodes used `used` tokens."""
        if self._left is not None and grant is not None:
            self._granted, self._n_granted = self._granted - grant.tokens, self._n_granted - 1
            self._left -= used
            self._used, self._n_played = self._used + used, self._n_played + n_played


class TokenLimiter:
    """Starts episodes of one unit while its grant is likely to last; without a grant always.

    An episode is likely to take what those of this unit took on average, or before one has ended what the grant says.
    The first may always begin.
    """

    def __init__(self, grant: TokenGrant | None) -> None:
        self._grant, self.used = grant, 0
        self._n_ended = self._n_under_way = 0
        self._changed = asyncio.Event()

    async def begin(self) -> bool:
        """Wait until another episode may start and count it; return False if none may any more."""
        while not self._may_start():
            if not self._n_under_way:
                return False
            await self._changed.wait()
        self._n_under_way += 1
        return True

    def end(self, tokens: int | None) -> None:
        """Count an episode as ended, with its tokens; None: it was not played."""
        self._n_under_way -= 1
        if tokens is not None:
            self._n_ended += 1
            self.used += tokens
        self._changed.set()
        self._changed = asyncio.Event()

    def _may_start(self) -> bool:
        if self._grant is None or not self._n_under_way + self._n_ended:
            return True
        likely = self.used / self._n_ended if self._n_ended else self._grant.per_episode
        return likely is not None and self.used + (self._n_under_way + 1) * likely <= self._grant.tokens
