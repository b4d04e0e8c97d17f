"""Scores made by ranks: each scores every n-th question in a folder of its own, and the file of scores is made of all.

<out>.ranks/2-of-8/scores.parquet     the rows of its questions; judge.sqlite, what its judge said; done.json, last
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.files import atomic, locked, remove
from worldforge.core.ranks import (
    LOCK,
    RECORD,
    Share,
    at_rest,
    clear,
    collect,
    is_whole,
    number_of_ranks,
    read_record,
    write_record,
)
from worldforge.core.store import Store, kept_in

FILE = "scores.parquet"

Scored = tuple[list[dict[str, Any]], int]
"""Rows of scores, and how often a judge was asked for them."""


def score_share(
    place: Path, share: Share, config: Mapping[str, Any], schema: pa.Schema, make: Callable[[], Scored]
) -> Scored:
    """Let a rank make its rows, unless it has; return them. Raises InputError where another process is at it."""
    folder = share.folder(place)
    path = folder / FILE
    with locked(folder / LOCK, f"another process is at work on {share} in {place}"), kept_in(folder):
        if is_whole(folder / RECORD, config):
            record = read_record(folder / RECORD) or {}
            return pq.read_table(path).to_pylist(), record["n_asked"]
        remove(folder / RECORD)
        rows, n_asked = make()
        with atomic(path) as beside:
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), beside)
        write_record(folder / RECORD, share, config, [path], n_asked=n_asked)
        return rows, n_asked


@contextmanager
def merged_scores(place: Path, of: int | None, config: Mapping[str, Any], cache: Path) -> Iterator[Scored]:
    """Give the rows of all ranks, those of the first question first; when they have been written, ranks' folders go.

    What their judges said goes into `cache`. `of` says how many ranks there were (None: as many as are found).
    Raises GapsError and InputError as `collect` does.
    """
    with at_rest(place):
        ranks = collect(place, number_of_ranks(place, of), config)
        tables = [pq.read_table(folder / FILE) for folder, _ in ranks]
        yield _dealt(tables, len(config["trials"])), sum(record["n_asked"] for _, record in ranks)
        caches = [path for folder, _ in ranks if (path := folder / cache.name).exists()]
        if caches:
            with Store(cache) as store:
                for path in caches:
                    store.take_in(path)
        clear(place)


def _dealt(tables: Sequence[pa.Table], n_trials: int) -> list[dict[str, Any]]:
    """Return the rows of the first table's first question, of the second table's first, and so on."""
    rows = [table.to_pylist() for table in tables]
    n_questions = sum(table.num_rows for table in tables) // n_trials
    places = [divmod(question, len(tables)) for question in range(n_questions)]
    return [row for at, rank in places for row in rows[rank][at * n_trials : (at + 1) * n_trials]]
