"""Links whose words and address never change, written once and taken wherever they stand: names, headings of lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.world.passages import Passages, Positions, characters, within

BEFORE_WORDS = "["


@dataclass(frozen=True, slots=True)
class LinkTexts:
    """`[Velmar](https://…)`, one a row: the words alone where they lead nowhere, null where there are none."""

    text: pa.Array
    length: npt.NDArray[np.int32]
    """How many characters each has."""
    words: npt.NDArray[np.int32]
    """How many of them are the words."""
    leads: npt.NDArray[np.bool_]

    def take(self, rows: Positions, code: int, fact: tuple[int, Positions] | None = None) -> Passages:
        """Write the links `rows` (-1 for none), each marked as that row of `code`; within it the `fact` that it states.

        A fact is the code of a column and for each of `rows` the row there.
        """
        if len(rows) and rows.min() < 0:
            there = rows >= 0
            rows = np.where(there, rows, 0)
            return self.take(rows, code, fact).keep(there)
        led = self.leads[rows]
        all_led = bool(led.all())
        before = np.full(len(rows), len(BEFORE_WORDS)) if all_led else np.where(led, len(BEFORE_WORDS), 0)
        marks = [(code, rows if all_led else np.where(led, rows, -1))]
        if fact is not None:
            marks.append(fact)
        length, words = (column[rows].astype(np.int64) for column in (self.length, self.words))
        links = within(self.text.take(pa.array(rows)), length, before, words, *marks)
        return links if links.says_all else links.keep(links.said)


def render_links(words: pa.Array, urls: pa.Array) -> LinkTexts:
    """Write a link for each of `words`, where `urls` has where it leads."""
    linked = pc.binary_join_element_wise(BEFORE_WORDS, words, "](", urls, ")", "")
    text = pc.coalesce(linked, words)
    leads = linked.is_valid().to_numpy(zero_copy_only=False)
    return LinkTexts(text, characters(text).astype(np.int32), characters(words).astype(np.int32), leads)
