"""Proves that `datasets` reads a dataset as it stands: in a process of its own, without network, leaving no cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from worldforge.core.errors import WorldForgeError

_ALONE = {
    "HF_HUB_OFFLINE": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
}


def n_rows_loaded(pattern: str) -> int:
    """Return how many rows `load_dataset("parquet", data_files=pattern)` reads, or raise WorldForgeError."""
    with tempfile.TemporaryDirectory() as cache:
        count = Path(cache) / "count"
        child = subprocess.run(
            [sys.executable, "-m", __name__, pattern, count],
            env={**os.environ, **_ALONE, "HF_HOME": cache},
            capture_output=True,
            text=True,
            check=False,
        )
        if child.returncode != 0:
            reason = (child.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise WorldForgeError(f"`datasets` cannot read {pattern}: {reason}")
        return int(count.read_text())


def _count(pattern: str) -> int:
    """Count rows as they stream by, a batch at a time: memory stays flat, and nothing is copied to a cache."""
    import datasets

    rows = datasets.load_dataset("parquet", data_files=pattern, split="train", streaming=True)
    return sum(batch.num_rows for batch in rows.with_format("arrow").iter(batch_size=1000))


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(str(_count(sys.argv[1])))
    os._exit(0)  # the reader's threads may still be at work ahead of what was asked for, and would abort the exit
