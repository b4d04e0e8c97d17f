"""How long work tells how far it is: stages report to a `Progress`, the command line decides what is shown."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told of each stage as it starts, and of each batch of items as it is done."""

    def start(self, stage: str, total: int | None = None) -> None:
        """Open stage `stage`, of `total` items where that is known."""

    def advance(self, items: int = 1) -> None:
        """Count `items` more as done in the open stage."""

    def note(self, text: str) -> None:
        """Say in a few words how the open stage goes."""


class Silent:
    """A progress that shows nothing."""

    def start(self, stage: str, total: int | None = None) -> None:
        """Ignore the stage."""

    def advance(self, items: int = 1) -> None:
        """Ignore the items."""

    def note(self, text: str) -> None:
        """Ignore the words."""
