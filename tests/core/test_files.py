"""Files: whole or not there, digests that follow the content, locks that go with their process."""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import time

import pytest

from worldforge.core import files
from worldforge.core.errors import InputError
from worldforge.core.files import (
    atomic,
    file_digest,
    files_below,
    locked,
    replace,
    value_digest,
    write_text,
)


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


def test_a_digest_follows_a_content_of_the_same_size_whose_date_was_set_back(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"one")
    dated = path.stat()
    time.sleep(0.05)  # by then a digest is kept
    first = file_digest(path)
    path.write_bytes(b"two")
    os.utime(path, ns=(dated.st_atime_ns, dated.st_mtime_ns))
    assert file_digest(path) != first


def test_a_digest_is_kept_once_its_date_can_be_trusted(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_text(path, "one")
    time.sleep(0.05)
    digest = file_digest(path)
    monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("it was read again"))
    assert file_digest(path) == digest


def test_a_digest_follows_changes_that_come_faster_than_clocks_tick(tmp_path):
    path = tmp_path / "a"
    seen = set()
    for number in range(100):
        path.write_bytes(b"%03d" % number)
        seen.add(file_digest(path))
    assert len(seen) == 100


def test_all_files_of_a_folder_are_safe_on_disk_before_it_is_in_its_place(tmp_path, monkeypatch):
    safe, folder = set(), tmp_path / "f"
    monkeypatch.setattr(files, "sync", lambda path: safe.add(path.name) if not folder.exists() else None)
    with atomic(folder) as beside:
        (beside / "below").mkdir(parents=True)
        for number in range(20):
            (beside / "below" / f"{number}").write_text("new")
    assert safe == {f"{number}" for number in range(20)}


def test_a_folder_with_a_file_that_cannot_be_made_safe_does_not_come_into_its_place(tmp_path, monkeypatch):
    def refuse(path):
        if path.name == "17":
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(files, "sync", refuse)
    with pytest.raises(OSError, match="No space"), atomic(tmp_path / "f") as beside:
        beside.mkdir()
        for number in range(20):
            (beside / f"{number}").write_text("new")
    assert list(tmp_path.iterdir()) == []


def replaced_and_killed(folder, at):
    """Put a new folder in place of one in a process that dies before its call `at` that changes anything."""
    n = 0

    def hear(event, _arguments):
        nonlocal n
        if event in ("os.rename", "os.remove", "os.rmdir"):
            n += 1
            if n == at:
                os.kill(os.getpid(), signal.SIGKILL)

    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    sys.addaudithook(hear)
    with atomic(folder) as beside:
        beside.mkdir()
        for name in ("a", "b"):
            (beside / name).write_text("new")
    os._exit(0)


def test_a_folder_that_is_replaced_is_all_old_or_all_new_or_away_whenever_that_is_killed(tmp_path):
    found, at, code = set(), 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        at += 1
        folder = tmp_path / f"{at}" / "f"
        folder.mkdir(parents=True)
        for name in ("a", "b"):
            (folder / name).write_text("old")
        code = replaced_and_killed(folder, at)
        there = {path.name: path.read_text() for path in folder.iterdir()} if folder.is_dir() else {}
        assert there in ({"a": "old", "b": "old"}, {"a": "new", "b": "new"}, {})
        found.add(there.get("a"))
        with atomic(folder) as beside:
            beside.mkdir()
        assert [path.name for path in folder.parent.iterdir()] == ["f"], "something is left over"
    assert code == 0 and at > 5 and found == {"old", None, "new"}


def test_a_folder_whose_successor_cannot_be_moved_into_place_stays(tmp_path):
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / "a").write_text("old")
    with pytest.raises(FileNotFoundError):
        replace(tmp_path / "none", folder)
    assert [path.relative_to(tmp_path).as_posix() for path in files_below(tmp_path)] == ["f/a"]


def test_what_a_disk_refuses_says_which_file(tmp_path):
    path = tmp_path / "a.txt"
    with pytest.raises(OSError, match="No space") as refused, atomic(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as writing to an open file raises it
    assert refused.value.filename == str(path)


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
