"""Turn a page's Markdown into plain text: no marks, link targets or table bars, on one line.

Prose comes first and tables after it: a snippet is cut where the query's words first stand, and a sentence hints at a
page where a table would recite its facts.
"""

from __future__ import annotations

import re

# A link or an image gives its text; bare addresses, emphasis and the rulers of tables give nothing.
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|https?://[^\s)>|]+|\*\*|:?-{3,}:?")
_BLANKED = str.maketrans("|#*`>", "     ")


def plain_text(markdown: str) -> str:
    """Return Markdown as plain text: words and punctuation with single spaces between, without the opening title."""
    lines = markdown.split("\n")
    if lines[0].startswith("# "):
        del lines[0]
    lines.sort(key=lambda line: line.startswith("|"))
    return " ".join(_MARKUP.sub(r"\1", "\n".join(lines)).translate(_BLANKED).split())
