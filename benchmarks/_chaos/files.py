"""What a folder holds, so that two can be compared; what records in it claim, so that lies are found."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

_OF_THE_SITTING = ("n_played", "wall_s", "steps_per_s", "tokens_per_s")
"""What a run.json tells of the last sitting alone."""


_RUN = re.compile(r"^(jobs/[^/]+)/[^/]+/")
"""A job's run is named after its moment."""
_OF_A_JOB = re.compile(r"jobs/[^/]+/run/(log\.txt|run\.json|step-[0-9]+\.json)")
"""What a run of a job has besides what its steps wrote: moments, speeds, and how often it was struck."""
_SAID = {
    "jobs.sqlite": "SELECT job, number, state, json_extract(progress, '$.step', '$.counts[0].digest'), exit_code, "
    "hooks_called, (SELECT count(*) FROM schedules) FROM runs"
}


def held(folder: Path) -> dict[str, str]:
    """Return every file and empty folder below `folder` with the digest of what it says, whenever and however fast."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = _RUN.sub(r"\1/run/", path.relative_to(folder).as_posix())
        if path.is_dir():
            if not any(path.iterdir()):
                found[f"{name}/"] = ""
        elif _OF_A_JOB.fullmatch(name):
            found[name] = ""
        elif path.name == "run.json":
            found[name] = _digest(_of_the_run(path.read_bytes()))
        elif path.suffix == ".sqlite":
            found[name] = _digest(repr(_rows(path)).encode())
        else:
            found[name] = _digest(path.read_bytes())
    return found


def _of_the_run(content: bytes) -> bytes:
    """Return a run.json without what it tells of the last sitting; one that is damaged as it is."""
    try:
        said = json.loads(content)
        return json.dumps({key: said[key] for key in said if key not in _OF_THE_SITTING}).encode()
    except (ValueError, AttributeError, TypeError):
        return content


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Say in words how what a folder holds differs from what it should."""
    lost = [f"`{name}` is lost" for name in sorted(before.keys() - now.keys())]
    left = [f"`{name}` is left over" for name in sorted(now.keys() - before.keys())]
    changed = [f"`{name}` differs" for name in sorted(before.keys() & now.keys()) if before[name] != now[name]]
    return lost + left + changed


def lies(folder: Path) -> list[str]:
    """Say which records in `folder` claim what is not so: a record that exists is whole, at any moment."""
    found = []
    for path in sorted(folder.rglob("*.json")):
        if any(part.startswith(".") and part != ".build" for part in path.relative_to(folder).parts):
            continue  # half-written, and says so
        for name, digest in _claims(path).items():
            file = path.parent / name
            if not file.is_file() or _digest(file.read_bytes()) != digest:
                found.append(f"`{path.relative_to(folder)}` speaks of `{name}`, which is not so")
    return found


def partials(folder: Path) -> list[str]:
    """List what is half-written below `folder`."""
    marks = (".partial", ".rewritten", ".former")
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.name.endswith(marks)]


def _claims(path: Path) -> dict[str, str]:
    """Return the files that a record vouches for, by path from its folder, with their digests."""
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
        said: Any = json.loads(path.read_text())
        if path.name in ("world.json", "manifest.json"):
            return {name: entry["sha256"] for name, entry in said["files"].items()}
        if path.parent.name == ".build":
            return {f"../{name}": digest for name, digest in said["outputs"].items()}
    return {}


def _rows(path: Path) -> list[Any]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    with contextlib.closing(connection):
        return connection.execute(_SAID.get(path.name, "SELECT key, text FROM texts ORDER BY key")).fetchall()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
