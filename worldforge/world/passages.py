"""Columns of texts with marks that say which fact stands where.

A `Passages` is n texts and their marks; a mark is a span and what is written there, a column's code and a row (see
`text_marks`). Every operation makes the texts and moves the marks together, so that no text is ever searched:

    founded = slot(years_as_written, code=7, rows=club_rows)            "1903", marked
    fill("{subject} was founded in {value}.", subject=names, value=founded)
    concat("# ", names, "\\n\\n", sentences)

A null text says nothing: `fill` says nothing where one of its slots does, `concat` leaves it out.
Positions and lengths count characters (code points), as Python's `str` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.errors import InputError
from worldforge.world.text_marks import UNMARKED, Marks, interleaved, packed
from worldforge.world.text_marks import Positions as Positions

_SLOT = re.compile(r"\{([a-z_]+)\}")
_NULL = pa.scalar(None, pa.string())
_FEW = 256  # texts to choose from, up to which what stands side by side is made one choice

Mask = npt.NDArray[np.bool_]


class Passages:
    """n texts (Arrow string, null where nothing is said), their lengths (0 where null), their marks.

    What is put together of other passages is joined when its text, or its marks, are asked for: in one go, however
    many times parts became parts of something larger.
    """

    __slots__ = ("_marks", "_rope", "_text", "length")

    def __init__(self, text: pa.Array, length: Positions, marks: Marks = UNMARKED) -> None:
        self.length = length
        self._text: pa.Array | None = text
        self._marks: Marks | None = marks
        self._rope: _Rope | _TextChoice | None = None

    @classmethod
    def _joined_later(cls, rope: _Rope | _TextChoice, length: Positions) -> Passages:
        passages = cls.__new__(cls)
        passages.length, passages._text, passages._marks, passages._rope = length, None, None, rope
        return passages

    def __len__(self) -> int:
        return len(self.length)

    @property
    def text(self) -> pa.Array:
        """The texts."""
        if self._text is None:
            assert self._rope is not None
            self._text = self._rope.text()
            self._let_go()
        return self._text

    @property
    def marks(self) -> Marks:
        """What is marked in them."""
        if self._marks is None:
            assert self._rope is not None
            self._marks = self._rope.marks(len(self))
            self._let_go()
        return self._marks

    @property
    def said(self) -> Mask:
        """Where something is said."""
        if self._text is None and self._rope is not None:
            return np.ones(len(self), np.bool_) if self._rope.said is None else self._rope.said
        if self.text.null_count == 0:
            return np.ones(len(self.text), np.bool_)
        said: Mask = self.text.is_valid().to_numpy(zero_copy_only=False)
        return said

    @property
    def says_all(self) -> bool:
        """Whether something is said everywhere."""
        if self._text is None and self._rope is not None:
            return self._rope.said is None
        return bool(self.text.null_count == 0)

    def _let_go(self) -> None:
        """Hold no parts any longer that are joined, marks and all."""
        if self._text is not None and self._marks is not None:
            self._rope = None

    def keep(self, mask: Mask) -> Passages:
        """Say nothing where `mask` is false."""
        if mask.all():
            return self
        marks = self.marks
        kept = marks.where(mask[marks.row]) if len(marks) else marks
        return Passages(pc.if_else(pa.array(mask), self.text, _NULL), np.where(mask, self.length, 0), kept)

    def otherwise(self, text: str) -> Passages:
        """Say `text`, unmarked, where nothing is said."""
        if self.says_all:
            return self
        return Passages(pc.fill_null(self.text, text), np.where(self.said, self.length, len(text)), self.marks)

    def marked(self, code: int | Positions, rows: Positions) -> Passages:
        """Mark each text, end to end, as row `rows[i]` of what is called `code` or `code[i]`; other marks stay."""
        said = np.flatnonzero(self.said)
        codes = code if isinstance(code, int) else code[said]
        marks = Marks(said, np.zeros_like(said), self.length[said], packed(codes, rows[said]))
        return Passages(self.text, self.length, interleaved(len(self), [marks, self.marks]))

    def select(self, rows: Positions) -> Passages:
        """Take the given rows, each at most once, in ascending order."""
        if len(rows) == len(self):
            return self
        place = np.full(len(self), -1, np.int64)
        place[rows] = np.arange(len(rows))
        kept = self.marks.where(place[self.marks.row] >= 0)
        marks = Marks(place[kept.row], kept.start, kept.length, kept.what)
        return Passages(self.text.take(pa.array(rows)), self.length[rows], marks)

    def parts(self, *, where_said: bool = False) -> Sequence[Part]:
        """Return what will be joined, itself where that has been done, or where it says nothing here and there.

        With `where_said` also in that case: the parts are all of it only where it says something.
        """
        rope = self._rope
        if self._text is not None or not isinstance(rope, _Rope) or (rope.said is not None and not where_said):
            return [self]
        return rope.parts

    def choice(self) -> _TextChoice | None:
        """Return the choice among texts that it is; None where it is none, or its texts are there already."""
        return self._rope if self._text is None and isinstance(self._rope, _TextChoice) else None


Part = str | Passages
"""What passages are put together from: passages, and text that is the same in every row."""


@dataclass(frozen=True, slots=True)
class _Rope:
    """Parts that follow each other in each row, but for those that say nothing; out of `said` nothing is said."""

    parts: Sequence[Part]
    said: Mask | None

    def text(self) -> pa.Array:
        texts = [pa.scalar(part, pa.string()) if isinstance(part, str) else part.text for part in self.parts]
        # the empty text last: with a single argument Arrow drops the rows that it skips
        joined = pc.binary_join_element_wise(*texts, "", "", null_handling="skip")
        return joined if self.said is None else pc.if_else(pa.array(self.said), joined, _NULL)

    def marks(self, n: int) -> Marks:
        end: int | Positions = 0
        pieces: list[Marks] = []
        for part in self.parts:
            if isinstance(part, str):
                end = end + len(part)
                continue
            if len(own := part.marks):
                before = end if isinstance(end, int) else end[own.row]
                pieces.append(Marks(own.row, own.start + before, own.length, own.what))
            end = end + part.length
        marks = interleaved(n, pieces)
        return marks if self.said is None or not len(marks) else marks.where(self.said[marks.row])


@dataclass(frozen=True, slots=True)
class _TextChoice:
    """One of `texts` in each row; `rows` says which, None where there is but one."""

    texts: Sequence[str]
    rows: Positions | None
    said: None = None

    def text(self) -> pa.Array:
        return pa.array(self.texts, pa.string()).take(pa.array(self.rows))

    def marks(self, _n: int) -> Marks:
        return UNMARKED

    def then(self, other: _TextChoice) -> _TextChoice:
        """Let what `other` chooses follow."""
        texts = [one + following for one in self.texts for following in other.texts]
        if self.rows is None or other.rows is None:
            return _TextChoice(texts, other.rows if self.rows is None else self.rows)
        return _TextChoice(texts, self.rows * len(other.texts) + other.rows)

    def as_part(self) -> Part:
        if self.rows is None:
            return self.texts[0]
        return Passages._joined_later(self, np.array([len(text) for text in self.texts])[self.rows])


def plain(text: pa.Array) -> Passages:
    """Make passages of texts that state nothing."""
    return Passages(text, characters(text))


def characters(texts: pa.Array) -> Positions:
    """Count the characters of each text: none where it is null."""
    counted: Positions = pc.fill_null(pc.utf8_length(texts), 0).to_numpy().astype(np.int64)
    return counted


def repeat(text: str, n: int) -> Passages:
    """Say the same `n` times."""
    return Passages(pa.repeat(pa.scalar(text, pa.string()), n), np.full(n, len(text), np.int64))


def slot(values: pa.Array, code: int | Positions, rows: Positions) -> Passages:
    """Make passages of values as written, each marked as row `rows[i]` of the column `code`, or `code[i]`."""
    return plain(values).marked(code, rows)


def within(
    text: pa.Array, length: Positions, start: Positions, span: Positions, *marks: tuple[int, Positions]
) -> Passages:
    """Make passages of texts of known `length`, with every mark on the `span` characters from `start` on.

    A mark is a code and for each text the row there, -1 where the text does not bear it.
    """
    what = np.stack([packed(code, rows) for code, rows in marks], axis=1).ravel()
    row, start, span = (np.repeat(column, len(marks)) for column in (np.arange(len(text)), start, span))
    borne = Marks(row, start, span, what)
    return Passages(text, length, borne.where(what >= 0) if len(what) and what.min() < 0 else borne)


def concat(*parts: Part) -> Passages:
    """Write parts one after the other, row by row; a part that says nothing is left out.

    At least one part must be passages; the others may be text, the same in every row.
    """
    return _put_together(_n_rows(parts), parts)


def fill(template: str, **slots: Part) -> Passages:
    """Write `template`, its `{slots}` filled; nothing is said where one of the slots used says nothing.

    Only `{name}` is special, so that a stranger's template can reach nothing else. At least one slot that is
    given must be passages. Raises InputError for a slot that is not given.
    """
    parts = slots_of(template, slots)
    unsure = [part.said for part in parts if isinstance(part, Passages) and not part.says_all]
    return _put_together(_n_rows([*slots.values()]), parts, np.logical_and.reduce(unsure) if unsure else None)


def pieces(template: str, **slots: Part) -> list[Part]:
    """Return what `fill` writes as parts for a `concat`, which then writes them without a copy of their own."""
    if all(isinstance(part, str) or part.says_all for part in slots.values()):
        return slots_of(template, slots)
    return [fill(template, **slots)]


def fill_chosen(choice: Positions, templates: Sequence[str], **slots: Part) -> Passages:
    """Fill for each row the template that `choice` names: see `fill`.

    All templates are written in one go, along one order of slots in which each finds its own: a slot that a row's
    template does not use is left out there, and the text before a slot is picked by the row's choice.
    """
    cuts = [_cut(template, slots) for template in templates]
    order = _common_order([names for names, _ in cuts])
    before = [[""] * len(templates) for _ in range(len(order) + 1)]
    used = np.zeros((len(order), len(templates)), np.bool_)
    for number, (names, texts) in enumerate(cuts):
        place = -1
        for name, text in zip(names, texts, strict=False):  # one text more than names: the last
            place = order.index(name, place + 1)
            before[place][number], used[place, number] = text, True
        before[-1][number] = texts[-1]
    parts: list[Part] = []
    said = np.ones(len(choice), np.bool_)
    for place, name in enumerate(order):
        filling, here = slots[name], used[place][choice]
        assert isinstance(filling, Passages)
        said &= filling.said | ~here
        parts += [picked(before[place], choice), filling.keep(here)]
    return _put_together(len(choice), [*parts, picked(before[-1], choice)], said)


def picked(texts: Sequence[str], choice: Positions) -> Part:
    """Write for each row the text that `choice` names."""
    return _TextChoice(texts, None if len(set(texts)) == 1 else choice).as_part()


def slots_of(template: str, slots: Mapping[str, Part]) -> list[Part]:
    """Cut `template` at its slots and put in what fills them. Raises InputError for a slot not given."""
    pieces = _SLOT.split(template)
    for name in pieces[1::2]:
        if name not in slots:
            known = ", ".join(f"{{{known}}}" for known in slots)
            raise InputError(f"`{template}` has an unknown slot `{{{name}}}`", f"there is {known}")
    return [slots[piece] if place % 2 else piece for place, piece in enumerate(pieces)]


def choose(choice: Positions, variants: Sequence[Callable[[Positions], Passages]]) -> Passages:
    """Write each row as the variant that `choice` names; a variant is asked for its own rows, ascending."""
    rows = [np.flatnonzero(choice == number) for number in range(len(variants))]
    chosen = [(own, variant(own)) for own, variant in zip(rows, variants, strict=True) if len(own)]
    if len(chosen) < 2:
        return chosen[0][1] if chosen else variants[0](rows[0])
    place, length = np.empty(len(choice), np.int64), np.empty(len(choice), np.int64)
    place[np.concatenate([own for own, _ in chosen])] = np.arange(len(choice))
    for own, passages in chosen:
        length[own] = passages.length
    marks = [
        Marks(own[passages.marks.row], passages.marks.start, passages.marks.length, passages.marks.what)
        for own, passages in chosen
    ]
    texts = pa.concat_arrays([passages.text for _, passages in chosen])
    return Passages(texts.take(pa.array(place)), length, interleaved(len(choice), marks))


def gather(items: Passages, offsets: Positions) -> Passages:
    """Write runs of items as one text each: text i is items offsets[i] to offsets[i + 1].

    `offsets` rise from 0 to the number of items. Nothing is said where a run comes to no text.
    """
    ends = np.concatenate([[0], np.cumsum(items.length)])
    length = ends[offsets[1:]] - ends[offsets[:-1]]
    run = np.repeat(np.arange(len(length)), np.diff(offsets))
    shift = ends[:-1] - ends[offsets[:-1]][run]
    own = items.marks
    marks = Marks(run[own.row], own.start + shift[own.row], own.length, own.what)
    runs = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pc.fill_null(items.text, ""))
    return Passages(pc.binary_join(runs, ""), length, marks).keep(length > 0)


def _n_rows(parts: Sequence[Part]) -> int:
    (n,) = {len(part) for part in parts if isinstance(part, Passages)}  # passages of different lengths are an error
    return n


def _cut(template: str, slots: Mapping[str, Part]) -> tuple[list[str], list[str]]:
    """Cut a template at the slots that differ from row to row: their names, and the texts around them."""
    names, texts = [], [""]
    pieces = _SLOT.split(template)
    for place, filling in enumerate(slots_of(template, slots)):
        if isinstance(filling, str):
            texts[-1] += filling
        else:
            names.append(pieces[place])
            texts.append("")
    return names, texts


def _common_order(sequences: Sequence[list[str]]) -> list[str]:
    """Return names in an order that holds every one of `sequences`, others perhaps between."""
    order: list[str] = []
    for names in sequences:
        place = 0
        for name in names:
            if name in order[place:]:
                place = order.index(name, place) + 1
            else:
                order.insert(place, name)
                place += 1
    return order


def _put_together(n: int, parts: Sequence[Part], said: Mask | None = None) -> Passages:
    """Let parts follow each other; nothing is said out of `said`, within which all parts of it that are ropes lie."""
    if not any(isinstance(part, Passages) for part in parts):
        return repeat("".join(part for part in parts if isinstance(part, str)), n)
    if said is not None and said.all():
        said = None
    rope = _Rope(_side_by_side(parts, where_said=said is not None), said)
    length = np.zeros(n, np.int64)
    for part in rope.parts:
        length += len(part) if isinstance(part, str) else part.length
    return Passages._joined_later(rope, length if said is None else np.where(said, length, 0))


def _side_by_side(parts: Sequence[Part], *, where_said: bool) -> list[Part]:
    """Take parts apart into their own, and make one of texts, and of choices among few, that stand side by side."""
    joined: list[Part] = []
    for part in parts:
        for piece in [part] if isinstance(part, str) else part.parts(where_said=where_said):
            both = _in_one(joined[-1], piece) if joined else None
            if both is not None:
                joined[-1] = both
            elif piece != "":
                joined.append(piece)
    return joined


def _in_one(part: Part, following: Part) -> Part | None:
    """Make one part of two that are texts, or choices among few; None of others."""
    if isinstance(part, str) and isinstance(following, str):
        return part + following
    one, other = (_TextChoice([each], None) if isinstance(each, str) else each.choice() for each in (part, following))
    if one is None or other is None or len(one.texts) * len(other.texts) > _FEW:
        return None
    return one.then(other).as_part()
