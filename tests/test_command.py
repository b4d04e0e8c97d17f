"""Whether the command that tests run is the one that users type."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import AT_FIRST, _apart, _read_late, _warm


@pytest.mark.parametrize("typed", [["schema"], ["explain", "nothing-here", "a"], ["plan", "--no-such-option"]])
def test_a_command_forked_from_a_process_that_imported_all_is_the_command(typed, tmp_path):
    told = [
        (done.returncode, done.stdout, done.stderr) for done in (run(typed, tmp_path, {}) for run in (_apart, _warm))
    ]
    assert told[0] == told[1]
    assert any(told[0][1:])


_THINGS_LEFT = """
import atexit, multiprocessing, sys, threading, time, weakref
from concurrent.futures import ThreadPoolExecutor
from warm_commands import leave
class Thing: pass
kept = Thing()
weakref.finalize(kept, print, "finalized")
atexit.register(print, "at exit", file=sys.stderr)
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
ThreadPoolExecutor(1).submit(lambda: (time.sleep(0.2), print("pool")))
multiprocessing.get_context("fork").Process(target=lambda: (time.sleep(0.3), print("process", flush=True))).start()
print("no end of line", end="")
"""


@pytest.mark.parametrize("code", ["None", "3", "-1", "'told'"])
def test_a_forked_command_ends_as_pythons_own_end_would_have_it(code):
    ends = [
        subprocess.run(
            [sys.executable, "-c", f"{_THINGS_LEFT}\n{end}({code})"],
            capture_output=True,
            cwd=Path(__file__).parent,
            check=False,
        )
        for end in ("sys.exit", "leave")
    ]
    # what is waited for writes at the same time, on a busy machine: its bytes count, and not their order
    told = [(done.returncode, sorted(done.stdout), done.stderr) for done in ends]
    assert told[0] == told[1]
    assert b"process" in ends[0].stdout and b"at exit" in told[0][2]
    assert all(done.stdout.endswith(b"finalized\n") for done in ends)


def test_it_works_where_and_under_what_it_is_told_to(tmp_path):
    assert _warm(["new", "mine"], tmp_path, {}).returncode == 0
    assert (tmp_path / "mine" / "world.yaml").is_file()
    assert _warm(["validate", "mine"], tmp_path, {}).returncode == 0
    refused = _warm(["validate", "mine"], tmp_path, {"WORLDFORGE__SCALE": "-1"})
    assert refused.returncode == 2 and "WORLDFORGE__SCALE" in refused.stderr


def test_what_imports_read_starts_an_interpreter(monkeypatch):
    for name in {*os.environ, *AT_FIRST}:  # whatever other tests have set in this process
        monkeypatch.delenv(name, raising=False)
    for name, value in AT_FIRST.items():
        monkeypatch.setenv(name, value)
    assert _read_late({}) and _read_late({"WORLDFORGE__SEED": "2"})
    assert not _read_late({"PYTHONHASHSEED": "2"}) and not _read_late({"VLLM_CPU_KVCACHE_SPACE": "1"})
    for name in ("_LEFT_BY_A_LIBRARY", "PYTHONWARNINGS", "PYTHONBREAKPOINT"):
        monkeypatch.setenv(name, "1")
    assert _read_late({}) and not _read_late({"PYTHONWARNINGS": "error"})
    monkeypatch.setenv("PATH", AT_FIRST["PATH"] + ":/tmp")
    assert not _read_late({})


@pytest.mark.parametrize("asked", [None, "mimalloc"])
def test_arrow_takes_its_memory_from_the_system_but_where_the_user_says_otherwise(asked):
    told = os.environ | ({} if asked is None else {"ARROW_DEFAULT_MEMORY_POOL": asked})
    if asked is None:
        told.pop("ARROW_DEFAULT_MEMORY_POOL", None)
    code = "import worldforge.world.table_files, pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    done = subprocess.run([sys.executable, "-c", code], env=told, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (asked or "system")
