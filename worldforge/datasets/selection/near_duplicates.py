"""Near-duplicates: trajectories that made nearly the same calls and gave nearly the same answer.

A trajectory is the set of its shingles: three words in a row of a call (its name and arguments) or of the answer
(Broder, "On the resemblance and containment of documents", 1997). Two are near-duplicates where the Jaccard similarity
of these sets, as MinHash estimates it, reaches the threshold. `rensa` computes the MinHashes; candidates are those that
agree in a band of them (locality-sensitive hashing; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets",
chapter 3), found in the rows' database, so that memory holds two numbers a row and no index.

Rows are visited from the best on: one that is near to a row kept goes, and is put down to it. So each that goes has a
near-duplicate that stays, which is no worse.
"""

from __future__ import annotations

import os
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
from worldforge.datasets.selection.shard_reader import Places, ShardReader

COLUMNS = ("messages.list.element.tool_calls", "answer")
"""What of a row is read: the calls, and no observation."""

N_HASHES = 128  # a standard error of 0.035 at a similarity of 0.8
_SEED = 1
_RECALL = 0.99  # of pairs right at the threshold; above it more
_WORDS = 3
_word = re.compile(r"\w+").findall
_MIX = np.uint64(0x9E3779B97F4A7C15)
Digests = npt.NDArray[np.uint32]

_CANDIDATES = """
    WITH seen AS (
        SELECT rank, first_value(rank) OVER shared AS first, lag(rank) OVER shared AS before
        FROM bands WINDOW shared AS (PARTITION BY band, key ORDER BY rank)
    )
    SELECT rank, first AS candidate FROM seen WHERE first < rank
    UNION SELECT rank, before FROM seen WHERE before IS NOT NULL
    ORDER BY rank, candidate
"""  # of all that share a band with a row, the best and the next better one: they stand for the others


def hasher() -> str:
    """Name what hashes, with the version that its hashes depend on."""
    return f"rensa {version('rensa')}"


def remove_near_duplicates(
    rows: RowDatabase, shelf: ShardReader, threshold: float, preference: str, folder: Path
) -> int:
    """Keep one of each cluster of near-duplicates, the first by `preference`; return how many rows went.

    `preference` is an order in SQL, total; `folder` takes 512 bytes a row, and what the database spills.
    """
    ranked = rows.columns(f"SELECT place, row_number() OVER (ORDER BY {preference}) - 1 AS rank FROM rows ORDER BY 1")
    places, ranks = np.asarray(ranked["place"], np.int64), np.asarray(ranked["rank"], np.int64)
    at = np.empty(len(ranks), np.int64)
    at[ranks] = np.arange(len(ranks))
    path = folder / "digests"
    rows.create("bands", "rank BIGINT, band INTEGER, key UBIGINT")
    _write_digests(rows, shelf, places, ranks, path, rows_per_band(threshold))
    with path.open("rb") as file:
        stands_for = _clusters(rows.stream(_CANDIDATES), file.fileno(), at, threshold)
    rows.run("DROP TABLE bands")
    path.unlink()
    rows.create("gone", "place BIGINT")
    gone = places[at[np.flatnonzero(stands_for != np.arange(len(at)))]]
    rows.insert("gone", pa.table({"place": gone}))
    n_removed = rows.keep("place NOT IN (SELECT place FROM gone)")
    rows.run("DROP TABLE gone")
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


def _write_digests(
    rows: RowDatabase, shelf: ShardReader, places: Places, ranks: Places, path: Path, per_band: int
) -> None:
    """Write the digests to `path`, in the order of places, and the bands of each to the rows' database."""
    n_read = 0
    with path.open("wb") as file:
        for chosen, table in shelf.read(places, COLUMNS):
            digests = digests_of(table)
            file.write(digests.tobytes())
            rows.insert("bands", _bands(digests, ranks[n_read : n_read + len(chosen)], per_band))
            n_read += len(chosen)


def _bands(digests: Digests, ranks: Places, per_band: int) -> pa.Table:
    n_bands = N_HASHES // per_band
    bands = digests.astype(np.uint64).reshape(len(digests), n_bands, per_band)
    keys = np.zeros((len(digests), n_bands), np.uint64)
    for place in range(per_band):
        keys = (keys ^ bands[:, :, place]) * _MIX
        keys ^= keys >> np.uint64(32)
    numbers = np.tile(np.arange(n_bands, dtype=np.int32), len(digests))
    return pa.table({"rank": np.repeat(ranks, n_bands), "band": numbers, "key": keys.ravel()})


def _clusters(pairs: Iterator[tuple[int, int]], digests: int, at: Places, threshold: float) -> Places:
    """Return which row each stands for, both by rank: itself where it is kept. `digests` is the file's descriptor."""
    size = N_HASHES * np.dtype(np.uint32).itemsize

    def digest(rank: int) -> Digests:
        return np.frombuffer(os.pread(digests, size, int(at[rank]) * size), np.uint32)

    stands_for = np.arange(len(at))
    compared = (-1, -1)
    for rank, candidate in pairs:
        kept = int(stands_for[candidate])
        if stands_for[rank] != rank or compared == (rank, kept):
            continue
        compared = (rank, kept)
        if np.count_nonzero(digest(rank) == digest(kept)) >= threshold * N_HASHES:
            stands_for[rank] = kept
    return stands_for
