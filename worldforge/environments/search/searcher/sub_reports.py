"""The report of a sub-searcher, as text: written by it, and read by its lead.

    Do not count: Ostra Rovers; Velm.            names after a phrase of `team.yaml`
    Pages relied on: “Football clubs of Ostra”.

What counts stands in a Markdown table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldforge.environments.search.searcher.sub_questions import TeamWordings
from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.answer_tables import AnswerTable, read_tables

_MOST_SOURCES = 8
_LISTS = ("not_counting", "unsettled", "others")
_SLOTS = {"{names}": "(.+)"}


@dataclass
class SubReport:
    """What a report says: rows of its table, and names of those that do not count, are open, or were not asked for.

    `is_whole` says whether its writer came to the end of the list; `n` is how many stood on it, `of_pages` that they
    are pages and not names.
    """

    n: int = 0
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    not_counting: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    is_whole: bool = True
    of_pages: bool = False


def write_sub_report(report: SubReport, wordings: TeamWordings) -> str:
    """Write a report."""
    say, between = wordings.say, wordings.phrases["lists"]["names"]
    how_far = ("done" if report.is_whole else "cut_short") + ("_pages" if report.of_pages else "")
    lines = [say(how_far, n=str(report.n))] if report.n > 1 else []
    lines.append(_table(report) if report.rows else say("none_found"))
    if any("" in row for row in report.rows):
        lines.append(say("blanks"))
    lines += [say(part, names=between.join(names)) for part in _LISTS if (names := getattr(report, part))]
    if titles := report.sources:
        shown, n_more = between.join(titles[:_MOST_SOURCES]), len(titles) - _MOST_SOURCES
        lines.append(say("sources_of_many", names=shown, n=str(n_more)) if n_more > 0 else say("sources", names=shown))
    return "\n".join(lines)


def read_sub_report(text: str, wordings: TeamWordings) -> SubReport:
    """Read a report back. What is not found in it is left empty."""
    table = _first_table(text)
    report = SubReport(columns=table.columns, rows=list(table.rows))
    cut_short = [*wordings.phrases["cut_short"], *wordings.phrases["cut_short_pages"]]
    report.is_whole = not _found(text, cut_short, {"{n}": r"\d+"})
    for part in _LISTS:
        if match := _found(text, wordings.phrases[part], _SLOTS):
            getattr(report, part).extend(match[1].split(wordings.phrases["lists"]["names"]))
    return report


def _table(report: SubReport) -> str:
    lines = [report.columns, ["---"] * len(report.columns), *report.rows]
    return "\n".join(["", *(f"| {' | '.join(line)} |" for line in lines), ""])


def _first_table(text: str) -> AnswerTable:
    try:
        return read_tables(text)[0]
    except UnscorableError:
        return AnswerTable((), ())


def _found(text: str, templates: Sequence[str], slots: Mapping[str, str]) -> re.Match[str] | None:
    """Find the line that one of the templates has become."""
    for template in templates:
        pattern = re.escape(template)
        for slot, form in slots.items():
            pattern = pattern.replace(re.escape(slot), form)
        if match := re.search(f"^{pattern}$", text, re.MULTILINE):
            return match
    return None
