"""An answer as it is written down: a table in Markdown, in the fenced block that the benchmark asks for."""

from __future__ import annotations

from collections.abc import Sequence


def answer_table(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table of cells under `labels` as an answer."""
    lines = [labels, ["---"] * len(labels), *rows]
    return "\n".join(["```markdown", *(f"| {' | '.join(line)} |" for line in lines), "```"])
