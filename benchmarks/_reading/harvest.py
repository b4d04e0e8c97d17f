"""Facts taken from the form of pages alone: infoboxes, tables, list items and `label: value` lines.

    records = Records(Anchors(pages))
    records.harvest(page)
    records.facts["Velmar"]["population"]      # [Statement(Value("12,400", 12400.0, ...), ...)]

Nothing here knows which kinds of page a world has, its tables, its mentions or its tasks.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from benchmarks._reading.cell_values import Value, fold, read_value, size_of
from benchmarks._reading.page_lines import (
    HEADING,
    ITEM,
    LABEL,
    TABLE,
    Line,
    cells,
    is_rule,
    label_and_value,
    lines,
    links,
    plain,
)
from benchmarks._reading.question_terms import share_in
from benchmarks._reading.stated_facts import as_label

_UNKNOWN = {"", "-", "–", "—", "?", "n/a", "unknown", "不详", "未知"}
_TOO_MANY = 4
"""Pages that one text of a link leads to from which it is no name: `Home`, `more`. Some names have two or three."""
_COMMON = re.compile(r"[a-z][a-z ]*")
_AS_ABOVE = ("", "〃", "″", "ditto")
_PAIR = re.compile(r"(?:^|[·•;；|,，、–—-]|\s{2})\s*([^\W\d][^:：·•;；|,，、–—]{0,40}?)\s*[:：]\s*")


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as an agent opens it."""

    url: str
    title: str
    published: str
    text: str

    @property
    def host(self) -> str:
        """The host of its address."""
        return self.url.partition("://")[2].partition("/")[0]


@dataclass(frozen=True, slots=True)
class Statement:
    """A value that a page gives, and how far that is to be trusted."""

    value: Value
    published: str
    host: str
    weight: float


class Anchors:
    """What pages are called by those that link to them: one name an address, however it is called."""

    def __init__(self, pages: Iterable[WebPage]) -> None:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        targets: dict[str, set[str]] = defaultdict(set)
        titles = dict[str, str]()
        for page in pages:
            titles[page.url] = fold(page.title)
            for text, url in links(page.text):
                name = plain(text).strip()
                counts[url][name] += 1
                targets[name].add(url)
        self.names = dict[str, str]()
        for url, own in counts.items():
            telling = [name for name in own if len(targets[name]) < _TOO_MANY and not _COMMON.fullmatch(name)]
            if telling:
                title = titles.get(url, "")
                self.names[url] = max(telling, key=lambda name: (fold(name) in title, own[name], name))
        self.known = {fold(name): name for name in self.names.values() if len(name) > 1}

    def name(self, cell: str) -> str:
        """Return the name of what a cell links to, or the text of the cell."""
        found = links(cell)
        return self.names.get(found[0][1], found[0][0]) if len(found) == 1 else plain(cell).strip()

    def subject(self, page: WebPage) -> str:
        """Return what a page is about: what others call it, else the longest known name in its title."""
        if page.url in self.names:
            return self.names[page.url]
        title = fold(page.title)
        if title in self.known:
            return self.known[title]
        words = re.findall(r"\w+|[^\w\s]", title) if title.isascii() or " " in title else list(title)
        for size in range(min(len(words), 14), 0, -1):
            for start in range(len(words) - size + 1):
                for joint in (" ", ""):
                    found = self.known.get(joint.join(words[start : start + size]))
                    if found and (size > 1 or len(found) > 3):
                        return found
        return page.title


@dataclass
class Records:
    """What was harvested. `rows` are tables below a heading of a name's page, `lists` titles that a name is under."""

    anchors: Anchors
    facts: dict[str, dict[str, list[Statement]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    nouns: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    rows: dict[str, dict[str, list[dict[str, Value]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    lists: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    wanted: frozenset[str] = frozenset()
    """Kinds of name that questions ask for: they count before what else a name is called."""

    def kind(self, name: str) -> str:
        """Return what a name is called most often: `football club`; nothing for one that is called nothing."""
        own = self.nouns.get(name)
        return max(own, key=lambda noun: (noun in self.wanted, own[noun], noun)) if own else ""

    def harvest(self, page: WebPage) -> None:
        """Take all that the form of a page gives away."""
        page_subject = subject = self.anchors.subject(page)
        heading, has_box = "", False
        for form, block in groupby(lines(page.text), key=lambda line: line.form):
            own = list(block)
            if form == HEADING:
                heading = plain(own[-1].text.lstrip("#")).strip()
                subject = self.anchors.known.get(fold(heading), page_subject)
            elif form == TABLE:
                has_box |= self._table(page, subject, heading, own, has_box)
            elif form == ITEM:
                for line in own:
                    self._item(page, subject, line)
            elif form == LABEL:
                for line in own:
                    if found := label_and_value(line.text):
                        self.add(subject, found[0], line.text.partition(found[0])[2].lstrip("*_ :："), page)

    def add(self, subject: str, label: str, cell: str, page: WebPage, weight: float = 1.0) -> None:
        """Take down a value under a label."""
        name = as_label(label)
        if fold(cell) in _UNKNOWN or not name or len(name) > 60:
            return
        value = read_value(self.anchors.name(cell), size_of(label))
        self.facts[subject][name].append(Statement(value, page.published, page.host, weight))

    def _listed(self, name: str, page: WebPage) -> None:
        """Note that a name is in a list, and what the list is of: `Football clubs of Velmar`."""
        self.lists[name].add(page.title)
        for noun in self.wanted:
            if share_in(noun, page.title) == 1:
                self.nouns[name][noun] += 1

    def _table(self, page: WebPage, subject: str, heading: str, block: Sequence[Line], has_box: bool) -> bool:
        """Take a table, and return whether it was an infobox."""
        rows = [cells(line.text) for line in block if not is_rule(line.text)]
        if len(rows) < 2:
            return False
        head, body = [plain(cell).strip() for cell in rows[0]], [row for row in rows[1:] if len(row) == len(rows[0])]
        if len(head) == 2 and _is_box(head, body, subject, page.title):
            name = self.anchors.name(rows[0][1]) if fold(head[1]) in self.anchors.known else subject
            if head[0] and fold(head[0]) != fold(name):
                self.nouns[name][as_label(head[0])] += 5
            for label, cell in body:
                self.add(name, label, cell, page)
            return True
        previous = [""] * len(head)
        for row in body:
            filled = [before if cell in _AS_ABOVE else cell for cell, before in zip(row, previous, strict=True)]
            previous = filled
            name = self.anchors.name(filled[0])
            if fold(name) in _UNKNOWN:
                continue
            self.nouns[name][as_label(head[0])] += 1
            self._listed(name, page)
            for label, cell in zip(head[1:], filled[1:], strict=True):
                self.add(name, label, cell, page, 0.4 if has_box else 1.0)
            values = {as_label(label): read_value(self.anchors.name(cell), size_of(label))
                      for label, cell in zip(head, filled, strict=True)}  # fmt: skip
            self.rows[subject][fold(heading)].append(values)
        return False

    def _item(self, page: WebPage, subject: str, line: Line) -> None:
        """Take a list item: values after labels, of the name that it opens with, else of the page's subject."""
        body = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "", line.text)
        opening = re.match(r"[*_]*\[[^\]]+\]\([^)]*\)[*_]*", body)
        if opening:
            subject = self.anchors.name(opening[0])
            self._listed(subject, page)
            body = body[opening.end() :]
        hidden, kept = _without_addresses(body.replace("**", "").replace("__", ""))
        found = list(_PAIR.finditer(hidden))
        for place, pair in enumerate(found):
            end = found[place + 1].start() if place + 1 < len(found) else len(hidden)
            self.add(subject, pair[1], _with_addresses(hidden[pair.end() : end], kept).strip(" ·•;；|,，–—"), page)
        for sort in (pair for pair in found if as_label(pair[1]) in ("kind", "type", "category", "类型", "类别")):
            self.nouns[subject][as_label(hidden[sort.end() :].strip())] += 1


def _is_box(head: Sequence[str], body: Sequence[Sequence[str]], subject: str, title: str) -> bool:
    """Return whether a table of two columns has a label and a value a row."""
    if not head[1] or fold(head[1]) in (fold(subject), fold(title)) or not head[0]:
        return True
    if fold(head[0]) in (fold(subject), fold(title)):
        return True
    return not any(links(row[0]) for row in body) and len({bool(read_value(row[1]).unit) for row in body}) > 1


def _without_addresses(text: str) -> tuple[str, list[str]]:
    """Put a mark in the place of each link's address, and return the addresses."""
    kept = re.findall(r"\]\(([^)\s]*)\)", text)
    return re.sub(r"\]\([^)\s]*\)", "](@)", text), kept


def _with_addresses(text: str, kept: list[str]) -> str:
    """Put addresses back, each taken from the front of `kept`."""
    while "](@)" in text and kept:
        text = text.replace("](@)", f"]({kept.pop(0)})", 1)
    return text
