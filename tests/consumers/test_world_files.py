"""A world's pages, mentions and links as they lie on disk, read by pyarrow, DuckDB, polars and `datasets`."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import datasets
import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from worldforge.world.table_files import LARGE_FILES, ROWS_PER_GROUP, StorageOptions, parquet_writer

N = ROWS_PER_GROUP + 7  # a row group, and the beginning of another
DAY = datetime.date(2031, 6, 30)
ROWS = {
    "pages": [
        (f"page/{i:06}", f"https://a.example/{i}", "a.example", "club", f"鹭湾 {i}", "en", DAY, f"# É\n{i}" * 9)
        for i in range(N)
    ],
    "mentions": [
        (
            f"page/{i // 20:06}",
            f"club/{i % 900:04}#founded",
            s := i * 7919 % 4000,
            s + 4,
            stance,
            str(1000 + i % 999),
            *to,
        )
        for i in range(N)
        for stance, to in [
            (("current", "alias", "mistaken")[i % 3], (None, None)),
            ("relative", (f"club/{i % 90:04}#founded", i % 7 or None)),
        ][i % 5 == 0 :][:1]
    ],
    "links": [(f"page/{i // 6:06}", None if i % 9 == 0 else f"page/{i % 801:06}", f"名 {i}") for i in range(N)],
}
FORMS = {Path(file).stem: form for file, form in LARGE_FILES.items()}


def table_of(name: str) -> pa.Table:
    schema = FORMS[name][0]
    columns = list(zip(*ROWS[name], strict=True))
    return pa.table([pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)], schema=schema)


def written(name: str, folder: Path, table: pa.Table) -> Path:
    path = folder / f"{name}.parquet"
    with parquet_writer(path, *FORMS[name]) as write:
        write(table.slice(0, 5))
        write(table.slice(5))
    return path


@pytest.mark.parametrize("name", FORMS)
def test_every_library_reads_what_was_written(name: str, tmp_path: Path) -> None:
    table = table_of(name)
    path, rows = written(name, tmp_path, table), table.to_pylist()
    assert pq.read_table(path).equals(table)
    assert pq.read_schema(path).equals(FORMS[name][0])
    assert duckdb.sql(f"FROM read_parquet('{path}')").fetchall() == ROWS[name]
    assert polars.read_parquet(path).rows() == ROWS[name]
    assert polars.scan_parquet(path).tail(3).collect().rows() == ROWS[name][-3:]
    loaded = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp_path / "cache"))
    assert loaded.features.arrow_schema.equals(pa.schema([one.with_nullable(True) for one in FORMS[name][0]]))
    assert loaded[:] == {column: [row[column] for row in rows] for column in table.column_names}


def form_in(path: Path) -> StorageOptions:
    """Read off a file's head how its columns are stored."""
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    return StorageOptions(
        bounded=tuple(one.path_in_schema for one in columns if one.is_stats_set),
        repeating=tuple(one.path_in_schema for one in columns if one.has_dictionary_page),
        stepping=tuple(one.path_in_schema for one in columns if "DELTA_BINARY_PACKED" in one.encodings),
    )


@pytest.mark.parametrize("name", FORMS)
def test_columns_are_stored_as_their_form_says(name: str, tmp_path: Path) -> None:
    found = form_in(written(name, tmp_path, table_of(name)))
    assert found == replace(FORMS[name][1], at_once=found.at_once), "how many rows are written at once shows nowhere"
