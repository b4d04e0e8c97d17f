"""Plan which pages to read for a task and what to search for, and read pages. Reads the gold, for the oracle only.

The fewest pages are read that state all its facts.

Greedy set cover over the mentions (Chvátal 1979): the page that states most of the facts still needed comes first,
ties to the lower page number. Of each page it keeps the lines to read, so that a value is taken from what was observed
and not from the plan. A page that did not show what it should is avoided, and the same facts are planned anew.

A page is read for what stands there, true or not. A line that stands as the plan knows it is read where the plan says;
one that says the same with other values, or without its links, is read for what it says. What a site writes in a form
of its own, such as 3.1 miles or 18.06.2024, is noted as tables have it: the page it stands on says which form that is.

A fact that pages state relative to another (`three years after Velmar Rovers`) is planned with that other one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache, partial
from heapq import heapify, heappop, heappush

import numpy as np
import pyarrow as pa

from worldforge.environments.call_budget import oracle_pages
from worldforge.environments.search.views import page_parts
from worldforge.world.evidence import Evidence, FactRelation
from worldforge.world.site_figures import of_table
from worldforge.world.stable_ids import split_fact
from worldforge.world.task import Task
from worldforge.world.task_terms import leaves
from worldforge.world.value_formats import ValueFormat, ValueFormats
from worldforge.world.value_text import as_written, read_value

_URL = re.compile(r"https?://[^\s)\]>]+")
_NOT_WORDS = re.compile(r"[^\w\s'’-]+|(?<!\S)-+")  # a leading hyphen would say that a word is not wanted
_TRANSIENT = re.compile(r"Error: .*(?:\b429\b|\b5\d\d\b|timed? ?out|try again)", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_SPAN = re.compile(r"\0(\d+:\d+)\0")  # stands for a value in a line
_NOT_SHOWN = "…"
_CUT = re.compile(r"\[[^\]\n]*\b(?:truncated|cut)\b[^\]\n]*\]\s*$", re.IGNORECASE)
_LONGEST = 160  # characters of a query
_MOST_OPENINGS = 4  # queries at once
_Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PlannedReading:
    """A fact to read from a page: its line, and its characters [start, end) in that line.

    `loose` are the characters of the line that state this fact or others, names apart: what a page that errs may show
    otherwise.
    """

    fact: str
    part: int
    line: str
    start: int
    end: int
    loose: tuple[tuple[int, int], ...] = ()
    form: ValueFormat | None = None
    """How the page's site writes the value, where that is a way of its own."""
    number: int = 0
    """Which line it is, from 0, of those in its part that read alike but for their values."""
    n_alike: int = 1
    """How many such lines the part has."""
    relation: FactRelation | None = None
    """What the line states the fact relative to, where it does not give its value."""


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page to open: its address, its title, and the facts to read there."""

    url: str
    title: str
    readings: tuple[PlannedReading, ...]

    @property
    def parts(self) -> list[int]:
        """The parts of the page that hold readings, in order, counted from 1."""
        return sorted({reading.part for reading in self.readings})


Tried = Collection[tuple[str, str]]
"""Pages, by address, that were read for facts: pairs not to be planned again."""


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The pages to open, lists before others.

    `elsewhere(facts, tried)` gives pages that state `facts`, as far as there are any that were not tried for them.
    """

    lists: tuple[PlannedPage, ...]
    others: tuple[PlannedPage, ...]
    elsewhere: Callable[[Sequence[str], Tried], tuple[PlannedPage, ...]]

    @property
    def n_pages(self) -> int:
        """How many pages there are to open."""
        return len(self.lists) + len(self.others)


class EvidencePlanner:
    """Plans tasks on one world. `pages` needs the columns url, title, text, and kind with `forms`, in page order.

    `forms` say how sites write values; without them all write as the tables do.
    """

    def __init__(self, pages: pa.Table, evidence: Evidence, forms: ValueFormats | None = None) -> None:
        self._urls, self._titles, self._texts = (pages[name] for name in ("url", "title", "text"))
        self._evidence, self._forms = evidence, forms
        self._kinds = None if forms is None else pages["kind"]

    def plan(self, task: Task) -> ReadingPlan:
        """Plan the reading of every fact of a task: its answer's cells, and the evidence for its conditions.

        Lists come first, among them those that name the entities whose own pages are read after: a searcher opens the
        page of something it has heard of. Where that would take more pages than the oracle may open, what is
        named where is left out.
        """
        facts = task.needed_facts
        needed = self._cover(facts)
        lists = {page: found for page, found in needed.items() if self._is_list(page)}
        heard = {fact for found in lists.values() for fact in found}
        names = [row[0] for row in task.facts if row[0] not in heard]
        introducing = self._cover(names, lists_only=True)
        if len(needed) + len(introducing) > oracle_pages(task):
            introducing = {}
        return ReadingPlan(
            lists=tuple(self._planned(page, found) for page, found in {**introducing, **lists}.items()),
            others=tuple(self._planned(page, found) for page, found in needed.items() if page not in lists),
            elsewhere=self.elsewhere,
        )

    def elsewhere(self, facts: Sequence[str], tried: Tried) -> tuple[PlannedPage, ...]:
        """Choose pages that state `facts` and were not tried for them."""
        return tuple(self._planned(page, found) for page, found in self._cover(facts, tried=tried).items())

    def _cover(self, facts: Sequence[str], *, lists_only: bool = False, tried: Tried = ()) -> dict[int, dict[str, int]]:
        """Choose pages that cover `facts`, and what those are stated relative to: for each page, facts and mentions."""
        stated: dict[int, dict[str, int]] = {}
        others = [relation.fact for fact in facts if (relation := self._evidence.relation(fact)) is not None]
        for fact in dict.fromkeys([*facts, *others]):
            for mention in self._evidence.of(fact).tolist():
                page = int(self._evidence.page[mention])
                if (not lists_only or self._is_list(page)) and (not tried or (self._url(page), fact) not in tried):
                    stated.setdefault(page, {}).setdefault(fact, mention)
        return _greedy_cover(stated)

    def _url(self, page: int) -> str:
        return str(self._urls[page].as_py())

    def _is_list(self, page: int) -> bool:
        return bool(self._evidence.n_named[page] > 1)

    def _planned(self, page: int, mentions: dict[str, int]) -> PlannedPage:
        text = self._texts[page].as_py()
        parts = page_parts(text)
        stated_spans = lru_cache(partial(self._stated_spans, page))  # of a line, once for all that it states
        readings = []
        for fact, mention in mentions.items():
            start, end = int(self._evidence.start[mention]), int(self._evidence.end[mention])
            first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
            line = text[first : last if last >= 0 else len(text)]
            part = next(number for number, (_, stop) in enumerate(parts, 1) if start < stop)
            loose = stated_spans(first, first + len(line))
            relation = self._evidence.relation(fact)
            form = self._form(page, fact) if relation is None else None
            reading = PlannedReading(fact, part, line, start - first, end - first, loose, form=form, relation=relation)
            readings.append(_number_alike(reading, text[slice(*parts[part - 1])], first - parts[part - 1][0]))
        return PlannedPage(self._url(page), self._titles[page].as_py(), tuple(readings))

    def _form(self, page: int, fact: str) -> ValueFormat | None:
        if self._forms is None or self._kinds is None:
            return None
        table, _, column = split_fact(of_table(fact))
        return self._forms.of(self._kinds[page].as_py(), table, column)

    def _stated_spans(self, page: int, first: int, last: int) -> tuple[tuple[int, int], ...]:
        """Return the statements of a page between two places, without names, relative to the first."""
        evidence = self._evidence
        low, high = np.searchsorted(evidence.page, [page, page + 1])  # mentions are ordered by page
        start, end = evidence.start[low:high], evidence.end[low:high]
        inside = (start >= first) & (end <= last) & ~evidence.is_name[low:high]
        return tuple(zip((start[inside] - first).tolist(), (end[inside] - first).tolist(), strict=True))


def _greedy_cover(stated: dict[int, dict[str, int]]) -> dict[int, dict[str, int]]:
    """Choose the page that states most of what is left, ties to the lower, until all is covered: for each, what is new.

    Counts only fall, so a page at the top of the heap whose count still holds is the best (Minoux 1978).
    """
    chosen: dict[int, dict[str, int]] = {}
    covered: set[str] = set()
    heap = [(-len(found), page) for page, found in stated.items()]
    heapify(heap)
    while heap:
        count, page = heappop(heap)
        new = {fact: mention for fact, mention in stated[page].items() if fact not in covered}
        if len(new) == -count:
            chosen[page] = new
            covered |= new.keys()
        elif new:
            heappush(heap, (-len(new), page))
    return chosen


def opening_queries(task: Task) -> list[str]:
    """Write a short query for each condition of a task."""
    sought = task.labels[0].lower()
    if task.language == "zh":  # paths are not of its words
        return [f"{sought} {term.written}" for term in leaves(task.conditions)] or [sought]
    queries = [
        f"{condition.path.replace('.', ' ').replace('_', ' ')} {condition.written}".strip()
        for condition in leaves(task.conditions)
    ][:_MOST_OPENINGS]
    return [f"{sought} {words}" for words in queries] or [sought]


def queries_for(page: PlannedPage) -> Iterator[str]:
    """Yield queries that may find a page: its title, then words of the lines to read there."""
    title = worded(page.title)
    yield title
    for reading in page.readings[:3]:
        yield f"{title} {worded(reading.line)}"[:_LONGEST]
    for reading in page.readings[:3]:
        yield worded(reading.line)[:_LONGEST]


def listed(titles: Sequence[str], language: str = "en") -> str:
    """Name titles in a sentence: `“Velmar”, “Orsk” and “Tarn”`."""
    quoted = [f"“{title}”" for title in titles]
    if language == "zh":
        return "、".join(quoted)
    return "".join(quoted) if len(quoted) < 2 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def worded(text: str) -> str:
    """Reduce a text to its words: remove marks, addresses and line ends."""
    return " ".join(_NOT_WORDS.sub(" ", _URL.sub(" ", text)).split())


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
    """Read the values in a part of a page; facts whose line is missing, or gives no value, are left out."""
    found = {}
    for reading in page.readings:
        shown = _shown_value(reading, text) if reading.part == part and reading.relation is None else None
        value = shown if shown is None or reading.form is None else reading.form.plainly(shown)
        if value is not None:
            found[reading.fact] = value
    return found


def _number_alike(reading: PlannedReading, part: str, place: int) -> PlannedReading:
    """Number the line of a reading, which begins at a place in its part, among those that read alike."""
    plain = _without_links(part)
    if plain.count(max(_line_pieces(reading.line, reading.loose, None)[::2], key=len)) == 1:
        return reading  # no other line has this text, and no pattern needs to be compiled to tell
    pattern = _pattern_of(reading).lines
    before, whole = (len(pattern.findall(text)) for text in (_LINK.sub(r"\1", part[:place]), plain))
    return replace(reading, number=before, n_alike=max(whole, 1))


def read_relations(page: PlannedPage, part: int, text: str) -> dict[str, FactRelation]:
    """Read what a part of a page states relative to other facts; facts whose line is missing are left out."""
    return {
        reading.fact: reading.relation
        for reading in page.readings
        if reading.part == part and reading.relation is not None
        if _shown_value(reading, text) == reading.line[reading.start : reading.end]
    }


def related_value(value: str, difference: float | None) -> str | None:
    """Return `value` plus a difference, or `value` where there is none; None where it is neither number nor date."""
    if difference is None:
        return value
    if isinstance(day := read_value(value, "date"), datetime.date):
        other = pa.array([day + datetime.timedelta(days=difference)])
        return str(as_written(other, "date", "en" if " " in value else "zh")[0])
    found = _NUMBER.search(value)
    if found is None:
        return None
    number = Decimal(found[0].replace(",", "")) + Decimal(str(difference))
    written = f"{number:,f}" if "," in found[0] else f"{number:f}"
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return f"{value[: found.start()]}{written}{value[found.end() :]}"


def _shown_value(reading: PlannedReading, text: str) -> str | None:
    """Return what a text shows in the place of a reading; None where its line is missing or cannot be told apart."""
    if reading.n_alike == 1 and (reading.line in _lines(text) or reading.line in text):
        return reading.line[reading.start : reading.end]
    pattern = _pattern_of(reading)
    found = list(pattern.lines.finditer(_without_links(text)))
    if len(found) != reading.n_alike:
        return None
    match = found[reading.number]
    if match[0] == _without_links(reading.line):  # values side by side can be told apart
        return reading.line[reading.start : reading.end]
    value = match[pattern.groups[reading.start, reading.end]]
    return value if value != _NOT_SHOWN else None


@lru_cache(maxsize=8)
def _lines(text: str) -> frozenset[str]:
    """Return the lines of a text, to be looked up for all its readings."""
    return frozenset(text.split("\n"))


@lru_cache(maxsize=64)
def _without_links(text: str) -> str:
    """Return a text with the words of its links in their place: of a page, for all its readings."""
    return _LINK.sub(r"\1", text)


@dataclass(frozen=True, slots=True)
class _LinePattern:
    """A line with other values and without links; the values by their places in the line, as groups."""

    lines: re.Pattern[str]
    groups: dict[tuple[int, int], int]


def _pattern_of(reading: PlannedReading) -> _LinePattern:
    here = (reading.start, reading.end)
    return _line_pattern(reading.line, reading.loose, None if here in reading.loose else here)


@lru_cache(maxsize=2048)
def _line_pattern(line: str, loose: _Spans, fixed: tuple[int, int] | None) -> _LinePattern:
    """Compile the pattern of a line: once for all that it states loosely, and for each value that is `fixed`."""
    pieces = list(_line_pieces(line, loose, fixed))
    spans = [_span_of(piece) for piece in pieces[1::2]]
    pieces[1::2] = [re.escape(line[slice(*span)]) if span == fixed else ".+?" for span in spans]
    parts = (f"({piece})" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
    groups = {span: number for number, span in enumerate(spans, 1)}
    return _LinePattern(re.compile(f"^{''.join(parts)}$", re.MULTILINE), groups)


@lru_cache(maxsize=2048)
def _line_pieces(line: str, loose: _Spans, fixed: tuple[int, int] | None) -> tuple[str, ...]:
    """Split the line without links into texts that stand as they are and, at odd places, spans of values: `3:7`."""
    text, at = "", 0
    for start, end in sorted({*loose, fixed} if fixed else loose):
        if start >= at:
            text += f"{line[at:start]}\0{start}:{end}\0"
            at = end
    return tuple(_SPAN.split(_without_links(text + line[at:])))


def _span_of(piece: str) -> tuple[int, int]:
    start, _, end = piece.partition(":")
    return int(start), int(end)
