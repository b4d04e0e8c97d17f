"""What an observation tells: items (search results, records) in their order with the facts of each, and the rest.

A draft that is in the dialect's form is read by the dialect. One that is not is read loosely, by its addresses and its
figures, and then so is the truth that it is held against: a broken form costs the form, and not the facts in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldforge.environments.session import Scene
from worldforge.environments.views import ToolView
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world_model.prose import Fact

_EMPHASIS = frozenset("*`")
_ADDRESS = re.compile(r"https?://[^\s)\]>\"'|]+")
_NUMBER = re.compile(r"\s*(?:\[index\]\s*)?[\[(#]?(\d{1,9})(?:[\])]|[.:)]?(?=\s))\s*")
_LABEL = re.compile(r"^[ \t]*(?:\[\w+\]|[*_]*\w+[*_]*:)[*_]*[ \t]+", re.MULTILINE)
"""What opens a line of a result: `Title: `, `[title] `, `**Title:** `."""
_QUERY = "Query: "
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\btrue\b|\bfalse\b|\bnull\b')
_KEPT = 4096  # texts whose facts are remembered


@dataclass(frozen=True, slots=True)
class Item:
    """A search result or a record: under which query, by which key (address, id), with which number, what it tells.

    `number` is the rank as it is written, 0 where none is. `snippet` is a result's.
    """

    block: int
    key: str
    number: int
    facts: tuple[Fact, ...]
    snippet: str = ""

    @property
    def place(self) -> str:
        """What the item is called in a comparison."""
        return f"{self.block} {self.key}"


@dataclass(frozen=True, slots=True)
class ReadText:
    """What a text tells: `items` in order; `rest` are the facts of all that is no item: of a page, all."""

    items: tuple[Item, ...]
    rest: tuple[Fact, ...]

    @property
    def by_place(self) -> dict[str, Item]:
        """The items by what they are called; of several called alike, the first."""
        return {item.place: item for item in reversed(self.items)}

    @property
    def n_facts(self) -> int:
        """How many facts it tells."""
        return len(self.rest) + sum(len(item.facts) for item in self.items)


class ClaimReader:
    """Reads observations with one lexicon, and remembers the facts of texts."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self.placed = lru_cache(_KEPT)(self._placed)

    def facts(self, text: str) -> tuple[Fact, ...]:
        """Return the facts of a text, in order."""
        return tuple(fact for fact, _, _ in self.placed(text))

    def of_view(self, scene: Scene, view: ToolView) -> ReadText:
        """Return what a view tells."""
        items = tuple(
            Item(
                item.group,
                item.key,
                item.number,
                self.facts(item.text) if item.cells is None else tuple(sorted(map(_cell, item.cells.items()))),
                item.excerpt.text if item.excerpt else "",
            )
            for item in view.items
        )
        if view.remarks is None:
            return ReadText(items, self.facts(scene.dialect.write(scene.request, view)))
        remarks = (self.facts(one) if isinstance(one, str) else (one,) for one in view.remarks)
        return ReadText(items, tuple(fact for facts in remarks for fact in facts))

    def loosely(self, scene: Scene, text: str) -> ReadText:
        """Return what a text tells, whatever its form."""
        match scene.view.form:
            case "results":
                return self._loose_results(text, len(scene.request.items) > 1)
            case "data":
                return ReadText((), tuple(("cell", scalar) for scalar in _SCALAR.findall(text)))
        return ReadText((), self.facts(text))

    def _placed(self, text: str) -> tuple[tuple[Fact, int, int], ...]:
        """Return the facts of a text with the characters [start, end) that they are; marks of emphasis do not count."""
        kept = [place for place, sign in enumerate(text) if sign not in _EMPHASIS]
        plain = "".join(text[place] for place in kept)
        return tuple(
            ((one.kind, one.canonical), kept[one.start], kept[one.end - 1] + 1)
            for one in self._lexicon.found(plain)
            if one.kind != "capital"
        )

    def _loose_results(self, text: str, queries: bool) -> ReadText:
        items: list[Item] = []
        rest: list[Fact] = []
        block = -1 if queries else 0
        for paragraph in re.split(r"\n\s*\n", text):
            if not _ADDRESS.search(paragraph):
                block += queries and paragraph.startswith(_QUERY)
                rest += self.facts(paragraph)
                continue
            items += (self._loose_item(max(block, 0), part) for part in _parts(paragraph))
        return ReadText(tuple(items), tuple(rest))

    def _loose_item(self, block: int, text: str) -> Item:
        number = _NUMBER.match(text)
        address = _ADDRESS.search(text)
        assert address is not None
        label = _LABEL.sub("", text[number.end() if number else 0 :])
        return Item(block, address[0], int(number[1]) if number else 0, self.facts(label))


def _parts(paragraph: str) -> Iterator[str]:
    """Cut a paragraph that may hold several results into one each: at numbered lines, or where an address stands."""
    lines = paragraph.split("\n")
    numbered = [place for place, line in enumerate(lines) if _NUMBER.match(line)]
    addressed = [place for place, line in enumerate(lines) if _ADDRESS.search(line)]
    starts = numbered if len(numbered) == len(addressed) else addressed
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(lines)], strict=True):
        yield "\n".join(lines[start:end])


def _cell(cell: tuple[str, Any]) -> Fact:
    name, value = cell
    return "cell", f"{name}={json.dumps(value, sort_keys=True, ensure_ascii=False)}"
