"""How far work has got: stages report to a `Progress`, and the command line shows it.

A stage named `tasks: lists` is a part of the stage `tasks`, where that one is open. One that is started again under the
name it has goes on, and knows its total from then on.
"""

from __future__ import annotations


class Progress:
    """Receives the start of each stage and the items done in it; this one ignores them."""

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Open stage `stage`, of `total` items where that is known, and say why it runs where that was a question."""

    def advance(self, items: int = 1) -> None:
        """Count `items` more as done in the open stage."""

    def note(self, text: str) -> None:
        """Show a few words on the open stage."""

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Count `n` more of `what`, of the sort `of` where there are several: episodes by how they ended."""


class ProgressGroup(Progress):
    """A progress that forwards to several others."""

    def __init__(self, *members: Progress) -> None:
        self._members = members

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Forward the stage."""
        for progress in self._members:
            progress.start(stage, total, why)

    def advance(self, items: int = 1) -> None:
        """Forward the items."""
        for progress in self._members:
            progress.advance(items)

    def note(self, text: str) -> None:
        """Forward the note."""
        for progress in self._members:
            progress.note(text)

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Forward the count."""
        for progress in self._members:
            progress.count(what, n, of)
