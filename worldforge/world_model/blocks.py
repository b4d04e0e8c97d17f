"""A page's text in blocks: structured lines, which are copied, and the prose between them, which may be reworded."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STRUCTURED = re.compile(
    r"\s*(?:[#|>]|[-+*•·–—]\s|\d+[.)]\s|```|~~~|!\[|\[[^\]]*\]:)"  # headings, tables, quotations, lists, code, images
    r"|\s{4}|\s*<"
    r"|\s*[-=*_]{3,}\s*$"  # rules, and what makes a heading of the line above
    r"|\s*\*[^*].*\*\s*$"  # a line in italics: bylines, dates of revision
    r"|\W*\w+(?:[ '’/-]\w+){0,3}\W{0,3}:"  # `key: value`
    r"|.*:\W*$"  # an announcement of what follows
    r"|\s*(?:\[[^\]]*\]\([^)]*\)\W*)+$"  # links and nothing else
)


@dataclass(frozen=True, slots=True)
class Blocks:
    """`fixed` lines in order, blanks within them as one; `prose` before the first, between them and after the last.

    Each is paragraphs, a line a paragraph; empty where there is none.
    """

    fixed: tuple[str, ...]
    prose: tuple[str, ...]


def read_blocks(text: str) -> Blocks:
    """Part a text's structured lines from its prose."""
    fixed: list[str] = []
    prose: list[list[str]] = [[]]
    ended = True
    for line in text.split("\n"):
        if not line.strip():
            ended = True
        elif _STRUCTURED.match(line):
            fixed.append(_evened(line))
            prose.append([])
            ended = True
        elif ended:
            prose[-1].append(line.strip())
            ended = False
        else:
            prose[-1][-1] += f" {line.strip()}"
    return Blocks(tuple(fixed), tuple("\n".join(paragraphs) for paragraphs in prose))


def spaced_like(source: str, draft: str) -> str:
    """Return `draft` with each run of blanks within a line as one, but for lines that `source` has: those as there."""
    own = {_evened(line): line for line in source.split("\n")}
    return "\n".join(own.get(line, line) for line in map(_evened, draft.split("\n")))


def _evened(line: str) -> str:
    """Write each run of blanks within a line as one; those before it tell how deep it stands."""
    return line[: len(line) - len(line.lstrip())] + " ".join(line.split())
