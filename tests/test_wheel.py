"""What is installed elsewhere: the wheel, in an empty environment away from the checkout, builds a world."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_carries_generators_and_schemas(tmp_path):
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist", cwd=ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    pip = (sys.executable, "-m", "pip", "--python", tmp_path / "venv" / "bin" / "python", "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-compile", wheel, cwd=tmp_path)
    assert "torch" not in run(*pip, "list", cwd=tmp_path)
    built = json.loads(run(tmp_path / "venv" / "bin" / "worldforge", "build", "quickstart", "--json", cwd=tmp_path))
    assert built["counts"]["tasks"] == 40
    assert (tmp_path / "output" / "quickstart" / "world.json").exists()
