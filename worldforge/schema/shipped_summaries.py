"""What the shipped specs are, without reading them whole: that takes seconds, and nobody has changed them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from worldforge.schema.spec_sources import merge, read_text, shipped_specs
from worldforge.schema.yaml_tree import TreeNode, read_document

_SAID = re.compile(r"(extends|title|scale|types):")  # keys whose lines are read
_OF_A_TYPE = re.compile(r"  \S|    (count|scaled):")  # lines below `types` that are read


class Shipped(NamedTuple):
    """A spec that is shipped."""

    name: str
    n_entities: int
    title: str


def list_shipped() -> list[Shipped]:
    """Return the shipped specs by name: what `load_spec` would say of them (`tests/schema/test_schema_load.py`)."""
    paths = shipped_specs()
    return [_shipped(name, _read(paths, name).plain()) for name in paths]


def _shipped(name: str, spec: dict[str, Any]) -> Shipped:
    scale = spec.get("scale", 1.0)
    counts = [
        max(1, round(one["count"] * scale)) if one.get("scaled", True) else one["count"]
        for one in spec["types"].values()
    ]
    return Shipped(name, sum(counts), spec["title"])


def _read(paths: dict[str, Path], name: str) -> TreeNode:
    """Read of a shipped spec, and of those that it extends, the lines that say what is listed."""
    kept, types = [], False
    for line in read_text(paths[name]).splitlines():
        if line[:1].strip():
            types = line.startswith("types:")
        if (_OF_A_TYPE if types and line.startswith(" ") else _SAID).match(line):
            kept.append(line)
            if types and line.endswith(":") and line.startswith(" "):
                kept.append("    said: more")  # a type of which no line is read is a mapping as well
    node, _ = read_document("\n".join(kept), str(paths[name]))
    extends = node.plain().get("extends")
    return node if extends is None else merge(_read(paths, extends), node)
