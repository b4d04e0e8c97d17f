"""How long work tells how far it is: stages report to a `Progress`, the command line decides what comes of it.

A stage named `tasks: lists` is a part of the stage `tasks`, where that one is open. One that is started again under the
name it has goes on, and knows its total from then on.
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told of each stage as it starts, and of each batch of items as it is done."""

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Open stage `stage`, of `total` items where that is known, and say why it runs where that was a question."""

    def advance(self, items: int = 1) -> None:
        """Count `items` more as done in the open stage."""

    def note(self, text: str) -> None:
        """Say in a few words how the open stage goes."""

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Count `n` more of `what`, of the sort `of` where there are several: episodes by how they ended."""


class Silent:
    """A progress that shows nothing."""

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Ignore the stage."""

    def advance(self, items: int = 1) -> None:
        """Ignore the items."""

    def note(self, text: str) -> None:
        """Ignore the words."""

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Ignore the count."""


class Several:
    """A progress that passes on to several what it is told."""

    def __init__(self, *told: Progress) -> None:
        self._told = told

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Pass the stage on."""
        for progress in self._told:
            progress.start(stage, total, why)

    def advance(self, items: int = 1) -> None:
        """Pass the items on."""
        for progress in self._told:
            progress.advance(items)

    def note(self, text: str) -> None:
        """Pass the words on."""
        for progress in self._told:
            progress.note(text)

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Pass the count on."""
        for progress in self._told:
            progress.count(what, n, of)
