"""Folders that pass: gone at the end; what a killed process has left goes with the next, and nobody else's does."""

import os
import signal
import subprocess
import sys

from worldforge.core.temp_dir import temp_dir

SCRIPT = """
import sys
from worldforge.core.temp_dir import temp_dir
with temp_dir(sys.argv[1]) as folder:
    (folder / "spilled").write_text("much")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_it_is_gone_at_the_end(tmp_path):
    with temp_dir(tmp_path) as folder:
        (folder / "in").mkdir()
        assert [path.parent for path in tmp_path.glob("*/in")] == [folder]
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next_and_a_living_ones_stays(tmp_path):
    start = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    killed, living = (subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in "ab")
    left, held = killed.stdout.readline().strip(), living.stdout.readline().strip()
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    (tmp_path / "worldforge-of-somebody").mkdir()
    with temp_dir(tmp_path) as folder:
        there = {str(path) for path in tmp_path.iterdir() if path.is_dir()}
        assert len([*tmp_path.glob("*.lock")]) == 2
        assert there == {held, str(folder), str(tmp_path / "worldforge-of-somebody")} and left not in there
    living.communicate()  # its input ends, and so does it
    assert [path.name for path in tmp_path.iterdir()] == ["worldforge-of-somebody"]
