"""Pages that wait for their ranks: the first ones in memory, the others on disk, all of them as they were put aside."""

from __future__ import annotations

import pyarrow as pa
import pytest

from worldforge.builders.pages.spills import spilling

TABLES = [pa.table({"text": ["x" * 1_000 * (n + 1)]}) for n in range(4)]


@pytest.mark.parametrize(("n_bytes", "on_disk"), [(0, 4), (3_500, 2), (1_000_000, 0)])
def test_what_is_held_is_bounded(tmp_path, n_bytes, on_disk):
    with spilling(tmp_path / "aside", n_bytes) as spills:
        for number, table in enumerate(TABLES):
            spills.write(number, table)
        assert len(list((tmp_path / "aside").iterdir())) == on_disk
        assert [spills.take(number) for number in range(4)] == TABLES
        assert not list((tmp_path / "aside").iterdir())
    assert not (tmp_path / "aside").exists()
