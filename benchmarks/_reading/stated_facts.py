"""Which facts a world's pages state, in what form of line, and under which labels."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from benchmarks._reading.page_lines import (
    ITEM,
    LABEL,
    STRUCTURED,
    TABLE,
    Line,
    cells,
    is_rule,
    length,
    lines,
    plain,
)
from worldforge.world.table_files import RELATIVE, TRUE_STANCES
from worldforge.world.world import World

LONG = {"en": 1_500, "zh": 2_500}
"""Words, or Chinese characters, of a document that is long."""
VERY_LONG = {"en": 2_500, "zh": 4_500}
_BRACKETS = re.compile(r"\s*[(（][^)）]*[)）]")
_LABEL_BEFORE = re.compile(r"([^:：·•;；|,，、–—]+?)\s*[:：]\s*[*_\[]*$")


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact as a page states it: `text[start:end]`."""

    fact: str
    start: int
    end: int
    stance: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page with what it states, in order."""

    url: str
    title: str
    language: str
    text: str
    facts: tuple[Stated, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the facts that tasks need stand, as shares of them; names of entities are left out."""

    only_prose: float
    only_long: float
    structured: float
    only_relative: float
    n_facts: int


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels an attribute, over those that an answer asks for and that have any; the share of those with only one."""

    median: float
    least: int
    share_of_one: float


@dataclass(frozen=True, slots=True)
class Lengths:
    """Words a page, or characters in Chinese: the mean, the share of very long pages, the longest."""

    mean: float
    share_very_long: float
    longest: int


def attribute_of(fact: str) -> str:
    """Return the attribute of a fact: `club.founded` of `club/0031#founded`."""
    entity, _, column = fact.partition("#")
    return f"{entity.partition('/')[0]}.{column}"


class StatedWeb:
    """The pages of a world with the facts that they state."""

    def __init__(self, world: World) -> None:
        self.world = world
        mentions = world.mentions.select(["page", "fact", "start", "end", "stance"])
        rows = zip(*(mentions[name].to_pylist() for name in mentions.column_names), strict=True)
        by_page = {page: tuple(Stated(*row[1:]) for row in own) for page, own in groupby(rows, key=lambda row: row[0])}
        names = ("id", "url", "title", "language", "text")
        table = world.pages.select(list(names)).to_pylist()
        self.pages = [Page(*(row[name] for name in names[1:]), by_page.get(row["id"], ())) for row in table]
        self.language = "zh" if sum(page.language == "zh" for page in self.pages) * 2 > len(self.pages) else "en"

    @cached_property
    def names(self) -> set[str]:
        """The names and aliases of all entities."""
        found = set[str]()
        for type_name in self.world.spec.types:
            table = self.world.entities(type_name)
            found.update(name for name in table["name"].to_pylist() if name)
            found.update(name for own in table["aliases"].to_pylist() for name in own or ())
        return found

    def lengths(self) -> Lengths:
        """Measure how long pages are."""
        found = [length(page.text, page.language) for page in self.pages]
        very_long = [n > VERY_LONG[page.language] for n, page in zip(found, self.pages, strict=True)]
        return Lengths(statistics.fmean(found), statistics.fmean(very_long), max(found))

    def places(self) -> Places:
        """Find where the facts stand that tasks need."""
        needed = {fact for task in self.world.tasks for fact in task.needed_facts if not fact.endswith("#name")}
        forms, in_short, relative = defaultdict(set), set[str](), set[str]()
        for page in self.pages:
            is_long = length(page.text, page.language) > LONG[page.language]
            for line, facts in facts_by_line(page):
                for fact in facts:
                    if fact.stance in TRUE_STANCES and fact.fact in needed:
                        forms[fact.fact].add(line.form)
                        in_short |= set() if is_long else {fact.fact}
                    elif fact.stance == RELATIVE:
                        relative.add(fact.fact)
        total = max(1, len(needed))
        return Places(
            sum(not STRUCTURED & own for own in forms.values()) / total,
            sum(fact not in in_short for fact in forms) / total,
            sum(bool(STRUCTURED & own) for own in forms.values()) / total,
            sum(fact in relative and fact not in forms for fact in needed) / total,
            len(needed),
        )

    def labels(self) -> Labels:
        """Count the labels under which infoboxes, tables and lists state the attributes that answers ask for."""
        needed = {attribute_of(fact) for task in self.world.tasks for fact in task.answer_facts}
        found: dict[str, set[str]] = defaultdict(set)
        for page in self.pages:
            for attribute, label in labels_on(page):
                found[attribute].add(label)
        counts = [len(own) for name, own in found.items() if name in needed and not name.endswith(".name")]
        if not counts:
            return Labels(0, 0, 0)
        return Labels(statistics.median(counts), min(counts), statistics.fmean(count == 1 for count in counts))


def facts_by_line(page: Page) -> Iterator[tuple[Line, list[Stated]]]:
    """Yield the lines of a page that state facts, with those facts."""
    place, facts = 0, page.facts
    for line in lines(page.text):
        own = list[Stated]()
        while place < len(facts) and facts[place].start < line.start + len(line.text):
            own.append(facts[place])
            place += 1
        if own:
            yield line, own


def labels_on(page: Page) -> Iterator[tuple[str, str]]:
    """Yield each attribute that a page states beside a label, with the label."""
    yield from _table_labels(page)
    for line, facts in facts_by_line(page):
        if line.form in (ITEM, LABEL):
            for fact in facts:
                if found := _label_before(page.text[line.start : fact.start]):
                    yield attribute_of(fact.fact), found


def _label_before(before: str) -> str:
    """Return what stands before the colon right before a value."""
    found = _LABEL_BEFORE.search(re.sub(r"\]\([^)]*\)", "", before).replace("**", ""))
    return as_label(found[1].lstrip("-*+ ")) if found else ""


def as_label(text: str) -> str:
    """Return a label without marks, units in brackets and case."""
    return _BRACKETS.sub("", plain(text)).strip(" :：").lower()


def _table_labels(page: Page) -> Iterator[tuple[str, str]]:
    """Yield attributes and labels of tables: the head of a column of one attribute, else the first cell of the row."""
    by_start = {line.start: facts for line, facts in facts_by_line(page) if line.form == TABLE}
    for is_table, block in groupby(lines(page.text), key=lambda line: line.form == TABLE):
        rows = list(block) if is_table else []
        if len(rows) < 3 or not is_rule(rows[1].text):
            continue
        head, stated = cells(rows[0].text), list[tuple[int, str, str]]()
        for row in rows[2:]:
            for fact in by_start.get(row.start, ()):
                column = row.text[: fact.start - row.start].count("|") - 1
                stated.append((column, attribute_of(fact.fact), cells(row.text)[0]))
        for column in {column for column, _, _ in stated}:
            own = [(attribute, first) for place, attribute, first in stated if place == column]
            across = len({attribute for attribute, _ in own}) > 1 or (len(head) == 2 and len(own) == 1)
            for attribute, first in own:
                label = as_label(first if across and column else head[column] if column < len(head) else "")
                if label:
                    yield attribute, label
