"""The command as a user types it."""

import json
import os
import subprocess
import sys
from pathlib import Path


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
