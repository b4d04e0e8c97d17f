"""Writes a world's pages: which there are, then their text chunk by chunk, then what links them.

Chunks are composed by any number of processes and read back in their order, so the files are the same for all of them.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.authority import page_rank
from worldforge.builders.compose import Chunk, compose, cut
from worldforge.builders.outline import Outline, outline_pages
from worldforge.builders.written import write_tables
from worldforge.core.files import remove
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.tables import LINKS, MENTIONS, PAGES, write_parquet

_outline: Outline | None = None  # a worker process's own copy, set once when it starts


def write_pages(
    spec: WorldSpec,
    tables: Mapping[str, pa.Table],
    folder: Path,
    workers: int,
    progress: Progress,
    code_from: Path | None = None,
) -> None:
    """Write pages.parquet, mentions.parquet and links.parquet of a world into `folder`, by `workers` processes.

    `tables` are the world's tables by name. Raises InputError for a page generator that cannot be used.
    """
    outline = outline_pages(spec, write_tables(spec, tables, code_from), code_from)
    chunks = cut(outline)
    progress.start("pages", len(outline))
    with _scratch(folder / ".pages.partial") as scratch:
        for chunk in _compose_all(outline, chunks, scratch, workers):
            progress.advance(chunk.high - chunk.low)
        authority = _authority(scratch, chunks, len(outline))
        with ThreadPoolExecutor(workers) as pool:
            written = [
                pool.submit(write_parquet, folder / "pages.parquet", _weighed(scratch, chunks, authority), PAGES),
                pool.submit(write_parquet, folder / "mentions.parquet", _read(scratch, chunks, "mentions"), MENTIONS),
                pool.submit(write_parquet, folder / "links.parquet", _links(scratch, chunks), LINKS),
            ]
        for file in written:
            file.result()


def _compose_all(outline: Outline, chunks: list[Chunk], scratch: Path, workers: int) -> Iterator[Chunk]:
    """Compose every chunk into `scratch`; give each back, in order, when it is done."""
    if workers == 1:
        for number, chunk in enumerate(chunks):
            _spill(outline, scratch, number, chunk)
            yield chunk
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, initializer=_start_worker, initargs=(outline,)) as pool:
        jobs = [pool.submit(_compose_in_worker, scratch, number, chunk) for number, chunk in enumerate(chunks)]
        for chunk, job in zip(chunks, jobs, strict=True):
            job.result()
            yield chunk


def _start_worker(outline: Outline) -> None:
    global _outline
    _outline = outline


def _compose_in_worker(scratch: Path, number: int, chunk: Chunk) -> None:
    assert _outline is not None
    _spill(_outline, scratch, number, chunk)


def _spill(outline: Outline, scratch: Path, number: int, chunk: Chunk) -> None:
    composed = compose(outline, chunk)
    for part, table in (("pages", composed.pages), ("mentions", composed.mentions), ("links", composed.links)):
        with pa.OSFile(str(_spilled(scratch, number, part)), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
            file.write_table(table)


def _read(scratch: Path, chunks: list[Chunk], part: str) -> Iterator[pa.Table]:
    """Read one part of every chunk, in order, without copying it into memory."""
    for number in range(len(chunks)):
        yield pa.ipc.open_file(pa.memory_map(str(_spilled(scratch, number, part)))).read_all()


def _spilled(scratch: Path, number: int, part: str) -> Path:
    return scratch / f"{number:06}.{part}.arrow"


def _authority(scratch: Path, chunks: list[Chunk], n: int) -> npt.NDArray[np.float64]:
    numbers = [table.select(["source_page", "target_page"]) for table in _read(scratch, chunks, "links")]
    if not numbers:
        return np.ones(n)
    links = pa.concat_tables(numbers)
    return page_rank(links["source_page"].to_numpy(), links["target_page"].to_numpy(), n)


def _weighed(scratch: Path, chunks: list[Chunk], authority: npt.NDArray[np.float64]) -> Iterator[pa.Table]:
    first = 0
    for table in _read(scratch, chunks, "pages"):
        last = first + table.num_rows
        yield table.append_column("authority", pa.array(authority[first:last]))
        first = last


def _links(scratch: Path, chunks: list[Chunk]) -> Iterator[pa.Table]:
    return (table.select(LINKS.names) for table in _read(scratch, chunks, "links"))


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """Give an empty folder to work in, and remove it afterwards; what a killed run left there goes first."""
    remove(folder)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        remove(folder)
