"""What a step brought, read from the JSON that its command printed: counts for the ledger, digests, tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_LONGEST = 1 << 26
_TOKENS = ("prompt_tokens", "completion_tokens", "n_prompt_tokens", "n_completion_tokens")


def read_result(path: Path) -> dict[str, Any]:
    """Read what a command printed; nothing where it printed no JSON object."""
    try:
        if path.stat().st_size > _LONGEST:
            return {}
        read = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def counts_of(verb: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a verb's result comes to, in a few numbers."""
    counts: dict[str, Any] = {"verb": verb}
    if verb == "build":
        told = result.get("counts", {})
        counts |= {name: _total(told[name]) for name in ("entities", "pages", "tasks", "set_aside") if name in told}
    elif verb == "rollout":
        tally = result.get("tally", {})
        names = ("n_episodes", "n_failed", "n_tool_calls")
        counts |= {name.removeprefix("n_"): tally[name] for name in names if name in tally}
    elif verb == "export":
        rows = {name: view.get("n_rows") for name, view in result.get("views", {}).items()}
        counts |= {"rows": rows, "files": result.get("n_files"), "bytes": result.get("n_bytes")}
    else:
        counts |= {name: value for name, value in result.items() if isinstance(value, int | float | str)}
    return counts


def tokens_of(result: Mapping[str, Any]) -> int:
    """Add up the tokens that models read and wrote for a result: of agents, world models, judges, prose."""
    return sum(_tokens(result))


def folder_bytes(folder: Path) -> int:
    """Add up the sizes of the files below a folder; those that go meanwhile count nothing."""
    n_bytes = 0
    for path in folder.rglob("*"):
        try:
            n_bytes += path.lstat().st_size
        except OSError:
            continue
    return n_bytes


def _tokens(value: Any) -> Iterator[int]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in _TOKENS and isinstance(inner, int):
                yield inner
            else:
                yield from _tokens(inner)


def _total(count: Any) -> Any:
    return sum(count.values()) if isinstance(count, Mapping) else count
