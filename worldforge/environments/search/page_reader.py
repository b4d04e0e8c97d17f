"""Read an observation's text for the oracle: addresses, values, and signs that it is incomplete.

It reads what stands there, true or not. A line that stands as the plan knows it is read where the plan says; one that
says the same with other values, or without its links, is read for what it says. What a site writes in a form of
its own, such as 3.1 miles or 18.06.2024, is noted as tables have it: the page it stands on says which form that is.
"""

from __future__ import annotations

import re

from worldforge.environments.search.evidence_plan import PlannedPage, PlannedReading

_URL = re.compile(r"https?://[^\s)\]>]+")
_TRANSIENT = re.compile(r"Error: .*(?:\b429\b|\b5\d\d\b|timed? ?out|try again)", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_SPAN = re.compile(r"\0(\d+)\0")  # stands for a value in a line
_NOT_SHOWN = "…"
_CUT = re.compile(r"\[[^\]\n]*\b(?:truncated|cut)\b[^\]\n]*\]\s*$", re.IGNORECASE)


def urls_in(text: str) -> list[str]:
    """List the addresses that a text names."""
    return _URL.findall(text)


def is_transient(text: str) -> bool:
    """Return whether a text is a transient error: too many requests, a server error, a time-out."""
    return _TRANSIENT.match(text) is not None


def is_cut(text: str) -> bool:
    """Return whether a text says at its end that it was cut."""
    return _CUT.search(text) is not None


def read_page(page: PlannedPage, part: int, text: str) -> dict[str, str]:
    """Read the values in a part of a page; facts whose line is missing are left out."""
    found = {}
    for reading in page.readings:
        shown = _shown(reading, text) if reading.part == part else None
        value = shown if shown is None or reading.form is None else reading.form.plainly(shown)
        if value is not None:
            found[reading.fact] = value
    return found


def _shown(reading: PlannedReading, text: str) -> str | None:
    place = text.find(reading.line)
    if place >= 0:
        return text[place + reading.start : place + reading.end]
    match = _with_other_values(reading).search(_LINK.sub(r"\1", text))
    return match[1] if match and match[1] != _NOT_SHOWN else None


def _with_other_values(reading: PlannedReading) -> re.Pattern[str]:
    """Compile a pattern of the line with other values and without links; this reading's value is group 1."""
    line, at, here = "", 0, (reading.start, reading.end)
    spans = sorted({*reading.loose, here})
    for number, (start, end) in enumerate(spans):
        if start >= at:
            line += f"{reading.line[at:start]}\0{number}\0"
            at = end
    pieces = _SPAN.split(_LINK.sub(r"\1", line + reading.line[at:]))
    for place in range(1, len(pieces), 2):
        span = spans[int(pieces[place])]
        value = ".+?" if span in reading.loose else re.escape(reading.line[slice(*span)])
        pieces[place] = f"({value})" if span == here else value
    pieces[::2] = map(re.escape, pieces[::2])
    return re.compile(f"^{''.join(pieces)}$", re.MULTILINE)
