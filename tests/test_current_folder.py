"""The current folder may be a stranger's: no command imports a module from it, nor does any process that it begins."""

import os
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

MARKER = """
import os
with open({marker!r}, "a") as file:
    file.write(__name__ + "\\n")
"""
OWN = {"worldforge", "generators", "world_schemas", "tests", "benchmarks"}
SCRIPT = """
import worldforge as wf
from worldforge.schema.spec_loader import load_spec
if __name__ == "__main__":
    wf.build(load_spec("quickstart", ["scale=0.1", "tasks.list.count=2"]), "built", workers=2)
    world = wf.open_world("built")
    wf.rollout(world, workers=2, run="script", trials=8)
    wf.export(world, out="exported", workers=2)
"""
JOBS = """
folder: jobs
jobs:
  nightly: {spec: quickstart, set: {scale: 0.1, tasks.list.count: 2}, steps: [build]}
"""
COMMANDS = (
    "new mine",
    "schemas",
    "validate mine",
    "schema",
    "plan mine",
    "preview mine --set scale=0.1",
    "run quickstart --out world --workers 2 --set scale=0.1 --set tasks.list.count=4",
    "audit world",
    "search world town",
    "explain world task/list-0000",
    "rollout world --workers 2 --run two --trials 4",
    "rescore world",
    "bench transitions world",
    "export world --out dataset --workers 2",
    "push dataset nobody/nothing",
    "rollout world --engine ray --workers 2 --run ray --limit 1",
    "jobs run nightly",
    "doctor",
)


@cache
def modules():
    """The names of all modules that are installed here, but for our own."""
    names = {name for name in (*sys.stdlib_module_names, *packages_distributions()) if name.isidentifier()}
    return sorted(names - OWN)


@pytest.fixture
def folder(tmp_path):
    """A folder with a module of every name that a process may import, each of which leaves its name in a file."""
    folder = tmp_path / "downloaded"
    folder.mkdir()
    for name in modules():
        (folder / f"{name}.py").write_text(MARKER.format(marker=str(tmp_path / "imported")))
    (folder / "jobs.yaml").write_text(JOBS)
    return folder


def run(folder, *command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"HF_HUB_OFFLINE": "1", "COLUMNS": "120"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def imported(folder):
    marker = folder.parent / "imported"
    return sorted(set(marker.read_text().split())) if marker.exists() else []


def test_no_command_imports_from_the_current_folder(folder):
    binary = Path(sys.executable).with_name("worldforge")
    for command in COMMANDS:
        done = run(folder, binary, *command.split())
        assert imported(folder) == [], (command, done.stderr)
        assert "Traceback" not in done.stderr, (command, done.stderr)
        wanted = (2,) if command.startswith("push") else (0, 1) if command == "doctor" else (0,)
        assert done.returncode in wanted, (command, done.stdout, done.stderr)


def test_a_module_that_is_run_drops_the_current_folder(folder):
    loaded = run(folder.parent, sys.executable, "-I", "-c", "import runpy, pkgutil, sys; print(*sys.modules)").stdout
    for name in {name.partition(".")[0] for name in loaded.split()}:  # by Python itself, before anything of ours
        (folder / f"{name}.py").unlink(missing_ok=True)
    assert {"click.py", "json.py", "duckdb.py"} <= {path.name for path in folder.iterdir()}
    done = run(folder, sys.executable, "-m", "worldforge.cli.main", "schemas")
    assert done.returncode == 0, done.stderr
    assert imported(folder) == []


def test_processes_that_a_script_begins_import_nothing_from_the_current_folder(folder, tmp_path):
    script = tmp_path / "own" / "script.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    done = run(folder, sys.executable, script)
    assert done.returncode == 0, done.stderr
    assert imported(folder) == []
