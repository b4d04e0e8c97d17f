"""Check that `datasets` loads a dataset: every configuration, in a process of its own, leaving no cache.

check_loads("output/mine/datasets", {"sft": 40})                  # a folder: without network
check_loads("owner/name", {"sft": 40}, revision="0d3f…")          # a repository on the Hub
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from worldforge.core.errors import WorldForgeError
from worldforge.core.temp_dir import temp_dir

_ALONE = {
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    **dict.fromkeys(("USE_TORCH", "USE_TF", "USE_JAX"), "0"),  # to import one takes longer than to count
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
}
_CACHES = ("HF_DATASETS_CACHE", "HF_HUB_CACHE", "HF_MODULES_CACHE", "HF_XET_CACHE")  # where no login is
_ROWS_AT_ONCE = 256


def check_loads(source: str | Path, rows: Mapping[str, int], *, revision: str | None = None) -> None:
    """Load each configuration in `rows` by name, as `load_dataset(source, name)` streams it, and count its rows.

    `source` is a folder, or the name of a repository where a `revision` is given; then the user's login is the one
    used. Raises WorldForgeError where one cannot be read, or has another number of rows.
    """
    if not rows:
        return
    with temp_dir() as cache:
        counts = cache / "counts.json"
        where, offline = (str(source), {}) if revision else (str(Path(source).resolve()), {"HF_HUB_OFFLINE": "1"})
        caches = {name: str(cache / name) for name in _CACHES}
        child = subprocess.run(
            [sys.executable, "-P", "-m", __name__, json.dumps([where, revision, list(rows)]), counts],
            env={**os.environ, **_ALONE, **caches, **offline},
            capture_output=True,
            text=True,
            check=False,
        )
        if child.returncode != 0:
            reason = (child.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise WorldForgeError(f"`datasets` cannot read {source}: {reason}")
        found: dict[str, int] = json.loads(counts.read_text(encoding="utf-8"))
    for name, n_rows in rows.items():
        if found[name] != n_rows:
            raise WorldForgeError(f"`datasets` reads {found[name]:,} of {n_rows:,} rows of `{name}` in {source}")


def _count(source: str, revision: str | None, config: str) -> int:
    """Count rows as they stream by, a batch at a time: memory stays flat, and nothing is copied to a cache.

    The first is read as a trainer reads it, in Python's own types.
    """
    import datasets

    rows = datasets.load_dataset(source, config, split="train", streaming=True, revision=revision)
    next(iter(rows))
    return sum(batch.num_rows for batch in rows.with_format("arrow").iter(batch_size=_ROWS_AT_ONCE))


if __name__ == "__main__":
    source, revision, configs = json.loads(sys.argv[1])
    Path(sys.argv[2]).write_text(json.dumps({config: _count(source, revision, config) for config in configs}))
    os._exit(0)  # the reader's threads may still be at work ahead of what was asked for, and would abort the exit
