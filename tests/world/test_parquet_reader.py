"""What is read in parts is what is read whole, wherever row groups begin and end."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from worldforge.core.errors import InputError
from worldforge.world import parquet_reader as module
from worldforge.world.evidence import Evidence
from worldforge.world.lineage import explain
from worldforge.world.parquet_reader import ParquetReader, cell_reader, parts, rows_matching
from worldforge.world.world import open_world


@pytest.fixture
def on_file(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ROWS_PER_GROUP", 4)

    def write(n_rows, per_group):
        rows = np.arange(n_rows)
        table = pa.table(
            {"n": rows, "text": [f"t{row % 5}" for row in rows]}, pa.schema({"n": pa.int64(), "text": pa.string()})
        )
        pq.write_table(table, tmp_path / "x.parquet", row_group_size=per_group)
        return table, ParquetReader(tmp_path / "x.parquet")

    return write


@pytest.mark.parametrize("n_rows", [0, 1, 4, 23])
@pytest.mark.parametrize("per_group", [3, 4, 100])
def test_parts_are_the_whole(on_file, n_rows, per_group):
    table, stored = on_file(n_rows, per_group)
    assert (stored.num_rows, stored.column_names) == (n_rows, ["n", "text"])
    assert stored["text"].to_pylist() == table["text"].to_pylist()
    for first in range(n_rows):
        for length in range(n_rows - first + 1):
            assert stored.part(first, length).to_pylist() == table.slice(first, length).to_pylist()
    for size in (1, 5, 50):
        found = [part.to_pylist() for part in parts(stored, ["n"], size)]
        assert found == [part.to_pylist() for part in parts(table, ["n"], size)]
    text_of = cell_reader(stored, "text")
    backwards = range(n_rows)[::-1]
    assert [text_of(row) for row in backwards] == table["text"].to_pylist()[::-1]
    for wanted in (["t1", "t3"], [], ["no"]):
        values = pa.array(wanted, pa.string())
        one, other = (rows_matching(of, ["n"], "text", values).to_pylist() for of in (stored, table))
        assert one == other == table.filter(pc.is_in(table["text"], values)).select(["n"]).to_pylist()


@pytest.mark.parametrize("content", [None, b"", b"PAR1 no more"])
def test_a_file_that_is_missing_or_damaged_is_the_users_to_build_again(tmp_path, content):
    if content is not None:
        (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(InputError, match=r"x.parquet .*(missing|cannot be read)"):
        ParquetReader(tmp_path / "x.parquet")


def test_evidence_is_the_same_in_parts_of_any_size(quickstart, monkeypatch):
    world = open_world(quickstart)
    whole = Evidence(world.mentions)
    monkeypatch.setattr(module.parts, "__defaults__", (777,))
    in_parts = Evidence(ParquetReader(quickstart / "mentions.parquet"))
    for name in ("page", "start", "end", "is_name", "n_named", "_keys"):
        assert np.array_equal(getattr(whole, name), getattr(in_parts, name))


def test_explaining_reads_no_table_that_it_does_not_need(quickstart):
    world = open_world(quickstart)
    task = world.tasks[0]
    found = explain(world, task.id)
    assert all(fact.statements for cell in found.cells for fact in cell.facts)
    page = explain(world, found.cells[0].facts[0].statements[0].page)
    assert page.facts
    assert not {"pages.parquet", "mentions.parquet", "links.parquet"} & world.__dict__["_tables"].keys()
