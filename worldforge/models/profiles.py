"""Named profiles of models: shipped ones (`profiles.yaml`), and the user's own in the YAML file `$WORLDFORGE_MODELS`.

    world-model:
      address: qwen-agentworld
      endpoints: [http://gpu-0:8000/v1, http://gpu-1:8000/v1]
      concurrency: 512

`address` is any address, that of a shipped profile included; `endpoints` are servers of that model; every other key is
a setting, or an argument of vLLM's engine. No spec can name such a file: it may come from a stranger.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import yaml

from worldforge.core.errors import InputError
from worldforge.models.address_settings import write_query

VARIABLE = "WORLDFORGE_MODELS"
_SHIPPED = Path(__file__).with_suffix(".yaml")
_HINT = "a profile is a name and below it `address:` and settings: see docs/models.md"


def shipped_profiles() -> Mapping[str, str]:
    """Return the addresses of the shipped profiles, by name."""
    return _read(_SHIPPED, 0)


def own_profiles() -> Mapping[str, str]:
    """Return the addresses of the user's own profiles, by name. Raises InputError where their file cannot be read."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return {}
    path = Path(text)
    try:
        found = _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise InputError(f"{path}: the profiles of models cannot be read: {error.strerror or error}") from error
    for name in found:
        if name in shipped_profiles():
            raise InputError(f"{path}: a profile `{name}` is shipped", "choose another name")
    return found


@lru_cache(8)
def _read(path: Path, _changed: int) -> Mapping[str, str]:
    try:
        found = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no YAML: {' '.join(str(error).split())}", _HINT) from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: there are no profiles", _HINT)
    return {str(name): _address(entry, f"{path}: profile `{name}`") for name, entry in found.items()}


def _address(entry: object, where: str) -> str:
    """Write a profile as the address that it stands for."""
    if not isinstance(entry, dict) or not isinstance(entry.get("address"), str):
        raise InputError(f"{where} has no `address`", _HINT)
    settings = {str(key): value for key, value in entry.items()}
    place, _, query = settings.pop("address").partition("?")
    endpoints = settings.pop("endpoints", [])
    urls = endpoints if isinstance(endpoints, list) else [endpoints]
    if empty := [name for name, value in settings.items() if value is None]:
        raise InputError(f"{where}: `{empty[0]}` has no value", "leave it out, or give it one")
    at = f"@{','.join(map(str, urls))}" if urls else ""
    query = "&".join(filter(None, (query, write_query(settings))))
    return f"{place}{at}{'?' if query else ''}{query}"
