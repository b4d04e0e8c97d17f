"""Memory does not grow with rows: four times the conversations, the same memory."""

import subprocess
import sys
from pathlib import Path

import pytest
from shards_by_hand import trajectory, write_run

HERE = Path(__file__).parent
SCRIPT = """
import resource, sys
sys.path[:0] = sys.argv[1:3]
from shards_by_hand import WORLD
from pathlib import Path
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection import selected_rows
from worldforge.datasets.selection.selected_rows import RunShards
selected_rows.ROWS_PER_PORTION = 160
shards = sorted(Path(sys.argv[3]).glob("run/*.parquet")) * int(sys.argv[4])
selection = Selection.model_validate_json(sys.argv[5])
with select([RunShards("run", tuple(shards))], selection, WORLD, scratch=sys.argv[3]) as s:
    n_rows = sum(table.num_rows for table in s.tables())
    assert n_rows == sum(table.num_rows for table in s.groups()) == s.n_rows
    print(n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
N_ROWS, KILOBYTES = 256, 25


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """A run of 256 trajectories of 25 kB each: 6 MB in all, once read."""
    folder = tmp_path_factory.mktemp("memory")
    filler = "".join(map(chr, range(97, 123))) * (KILOBYTES * 1000 // (10 * 26))
    rows = [
        trajectory(
            number // 8, number % 8, [f"query {number} {call}" for call in range(10)], f"{number} answer", filler
        )
        for number in range(N_ROWS)
    ]
    write_run(folder, rows, "run", per_shard=32)
    return folder


def peak(folder, times, selection):
    """The rows selected from `times` copies of the run, and the most memory that took, in MB."""
    arguments = [HERE, HERE.parent, folder, times, selection]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return map(int, done.stdout.split())


@pytest.mark.parametrize("selection", ['{"order": "shuffled"}', '{"success": false, "dedupe": 0.9}'])
def test_four_times_the_rows_take_the_same_memory(shards, selection):
    few, memory_of_few = peak(shards, 4, selection)
    many, memory_of_many = peak(shards, 16, selection)
    assert (few, many) == (4 * N_ROWS, 16 * N_ROWS) or "dedupe" in selection
    assert memory_of_many < memory_of_few + 45, "75 MB of conversations more were streamed"
