"""Durations and sizes as people write them: `90 s`, `10m`, `1d`; `500 MB`, `20GiB`. Numbers are seconds and bytes."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_BYTES |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_WRITTEN = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([A-Za-z]{1,3})", re.ASCII)
_MOST = 1e15


def seconds_of(value: Any) -> float:
    """Read a duration in seconds: `30m`, `1.5 h`, or a number. Raises ValueError where it is none."""
    return _read(value, _SECONDS, "a duration such as `30s`, `10m`, `6h`, `2d`")


def bytes_of(value: Any) -> int:
    """Read a size in bytes: `20 GB`, `512MiB`, or a number. Raises ValueError where it is none."""
    return round(_read(value, _BYTES, "a size such as `500 MB`, `20GB`, `1 TiB`"))


def _read(value: Any, units: dict[str, int], expected: str) -> float:
    read = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        read = float(value)
    elif isinstance(value, str) and (written := _WRITTEN.fullmatch(value.strip())):
        unit = units.get(written[2].lower())
        read = None if unit is None else float(written[1]) * unit
    if read is None or not 0 <= read <= _MOST:
        raise ValueError(f"`{value}` cannot be read: write {expected}")
    return read


_TEXT_OR_NUMBER = [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9.]+ ?[A-Za-z]{1,3}$"}]
Seconds = Annotated[float, BeforeValidator(seconds_of), WithJsonSchema({"anyOf": _TEXT_OR_NUMBER})]
"""A duration in seconds, written as `10m`."""
Bytes = Annotated[int, BeforeValidator(bytes_of), WithJsonSchema({"anyOf": _TEXT_OR_NUMBER})]
"""A size in bytes, written as `20 GB`."""
