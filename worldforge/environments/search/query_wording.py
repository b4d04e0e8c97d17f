"""Write search queries: from the question, then from the title and lines of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldforge.environments.search.evidence_plan import PlannedPage
from worldforge.world.task import Task
from worldforge.world.task_terms import leaves

_URL = re.compile(r"https?://[^\s)\]>]+")
_NOT_WORDS = re.compile(r"[^\w\s'’-]+|(?<!\S)-+")  # a leading hyphen would say that a word is not wanted
_LONGEST = 160  # characters of a query
_MOST_OPENINGS = 4  # queries at once


def opening_queries(task: Task) -> list[str]:
    """Write a short query for each condition of a task."""
    sought = task.labels[0].lower()
    if task.language == "zh":  # paths are not of its words
        return [f"{sought} {term.written}" for term in leaves(task.conditions)] or [sought]
    told = [
        f"{condition.path.replace('.', ' ').replace('_', ' ')} {condition.written}".strip()
        for condition in leaves(task.conditions)
    ][:_MOST_OPENINGS]
    return [f"{sought} {words}" for words in told] or [sought]


def queries_for(page: PlannedPage) -> Iterator[str]:
    """Yield queries that may find a page: its title, then words of the lines to read there."""
    title = worded(page.title)
    yield title
    for reading in page.readings[:3]:
        yield f"{title} {worded(reading.line)}"[:_LONGEST]
    for reading in page.readings[:3]:
        yield worded(reading.line)[:_LONGEST]


def listed(titles: list[str], language: str = "en") -> str:
    """Name titles in a sentence: `“Velmar”, “Orsk” and “Tarn”`."""
    quoted = [f"“{title}”" for title in titles]
    if language == "zh":
        return "、".join(quoted)
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def worded(text: str) -> str:
    """Reduce a text to its words: remove marks, addresses and line ends."""
    return " ".join(_NOT_WORDS.sub(" ", _URL.sub(" ", text)).split())
