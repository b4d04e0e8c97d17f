"""huggingface-hub, the oldest that is allowed: the suite's pushes, and builds from the Hub, to its stand-in."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

from told import must, say

ROOT = Path(__file__).parents[3]
TESTS = [*sorted(ROOT.glob("tests/datasets/test_push*.py")), ROOT / "tests" / "datasets" / "test_build_from_hub.py"]


def main():
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["dependencies"]
    must(f"huggingface-hub>={version('huggingface-hub').removesuffix('.0')}" in wanted, "this is the oldest allowed")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, TESTS)]
    surroundings = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    must(done.returncode == 0, f"its tests pass:\n{done.stdout[-3_000:]}")
    result = f"passed: tests/datasets, {len(TESTS)} files"
    say("huggingface-hub", "the whole dataset", f"push, append, build, with datasets {version('datasets')}", result)


main()
