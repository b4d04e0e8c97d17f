"""Near-duplicates: trajectories that made nearly the same calls and gave nearly the same answer.

A trajectory is the set of its shingles: three words in a row of a call (its name and arguments) or of the answer
(Broder, "On the resemblance and containment of documents", 1997). Two are near-duplicates where the Jaccard similarity
of these sets, as MinHash estimates it, reaches the threshold. `rensa` computes the MinHashes; candidates are those that
agree in a band of them (locality-sensitive hashing; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets",
chapter 3). Memory holds a band of all rows at a time, and the pairs.

Rows are visited from the best on; a row that is near to a kept one is removed. So every removed row has a
near-duplicate that stays and is no worse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.datasets.selection.row_database import RowDatabase
from worldforge.datasets.selection.shard_reader import ShardReader

COLUMNS = ("messages.list.element.tool_calls", "answer")
"""What of a row is read: the calls, and no observation."""

N_HASHES = 128  # a standard error of 0.035 at a similarity of 0.8
_SEED = 1
_RECALL = 0.99  # of pairs right at the threshold; above it more
_WORDS = 3
_word = re.compile(r"\w+").findall
_MIX = np.uint64(0x9E3779B97F4A7C15)
Digests = npt.NDArray[np.uint32]


def hasher() -> str:
    """Name what hashes, with the version that its hashes depend on."""
    return f"rensa {version('rensa')}"


def remove_near_duplicates(
    rows: RowDatabase, reader: ShardReader, threshold: float, preference: str, folder: Path
) -> int:
    """Keep one of each cluster of near-duplicates, the first by `preference`; return how many rows went.

    `preference` is an order in SQL, total; `folder` takes 512 bytes a row.
    """
    ranked = rows.columns(f"SELECT place, row_number() OVER (ORDER BY {preference}) - 1 AS rank FROM rows ORDER BY 1")
    places, ranks = np.asarray(ranked["place"], np.int64), np.asarray(ranked["rank"], np.int64)
    if not len(places):
        return 0
    digests = np.memmap(folder / "digests", np.uint32, "w+", shape=(len(places), N_HASHES))
    n_read = 0
    for chosen, table in reader.read(places, COLUMNS):
        digests[ranks[n_read : n_read + len(chosen)]] = digests_of(table)
        n_read += len(chosen)
    gone = np.isin(ranks, np.array(_duplicates(digests, threshold), np.int64))
    rows.create("gone", "place BIGINT")
    rows.insert("gone", pa.table({"place": places[gone]}))
    n_removed = rows.keep("place NOT IN (SELECT place FROM gone)")
    rows.run("DROP TABLE gone")
    (folder / "digests").unlink()
    return n_removed


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


def digests_of(table: pa.Table) -> Digests:
    """Return the MinHashes of the rows of a table with `COLUMNS`: an array of (rows, `N_HASHES`)."""
    try:
        import rensa  # type: ignore[import-untyped]
    except ImportError as error:
        raise InputError("near-duplicates are found with `rensa`, which is not installed", "install `rensa`") from error
    sets = [
        shingles(list(_calls(messages)), answer or "")
        for messages, answer in zip(table["messages"].to_pylist(), table["answer"].to_pylist(), strict=True)
    ]
    return np.array(rensa.RMinHash.digests_from_token_sets(sets, N_HASHES, _SEED), np.uint32)


def _calls(messages: Sequence[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        for call in message["tool_calls"] or ():
            yield f"{call['function']['name']} {call['function']['arguments']}"


def _duplicates(digests: Digests, threshold: float) -> list[int]:
    """Return which rows are near to a row that is kept. The rows of `digests` stand from the best on."""
    stands_for = np.arange(len(digests))
    for row, candidate in _candidates(digests, rows_per_band(threshold)):
        kept = stands_for[candidate]
        if stands_for[row] == row and np.count_nonzero(digests[row] == digests[kept]) >= threshold * N_HASHES:
            stands_for[row] = kept
    found: list[int] = np.flatnonzero(stands_for != np.arange(len(digests))).tolist()
    return found


def _candidates(digests: Digests, per_band: int) -> list[tuple[int, int]]:
    """Pair each row with two better ones that share a band with it, the best and the next better, in order of rows."""
    found = [np.empty((0, 2), np.int64)]
    for start in range(0, N_HASHES - per_band + 1, per_band):
        keys = np.zeros(len(digests), np.uint64)
        for column in digests[:, start : start + per_band].T.astype(np.uint64):
            keys = (keys ^ column) * _MIX
            keys ^= keys >> np.uint64(32)
        order = np.argsort(keys, kind="stable")
        opens = np.concatenate([[True], keys[order[1:]] != keys[order[:-1]]])  # a run of rows with one key
        best = order[np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0))]
        before = np.concatenate([order[:1], order[:-1]])
        found += [np.stack([order, one], axis=1)[~opens] for one in (best, before)]
    pairs: list[tuple[int, int]] = np.unique(np.concatenate(found), axis=0).tolist()
    return pairs
