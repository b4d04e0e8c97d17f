"""Stream whole rows in any order, in bounded memory.

Where the order is that of the shards they are read through, once. Elsewhere each shard is read once too: its rows go to
files of portions of the order wanted, each small enough to be sorted in memory (a bucket sort by known rank). A row is
written and read once more in all, however the orders differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa

from worldforge.datasets.selection.shard_reader import Places, ShardReader

PORTION_BYTES = 32 * 2**20
MOST_PORTIONS = 256  # files open at a time
_RANK = "_rank"
_LIGHT = pa.ipc.IpcWriteOptions(compression="lz4")


def in_order(reader: ShardReader, places: Places, columns: Sequence[str], spill: Path) -> Iterator[pa.Table]:
    """Give the rows at `places`, in that order, as tables of some size.

    `spill` is a folder that this order may use: what was written there is read again the next time.
    """
    if _ascend(places):
        return (table for _, table in reader.read(places, columns))
    return _spilled(reader, places, columns, spill)


def prepare(reader: ShardReader, places: Places, columns: Sequence[str], spill: Path) -> None:
    """Write to `spill` what `in_order` will read there, so that several processes may."""
    if not _ascend(places):
        _spill(reader, places, columns, spill)


def portioned(tables: Iterator[pa.Table], sizes: Iterator[int]) -> Iterator[pa.Table]:
    """Cut a stream of tables anew, into tables of `sizes`; the last may be shorter, where `sizes` go beyond."""
    rest: list[pa.Table] = []
    for size in sizes:
        n_held = sum(table.num_rows for table in rest)
        while n_held < size and (more := next(tables, None)) is not None:
            rest.append(more)
            n_held += more.num_rows
        if not n_held:
            return
        whole = pa.concat_tables(rest)
        yield whole.slice(0, size)
        rest = [whole.slice(size)] if n_held > size else []


def _ascend(places: Places) -> bool:
    return bool(np.all(places[1:] > places[:-1]))


def _spill(reader: ShardReader, places: Places, columns: Sequence[str], spill: Path) -> list[Path]:
    """Write the rows to files of portions, unless they have been; return those, in order."""
    share = len(places) / max(1, reader.n_rows)
    n_portions = min(MOST_PORTIONS, max(1, round(reader.n_bytes * share / PORTION_BYTES)))
    per_portion = -(-len(places) // n_portions)
    files = [spill / f"{portion:03d}.arrow" for portion in range(-(-len(places) // per_portion))]
    done = spill / "done"
    if not done.exists():
        spill.mkdir(parents=True, exist_ok=True)
        _spread(reader, places, columns, files, per_portion)
        done.touch()
    return files


def _spilled(reader: ShardReader, places: Places, columns: Sequence[str], spill: Path) -> Iterator[pa.Table]:
    for file in _spill(reader, places, columns, spill):
        with pa.OSFile(str(file)) as raw, pa.ipc.open_stream(raw) as stream:
            table = stream.read_all()
        order = np.argsort(table[_RANK].to_numpy())
        yield table.drop_columns(_RANK).take(order)


def _spread(
    reader: ShardReader, places: Places, columns: Sequence[str], files: Sequence[Path], per_portion: int
) -> None:
    """Write each row, with its rank, to the file of its portion; a portion's worth of bytes at a time."""
    ranks = np.argsort(places)
    schema, held, n_held = None, [], 0
    with ExitStack() as stack:
        writers: list[pa.ipc.RecordBatchStreamWriter] = []
        n_read = 0
        for chosen, table in reader.read(places[ranks], columns):
            here = ranks[n_read : n_read + len(chosen)]
            n_read += len(chosen)
            held.append(table.append_column(_RANK, pa.array(here)))
            n_held += table.nbytes
            if schema is None:
                schema = held[0].schema
                writers = [_writer(stack, file, schema) for file in files]
            if n_held >= PORTION_BYTES:
                _flush(held, writers, per_portion)
                held, n_held = [], 0
        _flush(held, writers, per_portion)


def _writer(stack: ExitStack, file: Path, schema: pa.Schema) -> pa.ipc.RecordBatchStreamWriter:
    raw = stack.enter_context(pa.OSFile(str(file), "wb"))
    return stack.enter_context(pa.ipc.new_stream(raw, schema, options=_LIGHT))


def _flush(held: Sequence[pa.Table], writers: Sequence[pa.ipc.RecordBatchStreamWriter], per_portion: int) -> None:
    if not held:
        return
    table = pa.concat_tables(held)
    portions = table[_RANK].to_numpy() // per_portion
    order = np.argsort(portions, kind="stable")
    cuts = np.searchsorted(portions[order], np.arange(len(writers) + 1))
    sorted_table = table.take(order)  # once: each take copies all that it takes from
    for writer, start, end in zip(writers, cuts[:-1], cuts[1:], strict=True):
        if end > start:
            writer.write_table(sorted_table.slice(start, end - start))
