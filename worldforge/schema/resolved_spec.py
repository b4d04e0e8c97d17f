"""Read and write resolved specs, as worlds hold them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from worldforge.schema.document import read_document
from worldforge.schema.problems import SpecError
from worldforge.schema.shape_errors import validate_document
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_sources import read_text


def read_resolved(path: Path) -> WorldSpec:
    """Read a spec as `write_resolved` wrote it. Raises InputError where it is missing or damaged."""
    try:
        return _resolved(read_text(path))
    except SpecError as error:
        raise SpecError([replace(problem, file=str(path)) for problem in error.problems]) from error


@lru_cache(16)
def _resolved(text: str) -> WorldSpec:
    """Read a resolved spec, once a process."""
    document, problems = read_document(text, "spec.yaml")
    spec, faults = validate_document(document, WorldSpec)
    if spec is None or problems:
        raise SpecError([*problems, *(fault.problem for fault in faults)])
    return spec


def write_resolved(spec: WorldSpec) -> str:
    """Write a spec whole, every default included, as YAML: the same text for the same spec."""
    return "".join(f"{line}\n" for line in _lines(spec.model_dump(mode="json"), ""))


_PLAIN = re.compile(r"[A-Za-z]([A-Za-z0-9_ ./()*-]*[A-Za-z0-9_./()*-])?")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}  # what a YAML reader may take for no text


def _lines(value: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    """Yield the lines of YAML for dicts, lists, text, finite numbers, booleans and nulls."""
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
