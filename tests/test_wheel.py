"""What is installed elsewhere: the wheel, in an environment away from the checkout that holds what it requires."""

import json
import os
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def required(wheel: Distribution) -> list[Distribution]:
    """What pip installs with the wheel, as it is installed here."""
    todo, found = [(wheel, frozenset[str]())], {}
    while todo:
        one, extras = todo.pop()
        for asked in map(Requirement, one.requires or []):
            if asked.marker is None or any(asked.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                key = (asked.name, frozenset(asked.extras))
                if key not in found:
                    found[key] = distribution(asked.name)
                    todo.append((found[key], key[1]))
    return list(found.values())


def link(one: Distribution, packages: Path) -> None:
    """Put an installed distribution into another folder of packages."""
    for top in {file.parts[0] for file in one.files or []} - {"..", "__pycache__"}:
        if not (packages / top).exists():
            (packages / top).symlink_to(Path(str(one.locate_file(top))))


def test_the_wheel_carries_generators_and_schemas_and_names_what_it_requires(tmp_path):
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist", cwd=ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    pip = (sys.executable, "-m", "pip", "--python", tmp_path / "venv" / "bin" / "python", "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    (told,) = (tmp_path / "venv").rglob("worldforge-*.dist-info")
    for one in required(Distribution.at(told)):
        link(one, told.parent)
    run(*pip, "check", cwd=tmp_path)
    assert "torch" not in run(*pip, "list", cwd=tmp_path)
    small = ("--set", "scale=0.1", "--set", "tasks.list.count=4")
    built = json.loads(
        run(tmp_path / "venv" / "bin" / "worldforge", "build", "quickstart", *small, "--json", cwd=tmp_path)
    )
    assert built["counts"]["tasks"] == 4
    assert (tmp_path / "output" / "quickstart" / "world.json").exists()
