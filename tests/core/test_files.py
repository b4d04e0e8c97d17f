"""Files: whole or not there, digests that follow the content, locks that go with their process."""

import subprocess
import sys

import pytest

from worldforge.core.errors import InputError
from worldforge.core.files import atomic, file_digest, files_below, locked, value_digest, write_text


def test_a_write_that_fails_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(RuntimeError), atomic(path) as beside:
        beside.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert files_below(tmp_path) == [path]


def test_a_folder_takes_the_place_of_the_old_one(tmp_path):
    folder = tmp_path / "f"
    for content in ("old", "new"):
        with atomic(folder) as beside:
            beside.mkdir()
            (beside / content).write_text(content)
    assert [path.name for path in files_below(folder)] == ["new"]


def test_a_half_written_file_of_a_killed_process_does_not_count(tmp_path):
    script = (
        "import os, sys; from pathlib import Path; from worldforge.core.files import atomic\n"
        "with atomic(Path(sys.argv[1])) as beside: beside.write_text('half'); os.kill(os.getpid(), 9)"
    )
    path = tmp_path / "a.txt"
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == -9
    assert files_below(tmp_path) == []
    write_text(path, "whole")
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]


def test_a_digest_follows_the_content(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"one")
    first = file_digest(path)
    path.write_bytes(b"two, longer")
    assert file_digest(path) != first


def test_value_digest_knows_order_of_lists_and_not_of_keys():
    assert value_digest({"a": 1, "b": 2}) == value_digest({"b": 2, "a": 1})
    assert value_digest([1, 2]) != value_digest([2, 1])
    with pytest.raises(ValueError):
        value_digest(float("nan"))


def test_a_lock_holds_against_another_process_and_goes_when_it_is_killed(tmp_path):
    script = (
        "import sys, time; from pathlib import Path; from worldforge.core.files import locked\n"
        "with locked(Path(sys.argv[1]), 'taken'): print('held', flush=True); time.sleep(60)"
    )
    path = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(InputError, match="taken"), locked(path, "taken"):
        pass
    holder.kill()
    holder.wait()
    with locked(path, "taken"):
        pass
