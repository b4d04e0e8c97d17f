"""How the wording of pages by a model went, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from worldforge.builders.pages.prose.archive import ArchiveEntry
from worldforge.models.chat import Usage

TALLY = ".build/prose.json"
"""Where a world's folder keeps the numbers of its latest pages."""


@dataclass(frozen=True, slots=True)
class ProseCounts:
    """Paragraphs of pages that a model words: how many a model did word, and why drafts were refused.

    `left_alone` are those that cannot be locked, and stay out of all other numbers.
    """

    paragraphs: int = 0
    reworded: int = 0
    left_alone: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    models: frozenset[str] = frozenset()
    usage: Usage = field(default_factory=Usage)

    def __add__(self, other: ProseCounts) -> ProseCounts:
        return ProseCounts(
            self.paragraphs + other.paragraphs,
            self.reworded + other.reworded,
            self.left_alone + other.left_alone,
            self.refused + other.refused,
            self.models | other.models,
            self.usage + other.usage,
        )

    @classmethod
    def of(cls, entry: ArchiveEntry, *, refused: str | None) -> ProseCounts:
        """Count one entry; `refused` says why its words, once accepted, no longer do."""
        usage = Usage(prompt=entry.prompt_tokens, completion=entry.completion_tokens)
        why = Counter([*entry.refused, *([refused] if refused else [])])
        reworded = entry.words is not None and refused is None
        return cls(1, int(reworded), 0, why, frozenset([entry.by]), usage)

    def as_data(self) -> dict[str, Any]:
        """Give the numbers as JSON values."""
        return {
            "paragraphs": self.paragraphs,
            "reworded": self.reworded,
            "as_templates": self.paragraphs - self.reworded,
            "left_alone": self.left_alone,
            "refused_drafts": {reason: self.refused[reason] for reason in sorted(self.refused)},
            "models": sorted(self.models),
            "prompt_tokens": self.usage.prompt,
            "completion_tokens": self.usage.completion,
        }
