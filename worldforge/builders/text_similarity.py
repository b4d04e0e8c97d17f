"""Find texts that are nearly the same: the Jaccard similarity of their shingles of three words.

MinHash (`rensa`, 128 values in 16 bands of 8) finds the candidates, 999 in 1,000 pairs of similarity 0.9; each is then
compared in full. Case, punctuation and the addresses of links count for nothing; a Chinese character is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_N_HASHES, _N_BANDS, _SHINGLE = 128, 16, 3
_word = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+").findall
_ADDRESS = re.compile(r"\]\([^)\s]*\)")


class SimilarTexts:
    """Texts by number from 0, in the order in which they were added."""

    def __init__(self, threshold: float) -> None:
        import rensa  # type: ignore[import-untyped]

        self._rensa, self._threshold = rensa, threshold
        self._index = rensa.RMinHashLSH(threshold, _N_HASHES, _N_BANDS)
        self._shingles: list[frozenset[str]] = []

    def add(self, text: str) -> None:
        """Add a text."""
        shingles, hashes = self._hashed(text)
        self._index.insert(len(self._shingles), hashes)
        self._shingles.append(shingles)

    def nearest(self, text: str) -> Iterator[tuple[int, float]]:
        """Yield number and similarity of each text that is at least as similar as the threshold asks, by number."""
        shingles, hashes = self._hashed(text)
        for number in sorted(self._index.query(hashes)):
            other = self._shingles[number]
            share = len(shingles & other) / max(1, len(shingles | other))
            if share >= self._threshold:
                yield number, share

    def _hashed(self, text: str) -> tuple[frozenset[str], Any]:
        words = _word(_ADDRESS.sub("]", text).casefold())
        runs = zip(*(words[start:] for start in range(_SHINGLE)), strict=False)
        shingles = frozenset(map(" ".join, runs)) or frozenset(words)
        hashes = self._rensa.RMinHash(_N_HASHES, 1)
        hashes.update(sorted(shingles))
        return shingles, hashes
