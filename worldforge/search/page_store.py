"""The pages beside the engine: what a search shows of them, in an Arrow file that is mapped, not loaded.

A page's plain text has its prose first and its tables after it: a snippet is cut where the query's words first stand,
and a sentence hints at a page where a table would recite its facts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.search.analysis import holds_cjk
from worldforge.world.table_files import damage_as_input_error

_FILE = "pages.arrow"
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


class PageStore:
    """The pages beside the engine in the folder `index`, by row number, as in pages.parquet.

    Raises InputError where their file is missing or damaged.
    """

    def __init__(self, index: Path) -> None:
        with damage_as_input_error(index / _FILE):
            self.table = pa.ipc.open_file(pa.memory_map(str(index / _FILE))).read_all()
        self.columns: dict[str, pa.ChunkedArray] = {name: self.table[name] for name in self.table.column_names}

    @property
    def n_pages(self) -> int:
        """How many pages there are."""
        return int(self.table.num_rows)

    def cells(self, row: int, *columns: str) -> tuple[Any, ...]:
        """Return cells of one row: `url`, `title`, `text`, `plain` (str), `published` (date or None)."""
        return tuple([self.columns[column][row].as_py() for column in columns])

    def plain_sizes(self) -> npt.NDArray[np.int64]:
        """Return the size of each page's plain text in bytes."""
        sizes: npt.NDArray[np.int64] = pc.binary_length(self.columns["plain"]).to_numpy().astype(np.int64)
        return sizes

    def holds_cjk(self) -> bool:
        """Say whether a title or text holds Chinese, Japanese or Korean."""
        return any(holds_cjk(self.columns[name]) for name in ("title", "plain"))


def write_store(pages: Path, index: Path) -> None:
    """Copy what a search shows from pages.parquet into the folder `index`, a batch at a time."""
    with (
        pq.ParquetFile(pages) as source,
        pa.OSFile(str(index / _FILE), "wb") as sink,
        pa.ipc.new_file(sink, _SCHEMA) as writer,
    ):
        for batch in source.iter_batches(_ROWS_PER_BATCH, columns=_COPIED):
            plain = [None if text is None else plain_text(text) for text in batch["text"].to_pylist()]
            columns = {name: batch[name] for name in _COPIED} | {"plain": plain}
            writer.write_batch(pa.RecordBatch.from_pydict(columns, schema=_SCHEMA))


# A link or an image gives its text; bare addresses, emphasis and the rulers of tables give nothing.
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|https?://[^\s)>|]+|\*\*|:?-{3,}:?")
_BLANKED = str.maketrans("|#*`>", "     ")


def plain_text(markdown: str) -> str:
    """Return Markdown as plain text: words and punctuation with single spaces between, without the opening title."""
    lines = markdown.split("\n")
    if lines[0].startswith("# "):
        del lines[0]
    lines.sort(key=lambda line: line.startswith("|"))
    return " ".join(_MARKUP.sub(r"\1", "\n".join(lines)).translate(_BLANKED).split())
