"""Texts as whole columns that know where their facts stand.

A `Passages` is n texts and the marks in them; a mark is a span and what is written there: a column's code
and a row. Every operation makes the texts and moves the marks together, and no place is ever searched for:

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

Positions = npt.NDArray[np.int64]
_ROW_BITS = 40
_SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Marks:
    """Spans, ordered by row and then by start; `what` packs `code` and `item` into one number."""

    row: Positions
    start: Positions
    length: Positions
    what: Positions

    @property
    def code(self) -> Positions:
        """What sort of thing each span is: the code of the column it was written from."""
        return self.what >> _ROW_BITS

    @property
    def item(self) -> Positions:
        """The row of that column, for each span."""
        return self.what & ((1 << _ROW_BITS) - 1)

    def __len__(self) -> int:
        return len(self.row)

    def where(self, kept: npt.NDArray[np.bool_]) -> Marks:
        """Keep the marks for which `kept` is true."""
        places = np.flatnonzero(kept)
        return Marks(self.row[places], self.start[places], self.length[places], self.what[places])


_NONE = np.empty(0, np.int64)
UNMARKED = Marks(_NONE, _NONE, _NONE, _NONE)


@dataclass(frozen=True, slots=True)
class Passages:
    """n texts (Arrow string, null where nothing is said), their lengths (0 where null), their marks."""

    text: pa.Array
    length: Positions
    marks: Marks = UNMARKED

    def __len__(self) -> int:
        return len(self.text)

    @property
    def said(self) -> npt.NDArray[np.bool_]:
        """Where something is said."""
        if self.text.null_count == 0:
            return np.ones(len(self.text), np.bool_)
        said: npt.NDArray[np.bool_] = self.text.is_valid().to_numpy(zero_copy_only=False)
        return said

    def keep(self, mask: npt.NDArray[np.bool_]) -> Passages:
        """Say nothing where `mask` is false."""
        if mask.all():
            return self
        text = pc.if_else(pa.array(mask), self.text, pa.scalar(None, pa.string()))
        return Passages(text, np.where(mask, self.length, 0), self.marks.where(mask[self.marks.row]))

    def otherwise(self, text: str) -> Passages:
        """Say `text`, unmarked, where nothing is said."""
        return Passages(pc.fill_null(self.text, text), np.where(self.said, self.length, len(text)), self.marks)

    def marked(self, code: int | Positions, rows: Positions) -> Passages:
        """Mark each text, end to end, as row `rows[i]` of what is called `code` or `code[i]`; other marks stay."""
        said = np.flatnonzero(self.said)
        codes = code if isinstance(code, int) else code[said]
        marks = Marks(said, np.zeros_like(said), self.length[said], rows[said] | (codes << _ROW_BITS))
        return Passages(self.text, self.length, _interleave(len(self), [marks, self.marks]))

    def select(self, rows: Positions) -> Passages:
        """Take the given rows, each at most once, in ascending order."""
        if len(rows) == len(self):
            return self
        place = np.full(len(self), -1, np.int64)
        place[rows] = np.arange(len(rows))
        kept = self.marks.where(place[self.marks.row] >= 0)
        marks = Marks(place[kept.row], kept.start, kept.length, kept.what)
        return Passages(self.text.take(pa.array(rows)), self.length[rows], marks)


Part = str | Passages
"""What passages are put together from: passages, and text that is the same in every row."""


def plain(text: pa.Array) -> Passages:
    """Make passages of texts that state nothing."""
    return Passages(text, _characters(text))


def repeat(text: str, n: int) -> Passages:
    """Say the same `n` times."""
    return Passages(pa.repeat(pa.scalar(text, pa.string()), n), np.full(n, len(text), np.int64))


def slot(values: pa.Array, code: int | Positions, rows: Positions) -> Passages:
    """Make passages of values as written, each marked as row `rows[i]` of the column `code`, or `code[i]`."""
    return plain(values).marked(code, rows)


def concat(*parts: Part) -> Passages:
    """Write parts one after the other, row by row; a part that says nothing is left out.

    At least one part must be passages; the others may be text, the same in every row.
    """
    return _concat(_n_rows(parts), parts, "skip")


def fill(template: str, **slots: Part) -> Passages:
    """Write `template`, its `{slots}` filled; nothing is said where one of the slots used says nothing.

    Only `{name}` is special, so that a stranger's template can reach nothing else. At least one slot that is
    given must be passages. Raises InputError for a slot that is not given.
    """
    return _fill(_n_rows([*slots.values()]), template, slots)


def pieces(template: str, **slots: Part) -> list[Part]:
    """Return what `fill` writes as parts for a `concat`, which then writes them without a copy of their own."""
    if all(isinstance(part, str) or part.text.null_count == 0 for part in slots.values()):
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
    return _concat(len(choice), [*parts, picked(before[-1], choice)], "skip").keep(said)


def picked(texts: Sequence[str], choice: Positions) -> Part:
    """Write for each row the text that `choice` names."""
    if len(set(texts)) == 1:
        return texts[0]
    lengths = np.array([len(text) for text in texts])
    return Passages(pa.array(texts, pa.string()).take(pa.array(choice)), lengths[choice])


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
    return Passages(texts.take(pa.array(place)), length, _interleave(len(choice), marks))


def gather(items: Passages, offsets: Positions) -> Passages:
    """Write runs of items as one text each: text i is items offsets[i] to offsets[i + 1].

    `offsets` rise from 0 to the number of items. Nothing is said where a run comes to no text.
    """
    ends = np.concatenate([[0], np.cumsum(items.length)])
    length = ends[offsets[1:]] - ends[offsets[:-1]]
    runs = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pc.fill_null(items.text, ""))
    run = np.repeat(np.arange(len(length)), np.diff(offsets))
    shift = ends[:-1] - ends[offsets[:-1]][run]
    own = items.marks
    marks = Marks(run[own.row], own.start + shift[own.row], own.length, own.what)
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


def _fill(n: int, template: str, slots: Mapping[str, Part]) -> Passages:
    filled = _concat(n, slots_of(template, slots), "emit_null")
    return filled.keep(filled.said) if filled.text.null_count else filled


def _concat(n: int, parts: Sequence[Part], nulls: str) -> Passages:
    if not any(isinstance(part, Passages) for part in parts):
        return repeat("".join(part for part in parts if isinstance(part, str)), n)
    end = np.zeros(n, np.int64)
    texts: list[pa.Array | pa.Scalar] = []
    marks: list[Marks] = []
    for part in _joined(parts):
        if isinstance(part, str):
            texts.append(pa.scalar(part, pa.string()))
            end = end + len(part)
        else:
            own = part.marks
            texts.append(part.text)
            marks.append(Marks(own.row, own.start + end[own.row], own.length, own.what))
            end = end + part.length
    # the empty text last: with a single argument Arrow drops the rows that it skips
    text = pc.binary_join_element_wise(*texts, "", "", null_handling=nulls)
    return Passages(text, end, _interleave(n, marks))


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Make one text of texts that stand side by side."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(last, str) and isinstance(part, str):
            joined[-1] = last + part
        elif part != "":
            joined.append(part)
    return joined


def _interleave(n: int, pieces: Sequence[Marks]) -> Marks:
    """Put marks into one order, by row and within a row by piece: each goes to its row's next free place."""
    pieces = [piece for piece in pieces if len(piece)]
    if len(pieces) < 2:
        return pieces[0] if pieces else UNMARKED
    counts = [np.bincount(piece.row, minlength=n) for piece in pieces]
    total = np.sum(counts, axis=0)
    free = np.cumsum(total) - total
    merged = Marks(*np.empty((4, int(total.sum())), np.int64))
    for piece, count in zip(pieces, counts, strict=True):
        first = np.cumsum(count) - count
        place = (free - first)[piece.row] + np.arange(len(piece))
        merged.row[place], merged.start[place] = piece.row, piece.start
        merged.length[place], merged.what[place] = piece.length, piece.what
        free = free + count
    return merged


def _characters(text: pa.Array) -> Positions:
    lengths = pc.fill_null(pc.utf8_length(text), 0).to_numpy()
    return lengths.astype(np.int64)
