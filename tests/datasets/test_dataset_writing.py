"""However rows come in, they go out in order, in files and row groups of the sizes asked for."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.core.progress import Progress
from worldforge.datasets import view_writer as writing
from worldforge.datasets.card.yaml_header import size_category
from worldforge.datasets.view_writer import BYTES_PER_GROUP, ROWS_PER_GROUP, write_tables

SCHEMA = pa.schema([("id", pa.int64()), ("text", pa.string())])


def tables_of(lengths, text="short"):
    first = 0
    for length in lengths:
        yield pa.table({"id": range(first, first + length), "text": [text] * length}, SCHEMA)
        first += length


def groups_of(files):
    return [file.metadata.row_group(i).num_rows for file in files for i in range(file.num_row_groups)]


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(sum),
    per_file=st.integers(1, 30),
    per_group=st.integers(1, 12),
)
def test_rows_keep_their_order_and_sizes_hold(tmp_path_factory, lengths, per_file, per_group):
    folder = tmp_path_factory.mktemp("out") / "view"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(writing, "ROWS_PER_GROUP", per_group)
        written = write_tables(tables_of(lengths), SCHEMA, folder, per_file, Progress())
    n_files = -(-sum(lengths) // per_file)
    names = [f"train-{number:05d}-of-{n_files:05d}.parquet" for number in range(n_files)]
    assert [path.name for path in written] == sorted(path.name for path in folder.iterdir()) == names
    files = [pq.ParquetFile(path) for path in written]
    assert [file.metadata.num_rows for file in files] == list(written.values())
    assert all(n_rows == per_file for n_rows in list(written.values())[:-1])
    assert pa.concat_tables(file.read() for file in files)["id"].to_pylist() == list(range(sum(lengths)))
    assert max(groups_of(files)) <= per_group


def test_no_rows_are_no_folder(tmp_path):
    for tables in ((), tables_of([0, 0])):
        assert write_tables(tables, SCHEMA, tmp_path / "view", 10, Progress()) == {}
    assert not (tmp_path / "view").exists()


def test_long_rows_make_small_groups_and_short_ones_no_more_than_a_thousand(tmp_path):
    short = write_tables(tables_of([1_500, 700]), SCHEMA, tmp_path / "short", 10_000, Progress())
    assert groups_of(map(pq.ParquetFile, short)) == [ROWS_PER_GROUP, ROWS_PER_GROUP, 200]
    long = write_tables(tables_of([1] * 5, "x" * (BYTES_PER_GROUP // 2 + 1)), SCHEMA, tmp_path / "long", 9, Progress())
    assert groups_of(map(pq.ParquetFile, long)) == [1] * 5


def test_groups_do_not_hang_on_how_rows_come_in(tmp_path):
    whole, pieces = (
        write_tables(tables_of(lengths), SCHEMA, tmp_path / str(len(lengths)), 700, Progress())
        for lengths in ([2_000], [1] * 2_000)
    )
    assert [path.read_bytes() for path in whole] == [path.read_bytes() for path in pieces]


def test_what_goes_wrong_while_rows_are_made_is_told(tmp_path):
    def failing():
        yield from tables_of([3])
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_tables(failing(), SCHEMA, tmp_path / "view", 2, Progress())


@pytest.mark.parametrize(
    ("n_rows", "category"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (10**8, "n>100M")],
)
def test_size_category(n_rows, category):
    assert size_category(n_rows) == category
