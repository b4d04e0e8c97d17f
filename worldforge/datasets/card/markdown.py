"""Writes Markdown: tables, code, and untrusted text that must not be read as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|!~$&@]|:(?=//)")
_OPENS_LIST = re.compile(r"^(\d*)([-+.)])")


def plain(text: str) -> str:
    """Escape text for one line of Markdown: no mark-up, links, HTML or table cells."""
    escaped = _SPECIAL.sub(r"\\\g<0>", one_line(text)).replace("www.", r"www\.")
    return _OPENS_LIST.sub(r"\1\\\2", escaped)


def one_line(text: str) -> str:
    """Return text on one line, without invisible characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def code(text: str) -> str:
    """Return text as code within a line, or within a cell of a table."""
    line = one_line(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def count_of(n: int, what: str) -> str:
    """Return a number of things: `1,234 rows`, `1 file`."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def size(n_bytes: int) -> str:
    """Write a number of bytes for people: `12.3 MB`."""
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.1f} {name}"
    return f"{-(-n_bytes // 1000):,} kB"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table; cells are Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def block(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```"


def collapsible(summary: str, content: str) -> str:
    """Return content that a reader unfolds; `summary` is one line of plain text."""
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"
