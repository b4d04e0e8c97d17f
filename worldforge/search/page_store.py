"""The pages beside the engine: what a search shows of them, in an Arrow file that is mapped, not loaded."""

from __future__ import annotations

import datetime
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.search.analysis import holds_cjk
from worldforge.search.plain_text import plain_text
from worldforge.search.snippet import folded

FILE_NAME = "pages.arrow"
"""What the file is called in an index's folder."""

_COPIED = ["url", "title", "published", "text"]
_SCHEMA = pa.schema(
    [
        ("url", pa.string()),
        ("title", pa.string()),
        ("published", pa.date32()),
        ("text", pa.string()),
        ("plain", pa.string()),
    ]
)
_ROWS_PER_BATCH = 10_000
_KEPT = 2_048  # pages ready to be shown: some 5 kB each


class ListedPage(NamedTuple):
    """What a list of results shows of a page, or cuts it from: `lowered` is its plain text as terms are found in it."""

    url: str
    title: str
    published: datetime.date | None
    plain: str
    lowered: str


@dataclass(frozen=True)
class PageStore:
    """Pages by row number, as in pages.parquet. `starts` holds the first row of each record batch."""

    starts: list[int]
    columns: dict[str, list[pa.Array]]
    n_pages: int

    def cells(self, row: int, *columns: str) -> tuple[Any, ...]:
        """Return cells of one row: `url`, `title`, `text`, `plain` (str), `published` (date or None)."""
        batch = bisect_right(self.starts, row) - 1
        place = row - self.starts[batch]
        return tuple([self.columns[column][batch][place].as_py() for column in columns])

    @cached_property
    def listed(self) -> Callable[[int], ListedPage]:
        """Gives a page by its row, as it is listed. Those that were asked for last are kept."""
        return lru_cache(_KEPT)(self._listed)

    def _listed(self, row: int) -> ListedPage:
        url, title, published, plain = self.cells(row, "url", "title", "published", "plain")
        return ListedPage(url, title, published, plain, folded(plain))

    def plain_sizes(self) -> npt.NDArray[np.int64]:
        """Return the size of each page's plain text in bytes."""
        sizes = [pc.binary_length(batch).to_numpy() for batch in self.columns["plain"]]
        return np.concatenate([np.empty(0, np.int64), *sizes]).astype(np.int64)

    def holds_cjk(self) -> bool:
        """Say whether a title or text holds Chinese, Japanese or Korean."""
        return any(holds_cjk(batch) for name in ("title", "plain") for batch in self.columns[name])


def write_store(pages: Path, path: Path) -> None:
    """Copy what a search shows from pages.parquet to an Arrow file, a batch at a time."""
    with (
        pq.ParquetFile(pages) as source,
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, _SCHEMA) as writer,
    ):
        for batch in source.iter_batches(_ROWS_PER_BATCH, columns=_COPIED):
            columns = {name: batch[name] for name in _COPIED} | {"plain": plain_text(batch["text"])}
            writer.write_batch(pa.RecordBatch.from_pydict(columns, schema=_SCHEMA))


def mapped_pages(index: Path) -> pa.Table:
    """Map what is beside the engine in the folder `index`: url, title, published, text and plain text, in page order.

    Raises InputError where it is missing or damaged.
    """
    try:
        return pa.ipc.open_file(pa.memory_map(str(index / FILE_NAME))).read_all()
    except (OSError, pa.ArrowException) as error:
        message = f"{index / FILE_NAME} cannot be read: {error}"
        raise InputError(message, "build the world again: `worldforge build --fresh`") from error


def open_store(path: Path) -> PageStore:
    """Map the file that `write_store` left. Raises OSError or pyarrow.ArrowInvalid where it is damaged."""
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    columns = {name: table[name].chunks for name in table.column_names}
    sizes = [len(chunk) for chunk in columns["url"]]
    return PageStore(list(accumulate(sizes, initial=0))[:-1], columns, table.num_rows)
