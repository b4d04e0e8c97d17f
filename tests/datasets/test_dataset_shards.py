"""However rows come in, they go out in order, in files and row groups of the sizes planned."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.core.progress import Silent
from worldforge.datasets.card import size_category
from worldforge.datasets.shards import ROWS_PER_GROUP, Sizes, plan_sizes, write_files
from worldforge.rollouts.shards import write_shard
from worldforge.rollouts.trajectory import TRAJECTORIES

EMPTY = {field.name: None for field in TRAJECTORIES}


def sources_of(folder, lengths, answer="short"):
    names = iter(range(sum(lengths)))
    for number, length in enumerate(lengths):
        rows = [EMPTY | {"id": str(next(names)), "answer": answer} for _ in range(length)]
        write_shard(folder / f"{number:05d}.parquet", rows)
    return sorted(folder.glob("*.parquet"))


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    per_file=st.integers(1, 30),
    per_group=st.integers(1, 12),
)
def test_rows_keep_their_order_and_sizes_hold(tmp_path_factory, lengths, per_file, per_group):
    sources = sources_of(tmp_path_factory.mktemp("in"), lengths)
    sizes = Sizes(sum(lengths), per_file, per_group)
    paths = write_files(sources, tmp_path_factory.mktemp("out"), sizes, Silent())
    files = [pq.ParquetFile(path) for path in paths]
    assert len(files) == sizes.n_files
    ids = pa.concat_tables(file.read(["id"]) for file in files)["id"].to_pylist()
    assert ids == [str(number) for number in range(sum(lengths))]
    assert all(file.metadata.num_rows == per_file for file in files[:-1])
    groups = [file.metadata.row_group(i).num_rows for file in files for i in range(file.num_row_groups)]
    assert max(groups) <= per_group


def test_long_rows_make_small_groups_and_short_ones_no_more_than_a_thousand(tmp_path):
    for name in ("short", "long"):
        (tmp_path / name).mkdir()
    short = plan_sizes(sources_of(tmp_path / "short", [5, 5]), rows_per_file=7)
    assert (short.n_rows, short.n_files, short.per_group) == (10, 2, ROWS_PER_GROUP)
    long = plan_sizes(sources_of(tmp_path / "long", [1, 1], answer="x" * (40 * 2**20)), rows_per_file=7)
    assert long.per_group == 1


@pytest.mark.parametrize(
    ("n_rows", "category"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (10**8, "n>100M")],
)
def test_size_category(n_rows, category):
    assert size_category(n_rows) == category
