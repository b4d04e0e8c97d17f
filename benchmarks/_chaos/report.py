"""What came of the rounds: a table by stage and strike, as Markdown for people and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks._chaos.scene import REFUSED, RESUMED

DEFECT = "defect"
_BEGIN, _END = "<!-- rounds -->\n", "<!-- end of rounds -->"
"""Where in a page the table goes."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round: which, what was struck and how, what came of it (`RESUMED`, `REFUSED` or `DEFECT`), and how.

    `n_missed` strikes before it came too late, and were drawn anew.
    """

    number: int
    stage: str
    strike: str
    outcome: str
    seconds: float
    story: str
    n_missed: int = 0


def table(rounds: Sequence[Round]) -> str:
    """Write what came of the rounds as a Markdown table, a row a stage and strike."""
    lines = [
        "| stage | strike | rounds | clean resumes | clear refusals | defects |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for stage, strike in sorted({(one.stage, one.strike) for one in rounds}):
        lines.append(_line(stage, strike, [one for one in rounds if (one.stage, one.strike) == (stage, strike)]))
    lines.append(_line("**all**", "", rounds))
    return "\n".join(lines)


def write_report(path: Path, command: str, seconds: float, rounds: Sequence[Round]) -> None:
    """Write the rounds as JSON, and the table beside it as Markdown; or the table into a page with a place for it."""
    head = f"`{command}`: {len(rounds)} rounds in {seconds / 60:.1f} minutes\n\n"
    before, begin, after = _page(path).partition(_BEGIN)
    if begin:
        path.write_text(f"{before}{begin}{head}{table(rounds)}\n{_END}{after.partition(_END)[2]}")
        return
    said = {"command": command, "seconds": round(seconds), "rounds": [asdict(one) for one in rounds]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    path.with_suffix(".md").write_text(head + table(rounds) + "\n")


def _page(path: Path) -> str:
    return path.read_text() if path.suffix == ".md" and path.exists() else ""


def _line(stage: str, strike: str, rounds: Sequence[Round]) -> str:
    counts = Counter(one.outcome for one in rounds)
    numbers = [len(rounds), counts[RESUMED], counts[REFUSED], counts[DEFECT]]
    return f"| {stage} | {strike} | " + " | ".join(map(str, numbers)) + " |"
