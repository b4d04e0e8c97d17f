"""Quickstart without its phrasebook: pages state every fact in infoboxes and tables."""

import re
import tempfile
from functools import cache
from pathlib import Path

from worldforge.schema.spec_sources import shipped_specs

TOLD = re.compile(r"pages\.(document|faq|guide|interview)\b")
"""Kinds of pages that are nothing without a phrasebook."""


@cache
def plain_quickstart():
    """The path of the spec, written once a process."""
    text = shipped_specs()["quickstart"].read_text("utf-8")
    kept = [line for line in text.split("\n") if not line.startswith("phrases:") and not TOLD.search(line)]
    path = Path(tempfile.mkdtemp(prefix="plain-")) / "plain.yaml"
    path.write_text("\n".join(kept), "utf-8")
    return path
