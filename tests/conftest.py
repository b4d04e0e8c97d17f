"""Worlds that tests share, built by the command as a user would."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("worldforge", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("worldforge")
ROOT = Path(__file__).parent.parent


def worldforge(*arguments, cwd=None, env=None, code=0):
    """Run the command; check its exit code and that no traceback reached the user."""
    done = subprocess.run(
        [sys.executable, "-m", "worldforge.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def digest(world):
    """The digest in a world's manifest."""
    return json.loads((Path(world) / "world.json").read_text())["digest"]


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory):
    """The quickstart world, rolled out and exported. Not to be changed: copy it."""
    folder = tmp_path_factory.mktemp("worlds") / "quickstart"
    worldforge("run", "quickstart", "--out", folder)
    return folder
