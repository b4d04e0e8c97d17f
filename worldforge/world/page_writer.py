"""The page that the function of a page kind writes on; `world.page_inputs` has what it may state there.

    def notice(page: Page, subject: Subject) -> Annotated[None, Layout(path="/notices/{name}", site="Notices")]:
        page.heading("Notice: {name}", name=subject.name)
        for fact in subject.facts:
            page.say("The {label} is {value}.", label=fact.attribute.label, value=fact.value)

The second parameter's annotation says what one page is about: `Subject` an entity, `Listing` a run of entities,
`Event` a row of a relation, `Original` a page of another site, `Continuation` a later part of a page. The return
annotation, a `Layout`, says how such pages stand on the web. Keyword-only parameters are what `params` may give.

Texts are Markdown. A `Value` that is written leaves a mark: where it stands in the text, and which fact it states.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from worldforge.core.chance import Draws
from worldforge.core.errors import InputError
from worldforge.world.marked_text import MarkedText
from worldforge.world.page_inputs import NAVIGATION, Text, Value
from worldforge.world.phrases import Phrases

_SLOT = re.compile(r"\{([a-z_]+)\}")


class _Heading(NamedTuple):
    """A heading: its level, how many pieces, marks and links stood before it, and how many pieces with it."""

    level: int
    pieces: int
    marked: int
    linked: int
    end: int


class Page:
    """A page that is being written.

    `say` puts sentences into paragraphs: what parts one from the next is added, in English a space.
    """

    __slots__ = (
        "_address", "_in_paragraph", "_last_heading", "as_of", "draws", "headings", "language", "more", "not_before",
        "number", "old_design", "others", "phrases", "published", "seed", "site", "text", "title", "used",
    )  # fmt: skip

    def __init__(
        self,
        *,
        site: str,
        language: str,
        published: datetime.date,
        as_of: datetime.date,
        draws: Draws,
        number: int = 0,
        not_before: datetime.date | None = None,
        address: Callable[[int, int, bool], tuple[str, bool]] = lambda source, target, moves: ("", False),
        phrases: Phrases | None = None,
        more: Sequence[Value] = (),
        seed: int = 0,
        old_design: bool = False,
    ) -> None:
        self.site = site
        self.language = language
        self.published = published
        self.as_of = as_of
        self.draws = draws
        """The page's own randomness; nothing else may be random."""
        self.number = number
        self.not_before = not_before
        """The day of the latest thing that the page tells of; None where it tells of none."""
        self.phrases = phrases
        """The phrasebook of the page's language; None where the spec has none."""
        self.more = more
        """Links to more pages of its site; a page that leaves them out may leave others without a link to them."""
        self.seed = seed
        """The world's seed, by which wordings are chosen that all its pages share; `draws` is for all else."""
        self.old_design = old_design
        """Whether the page is older than its site's redesign."""
        self.others: set[tuple[str, int]] = set()
        """Other entities of which the page has told something: type and row."""
        self.used: set[str] = set()
        """The entries of the phrasebook that the page has used: it uses others as long as there are some."""
        self.headings: dict[str, int] = {}
        """The headings so far, with their levels; a heading drops the deeper ones before it."""
        self.title = ""
        """What the page is called; set by the first heading."""
        self.text = MarkedText()
        self._address = address
        self._in_paragraph = False
        self._last_heading: _Heading | None = None

    def pick_new(self, options: Sequence[str]) -> str:
        """Draw a text that the page has not drawn yet, where there is one."""
        one = self.draws.pick([option for option in options if option not in self.used] or options)
        self.used.add(one)
        return one

    def write(self, *parts: Text | None) -> None:
        """Write parts as they are, one after the other; None writes nothing."""
        self._write(parts)

    def fill(self, template: str, **slots: Text | None) -> bool:
        """Write a template with its `{slots}` filled; write nothing and return False where one of them is None.

        Only `{name}` is special. Raises InputError for a slot that is not given.
        """
        texts, names = _cut(template)
        if not names:
            self.text.pieces.append(template)
            return True
        if None in slots.values() and any(slots.get(name, "") is None for name in names):
            return False
        try:
            self._write([slots[part] if place % 2 else part for place, part in enumerate(texts)])
        except KeyError as error:
            known = ", ".join(f"{{{known}}}" for known in slots)
            raise InputError(f"`{template}` has an unknown slot `{{{error.args[0]}}}`", f"there is {known}") from None
        return True

    def heading(self, template: str, level: int = 1, **slots: Text | None) -> None:
        """Write a heading; the first one is the page's title, unless that is set.

        It takes the place of a heading below which nothing stands, unless that is of a higher level.
        """
        self.begin_block()
        text, last = self.text, self._last_heading
        if last is not None and len(text.pieces) == last.end and 1 < level <= last.level:
            del text.pieces[last.pieces :], text.marked[last.marked :], text.linked[last.linked :]
        start = _Heading(level, len(text.pieces), len(text.marked), len(text.linked), 0)
        text.write("#" * level + " ")
        self.fill(template, **slots)
        written = "".join(text.pieces[start.pieces + 1 :])
        self.title = self.title or written
        self.headings = {one: its for one, its in self.headings.items() if its <= level} | {written: level}
        text.write("\n\n")
        self._last_heading = start._replace(end=len(text.pieces))

    def say(self, template: str, **slots: Text | None) -> bool:
        """Add a sentence to the paragraph. Return False, and add nothing, where one of its slots is None."""
        if not template or (None in slots.values() and any(slots.get(name, "") is None for name in _cut(template)[1])):
            return False
        self.begin_sentence()
        return self.fill(template, **slots)

    def say_parts(self, parts: Iterable[Text]) -> None:
        """Add a sentence that is given in parts to the paragraph."""
        self.begin_sentence()
        self._write(parts)

    @property
    def in_paragraph(self) -> bool:
        """Whether a sentence stands before the next one in its paragraph."""
        return self._in_paragraph

    def end_paragraph(self) -> None:
        """End the paragraph, if one has begun."""
        if self._in_paragraph:
            self.text.write("\n\n")
        self._in_paragraph = False

    def end_line(self) -> None:
        """End the paragraph without an empty line after it: an item of a list."""
        self._in_paragraph = False
        self.text.write("\n")

    def line(self, template: str, **slots: Text | None) -> bool:
        """Write a template as a line of its own."""
        self.end_paragraph()
        if not self.fill(template, **slots):
            return False
        self.text.write("\n")
        return True

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[Text | None]], right: Sequence[bool] = ()) -> None:
        """Write a Markdown table and an empty line; `right` says which columns are set to the right.

        An empty cell holds a dash.
        """
        self.begin_block()
        aligned = [*right, *[False] * (len(headings) - len(right))]
        self.text.write(f"| {' | '.join(headings)} |\n|{'|'.join('---:' if one else ':---' for one in aligned)}|\n")
        for row in rows:
            cells: list[Text] = []
            for cell in row:
                cells += [" | ", "–" if cell is None else cell]
            cells[0] = "| "
            self._write([*cells, " |\n"])
        self.text.write("\n")

    def begin_sentence(self) -> None:
        """Part what is written next from the sentence before it in the paragraph, or begin a paragraph."""
        if not self._in_paragraph:
            self.begin_block()
            self._in_paragraph = True
        elif self.language != "zh":
            self.text.pieces.append(" ")

    def begin_block(self) -> None:
        """End what stands before with an empty line, if a line has ended there."""
        self.end_paragraph()
        pieces = self.text.pieces
        if pieces and pieces[-1][-1:] == "\n" and "".join(pieces[-2:])[-2:] != "\n\n":
            pieces.append("\n")

    def _write(self, parts: Iterable[Text | None]) -> None:
        """Write parts and mark what they state."""
        append = self.text.pieces.append
        for part in parts:
            if isinstance(part, str):
                append(part)
            elif isinstance(part, Value):
                self.write_value(part)
            elif part is not None:
                self._write(part)

    def write_value(self, value: Value) -> None:
        """Write a value as it is, with its mark and its link."""
        words, code, row, suffix, target, also = value
        text = self.text
        pieces = text.pieces
        if target >= 0:
            url, gone = self._address(self.number, target, code != NAVIGATION)
            pieces.append("[")
        place = len(pieces)
        pieces.append(words)
        if suffix:
            pieces.append(suffix)
        if target >= 0:
            text.linked += (place, len(pieces), -1 if gone else target)
            pieces.append(f"]({url})")
        if code >= 0:
            text.marked += (place, place + 1, code, row)
            for fact in also:
                text.marked += (place, place + 1, *fact)


@lru_cache(maxsize=65536)
def _cut(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Cut a template at its slots: texts and names of slots in turn, and the names alone."""
    pieces = tuple(_SLOT.split(template))
    return pieces, pieces[1::2]
