"""Texts of two collections that are nearly the same: the Jaccard similarity of their shingles of three words.

MinHash (`rensa`, 128 values in 16 bands of 8) finds the candidates, 999 in 1,000 pairs of similarity 0.9; each is then
compared in full. Case, punctuation and the addresses of links count for nothing; a Chinese character is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_N_HASHES, _N_BANDS, _SHINGLE = 128, 16, 3
_word = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+").findall
_ADDRESS = re.compile(r"\]\([^)\s]*\)")


def nearly_the_same(known: Sequence[str], texts: Sequence[str], threshold: float) -> Iterator[tuple[int, int, float]]:
    """Give for each of `texts` that has one the first nearest of `known`: both places, and how similar they are."""
    import rensa  # type: ignore[import-untyped]

    index, shingled = rensa.RMinHashLSH(threshold, _N_HASHES, _N_BANDS), [_shingles(text) for text in known]
    for place, shingles in enumerate(shingled):
        index.insert(place, _hashed(rensa, shingles))
    for place, text in enumerate(texts):
        shingles = _shingles(text)
        found = [(_jaccard(shingles, shingled[near]), -near) for near in index.query(_hashed(rensa, shingles))]
        share, near = max(found, default=(0.0, 0))
        if share >= threshold:
            yield -near, place, share


def _hashed(rensa: object, shingles: frozenset[str]) -> object:
    hashes = rensa.RMinHash(_N_HASHES, 1)  # type: ignore[attr-defined]
    hashes.update(sorted(shingles))
    return hashes


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _shingles(text: str) -> frozenset[str]:
    words = _word(_ADDRESS.sub("]", text).casefold())
    runs = zip(*(words[start:] for start in range(_SHINGLE)), strict=False)
    return frozenset(map(" ".join, runs)) or frozenset(words)
