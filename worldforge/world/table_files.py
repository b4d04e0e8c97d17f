"""The Arrow schemas of a world's files, and how they are written: Parquet, snappy, the same bytes for the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import atomic
from worldforge.schema.spec import WorldSpec

ROWS_PER_GROUP = 20_000


@dataclass(frozen=True, slots=True)
class StorageOptions:
    """How the columns of a large file are stored; `bounded` ones with minimum and maximum of each row group.

    Nothing can be left out by the bounds of other columns, and those of texts are texts: they cost time and room.
    """

    bounded: tuple[str, ...]
    repeating: tuple[str, ...] = ()
    """Columns of few values: each is kept once, as an Arrow dictionary in memory and in the file."""
    stepping: tuple[str, ...] = ()
    """Columns of whole numbers that are close to the one before: what is kept is the difference."""
    at_once: int = ROWS_PER_GROUP
    """Rows that are written before it is looked whether a page of the file is full: fewer where texts are long."""


PAGES = pa.schema(
    [
        ("id", pa.string()),
        ("url", pa.string()),
        ("site", pa.string()),
        ("kind", pa.string()),
        ("title", pa.string()),
        ("language", pa.string()),
        ("published", pa.date32()),
        ("text", pa.string()),
    ]
)
"""One row a page. `kind` is its key in the spec's `pages`."""

AUTHORITY = pa.schema([("page", pa.string()), ("authority", pa.float64())])
"""One row a page, in page order: its PageRank over the links between pages, with mean 1.

In a file of its own, since it is known when all pages have been written.
"""

AUTHORITY_FILE = "authority.parquet"
"""What the file is called in a world's folder."""

MENTIONS = pa.schema(
    [
        pa.field(name, kind, nullable=False)
        for name, kind in [
            ("page", pa.string()),
            ("fact", pa.string()),
            ("start", pa.int32()),
            ("end", pa.int32()),
            ("stance", pa.string()),
            ("value", pa.string()),
        ]
    ]
    + [pa.field("relative_to", pa.string()), pa.field("difference", pa.float64())]
)
"""One row a fact that a page states: `text[start:end] == value`, in characters. Ordered by page, then start.

`stance` says how the value stands to the table's:

current       the value, as `value_text.as_written` writes it
alias         another name of the entity that the fact is the name of, or refers to
restated      the value in the site's own form: another unit, currency, form of date or number
outdated      what was true on the day on which the page was published, and is no more
mistaken      what was never true
relative      what it is relative to another fact, `relative_to`: `three years after Velmar Rovers`. The span is the
              name of what that fact is of. The fact is `relative_to` plus `difference`, of a date in days,
              or the same where that is null.
total         the sum of this fact and of all others that have this stance and the same span
"""

TRUE_STANCES = ("current", "alias", "restated")
"""The stances of mentions that say what the table says. What repeats another page says it with that page's stances."""
TOTAL = "total"
"""The stance of what a total is of: true, and no value of the fact."""
RELATIVE = "relative"
"""The stance of statements that are true, and that need another fact to be read."""

PAGES_STORAGE = StorageOptions(bounded=tuple(name for name in PAGES.names if name != "text"), at_once=1024)
MENTIONS_STORAGE = StorageOptions(bounded=("page",), repeating=("stance",), stepping=("start", "end"))
LINKS_STORAGE = StorageOptions(bounded=("source",))

LINKS = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string()),
        pa.field("anchor", pa.string(), nullable=False),
    ]
)
"""One row a link from page to page; `target` is null where the page it led to is gone."""

LARGE_FILES = {
    "pages.parquet": (PAGES, PAGES_STORAGE),
    "mentions.parquet": (MENTIONS, MENTIONS_STORAGE),
    "links.parquet": (LINKS, LINKS_STORAGE),
}
"""The files of a world's pages: what is in them, and how it is stored."""

REDIRECTS = pa.schema([("url", pa.string()), ("target", pa.string())])
"""One row an address that a page has left, in page order: a link or a call that bears it is led on to the page."""

REDIRECTS_FILE = "redirects.parquet"
"""What the file is called in a world's folder; it is there where the spec's `web.redirects` asks for it."""

TASKS = pa.schema(
    [
        ("id", pa.string()),
        ("family", pa.string()),
        ("about", pa.string()),
        ("language", pa.string()),
        ("wording", pa.string()),
        ("query", pa.string()),
        ("conditions", pa.string()),
        ("shape", pa.string()),
        (
            "columns",
            pa.list_(pa.struct([(name, pa.string()) for name in ("path", "label", "kind")])),
        ),
        ("keys", pa.list_(pa.string())),
        ("evaluation", pa.string()),
        ("n_rows", pa.int32()),
        ("n_columns", pa.int32()),
        ("n_cells", pa.int32()),
        ("n_conditions", pa.int32()),
        ("n_hops", pa.int32()),
        ("n_conflicts", pa.int32()),
        ("logic", pa.string()),
        ("distractor_ratio", pa.float64()),
        ("best_page_share", pa.float64()),
        ("gold_page_share", pa.float64()),
        ("guess_f1", pa.float64()),
        ("oracle_pages", pa.int32()),
        ("oracle_calls", pa.int32()),
        ("searcher_calls", pa.int32()),
        ("searcher_pages", pa.int32()),
        ("searcher_tokens", pa.int32()),
        ("searcher_f1", pa.float64()),
        ("searcher_coverage", pa.list_(pa.float64())),
        ("side", pa.string()),
        ("gold", pa.list_(pa.list_(pa.string()))),
        ("facts", pa.list_(pa.list_(pa.string()))),
        ("evidence", pa.list_(pa.string())),
    ]
)
"""One row a task; see `world.task.Task`."""

SET_ASIDE = pa.schema([("id", pa.string()), ("family", pa.string()), ("query", pa.string()), ("reason", pa.string())])
"""One row a task that a gate refused, with the reason."""


def write_parquet(path: Path, batches: Iterable[pa.Table | pa.RecordBatch], schema: pa.Schema) -> int:
    """Write batches as one Parquet file, atomically; return how many rows it holds."""
    n_rows = 0
    with parquet_writer(path, schema) as write:
        for batch in batches:
            write(pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch)
            n_rows += batch.num_rows
    return n_rows


@contextmanager
def parquet_writer(
    path: Path, schema: pa.Schema, form: StorageOptions | None = None
) -> Iterator[Callable[[pa.Table], None]]:
    """Yield a function that appends tables to a Parquet file; the file appears when the block ends without an error.

    With a `form` no dictionary of a column's values is kept but where it says so: smaller and quicker where few values
    come twice. Whichever it has, what is read back has the types of `schema`. Snappy makes files half as large again as
    zstd's, which take a tenth of the time of a world's pages.
    """
    held = schema if form is None else in_memory_schema(schema, form)
    how = {} if form is None else _written_as(form)
    with (
        atomic(path) as beside,
        pq.ParquetWriter(beside, held, compression="snappy", write_page_index=True, **how) as writer,
    ):
        yield lambda table: writer.write_table(table.cast(held), row_group_size=ROWS_PER_GROUP)


def in_memory_schema(schema: pa.Schema, form: StorageOptions) -> pa.Schema:
    """Return `schema` with dictionaries for the columns that `form` stores as such."""
    kept_once = pa.dictionary(pa.int32(), pa.string())
    return pa.schema([field.with_type(kept_once) if field.name in form.repeating else field for field in schema])


def _written_as(form: StorageOptions) -> dict[str, Any]:
    return {
        "write_batch_size": form.at_once,
        "write_statistics": list(form.bounded),
        "use_dictionary": list(form.repeating) or False,
        "column_encoding": dict.fromkeys(form.stepping, "DELTA_BINARY_PACKED"),
        "store_schema": False,  # it would have readers hold dictionaries
    }


def read_tables(spec: WorldSpec, folder: Path) -> dict[str, pa.Table]:
    """Read the tables of every type and every relation of the world in `folder`, by name."""
    entities = {name: read_parquet(folder / "entities" / f"{name}.parquet") for name in spec.types}
    return entities | {name: read_parquet(folder / "relations" / f"{name}.parquet") for name in spec.relations}


def read_parquet(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a Parquet file of a world. Raises InputError where it is missing or damaged."""
    with damage_as_input_error(path), pq.ParquetFile(path, memory_map=True) as file:
        return file.read(columns)  # `read_table` would import Arrow's datasets for one file


@contextmanager
def damage_as_input_error(path: Path) -> Iterator[None]:
    """Raise InputError, with what to do, where a file of a world is missing or damaged."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing", "build the world again: `worldforge build`") from error
    except (pa.ArrowInvalid, OSError) as error:
        message = f"{path} cannot be read: {error}"
        raise InputError(message, "build the world again: `worldforge build --fresh`") from error
