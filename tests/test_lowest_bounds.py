"""The lower bounds in pyproject.toml: quickstart runs with the lowest version that each of them allows."""

import os
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
UV = Path(sys.executable).with_name("uv")
LEFT_OUT = ("PYTHON", "VIRTUAL_ENV", "UV_")  # variables of the environment that runs the tests


def run(*command: str | Path, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(LEFT_OUT)}
    index = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("PIP_INDEX_URL")
    environment |= {"UV_DEFAULT_INDEX": index} if index else {}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_quickstart_runs_with_the_lowest_versions_that_are_allowed(tmp_path):
    environment = tmp_path / "venv"
    python, bounds = environment / "bin" / "python", tmp_path / "bounds.txt"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=tmp_path)
    run(UV, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-config", "--resolution", "lowest-direct",
        "--python", python, ROOT / "pyproject.toml", "--output-file", bounds, cwd=tmp_path)  # fmt: skip
    pinned = {one.name: one for one in map(Requirement, bounds.read_text().splitlines())}
    assert pinned["tantivy"].specifier.contains("0.27.0")
    run(UV, "pip", "install", "--quiet", "--no-config", "--python", python, "--requirement", bounds, cwd=tmp_path)
    run(UV, "pip", "install", "--quiet", "--no-config", "--no-deps", "--python", python, ROOT, cwd=tmp_path)
    out = tmp_path / "quickstart"
    small = ("--set", "scale=0.3", "--set", "tasks.list.count=10")
    shown = run(environment / "bin" / "worldforge", "run", "quickstart", "--out", out, *small, cwd=tmp_path)
    assert "item F1 1.000" in shown
    assert (out / "datasets" / "README.md").exists()
