"""Plain values as YAML in block style: the same text for the same values, and read back as they were."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_PLAIN = re.compile(r"[A-Za-z]([A-Za-z0-9_ ./()*-]*[A-Za-z0-9_./()*-])?")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}  # what a YAML reader may take for no text


def emit_yaml(value: dict[str, Any]) -> str:
    """Write a mapping of dicts, lists, text, finite numbers, booleans and nulls as a YAML document."""
    return "".join(f"{line}\n" for line in _lines(value, ""))


def _lines(value: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    items = [(f"{_scalar(key)}:", item) for key, item in value.items()] if isinstance(value, dict) else []
    items += [("-", item) for item in value] if isinstance(value, list) else []
    for head, item in items:
        if item and isinstance(item, dict | list):
            yield f"{indent}{head}"
            yield from _lines(item, indent + "  ")
        else:
            yield f"{indent}{head} {_scalar(item)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    readable = not isinstance(value, str) or value.isprintable()
    return json.dumps(value, ensure_ascii=not readable, allow_nan=False)
