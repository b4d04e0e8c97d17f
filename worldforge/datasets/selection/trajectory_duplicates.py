"""Near-duplicates: trajectories that made nearly the same calls and gave nearly the same answer.

A trajectory is the set of its shingles: three words in a row of a call (its name and arguments) or of the answer
(Broder, "On the resemblance and containment of documents", 1997). Two are near-duplicates where the Jaccard similarity
of these sets, as MinHash estimates it, reaches the threshold. `rensa` computes the MinHashes and finds candidates by
locality-sensitive hashing (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", chapter 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import rensa  # type: ignore[import-untyped]

from worldforge.datasets.selection.selected_rows import Places, ShardReader

COLUMNS = ("messages.list.element.tool_calls", "answer")
"""What of a row is read: the calls, and no observation."""

N_HASHES = 128  # 512 bytes a row; a standard error of 0.035 at a similarity of 0.8
_SEED = 1
_RECALL = 0.99  # of pairs right at the threshold; above it more
_WORDS = 3
_word = re.compile(r"\w+").findall


def hasher() -> str:
    """Name what hashes, with the version that its hashes depend on."""
    return f"rensa {version('rensa')}"


def near_duplicates(reader: ShardReader, ranked: Places, threshold: float) -> list[int]:
    """Return the places of the rows that are near to a better row that stays; `ranked` are places, the best first.

    So each of these rows has a near-duplicate that stays and is no worse.
    """
    hashes: dict[int, rensa.RMinHash] = {}
    for places, table in reader.read(np.sort(ranked), COLUMNS):
        rows = zip(table["messages"].to_pylist(), table["answer"].to_pylist(), strict=True)
        sets = [shingles(list(_calls(messages)), answer or "") for messages, answer in rows]
        hashes |= zip(places.tolist(), rensa.RMinHash.from_token_sets(sets, N_HASHES, _SEED), strict=True)
    index = rensa.RMinHashLSH(threshold, N_HASHES, N_HASHES // rows_per_band(threshold))
    gone = []
    for place in ranked.tolist():
        own = hashes[place]
        if any(own.jaccard(hashes[other]) >= threshold for other in index.query(own)):
            gone.append(place)
        else:
            index.insert(place, own)
    return gone


def rows_per_band(threshold: float) -> int:
    """Return how many hashes make a band: as many as still find 99 in 100 pairs right at the threshold.

    A pair of similarity s agrees in one of b bands of r hashes with the chance 1 − (1 − s^r)^b.
    """
    sizes = [2**power for power in range(8)]
    fitting = [size for size in sizes if 1 - (1 - threshold**size) ** (N_HASHES // size) >= _RECALL]
    return fitting[-1] if fitting else 1


def shingles(calls: Sequence[str], answer: str) -> list[str]:
    """Return the shingles of a trajectory: of its calls, each as `name arguments`, and of its answer."""
    found: list[str] = []
    for text in (*calls, answer):
        words = _word(text.lower())
        runs = zip(*(words[start:] for start in range(_WORDS)), strict=False)
        found += map(" ".join, runs) if len(words) >= _WORDS else (" ".join(words),)
    return found


def _calls(messages: Sequence[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        for call in message["tool_calls"] or ():
            yield f"{call['function']['name']} {call['function']['arguments']}"
