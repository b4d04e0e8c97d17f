"""Where answers come from: a world's index, or its tables. Decides what a call brings, never how it is worded."""

from __future__ import annotations

from typing import Protocol

from worldforge.environments.requests import Request
from worldforge.environments.views import Result, View


class Backend(Protocol):
    """The world as one session meets it; it holds what the session has changed."""

    async def ready(self, request: Request) -> None:
        """Fetch what answering needs from elsewhere, so that `answer` need not wait for it."""

    def answer(self, request: Request) -> View:
        """Decide what a request brings. Never raises for what an agent sends."""

    def background(self, n: int, keys: list[int]) -> list[Result]:
        """Return at most `n` results about anything: the pages that `keys` (64 random bits each) fall on."""
