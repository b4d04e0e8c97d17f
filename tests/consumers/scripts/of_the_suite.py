"""Consumers that live in the tests' own environment: their tests in the suite, which make a dataset of their own."""

import subprocess
import sys
from pathlib import Path

from told import must, say

FOLDER = Path(__file__).parent.parent
ROWS = {
    "test_trl.py": [
        ("trl", "sft", "SFTTrainer, one step, assistant_only_loss"),
        ("trl", "dpo", "DPOTrainer, one step"),
        ("trl", "rl_trl", "GRPOTrainer, one step, with both environments"),
    ],
    "test_readers.py": [
        ("duckdb", "every Parquet view", "read_parquet"),
        ("polars", "every Parquet view", "scan_parquet"),
    ],
}


def main():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(str(FOLDER / file) for file in ROWS)]
    done = subprocess.run(command, cwd=FOLDER.parent.parent, capture_output=True, text=True, check=False)
    must(done.returncode == 0, f"its tests pass:\n{done.stdout[-3_000:]}")
    for file, rows in ROWS.items():
        for package, view, what in rows:
            say(package, view, what, f"passed: tests/consumers/{file}")


main()
