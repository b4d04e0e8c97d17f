"""The check on spans: `text[start:end]` is the value as written, compared byte by byte over whole columns.

Offsets count characters, and texts are UTF-8. Character g begins g bytes into its text, and as many more as there are
bytes before it that go on with a character that has begun: those are found once for many texts, and looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.core.utf8 import bytes_of
from worldforge.world.parquet_reader import Table, cell_reader, parts, row_range
from worldforge.world.passages import Positions
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import ROWS_PER_GROUP

_TEXTS = 2_000  # pages whose texts are looked at together: memory does not grow with their number; ROWS_PER_GROUP / n
_GOES_ON = -64  # bytes below it, taken as signed, go on with a character: 0x80 to 0xBF
_NO_END = np.iinfo(np.int32).max


def check_spans(pages: Table, mentions: Table) -> Finding:
    """`text[start:end]` is the value as written, for every mention of every page; a page that is not there is empty.

    Offsets mean what they mean in Python: from the end where they are negative, cut where they are too large.
    """
    tally = CheckCounter("spans")
    tally.checked(mentions.num_rows)
    text_of, fact_of = cell_reader(pages, "text"), cell_reader(mentions, "fact")

    @lru_cache(maxsize=1)
    def group(number: int) -> pa.Array:
        return row_range(pages, number * ROWS_PER_GROUP, ROWS_PER_GROUP, ["text"])["text"].combine_chunks()

    first = 0
    for part in parts(mentions, ["page", "start", "end", "value"]):
        rows = rows_of(part["page"])
        there = (rows >= 0) & (rows < pages.num_rows)
        start, end = (
            pc.fill_null(part[name].combine_chunks(), default).to_numpy().astype(np.int64)
            for name, default in (("start", 0), ("end", _NO_END))
        )
        values, wrong = part["value"].combine_chunks(), np.zeros(len(rows), np.bool_)
        for number, own in _together(np.where(there, rows // _TEXTS, -1)):
            begin = number * _TEXTS % ROWS_PER_GROUP
            texts = pa.array([""]) if number < 0 else group(number * _TEXTS // ROWS_PER_GROUP).slice(begin, _TEXTS)
            place = np.zeros(len(own), np.int64) if number < 0 else rows[own] - number * _TEXTS
            wrong[own] = _differ(texts, place, start[own], end[own], values.take(pa.array(own)))
        shown = []
        for row in np.flatnonzero(wrong)[:MOST_SHOWN].tolist():
            text = text_of(int(rows[row])) if there[row] else ""
            begin, stop, value = (part[name][row].as_py() for name in ("start", "end", "value"))
            where = f"page/{rows[row]:06d}: characters {begin} to {stop}"
            shown.append(f"{where} are `{text[begin:stop][:60]}`, not `{value}` ({fact_of(first + row)})")
        tally.failed(shown, int(wrong.sum()))
        first += len(rows)
    return tally.finding()


def _together(numbers: Positions) -> Iterator[tuple[int, Positions]]:
    """Give each number that is there, and its places, in order."""
    order = np.argsort(numbers, kind="stable")
    begins = np.flatnonzero(np.diff(numbers[order], prepend=-2))
    for own in np.split(order, begins[1:]) if len(order) else ():
        yield int(numbers[own[0]]), own


def _differ(
    texts: pa.Array, place: Positions, start: Positions, end: Positions, values: pa.Array
) -> npt.NDArray[np.bool_]:
    """Say of each value whether it differs from the characters `start` to `end` of the text at `place`.

    A null text is empty, a null value differs from all. Raises ArrowInvalid for what is no UTF-8.
    """
    texts, given = pc.fill_null(texts, ""), pc.fill_null(values, "")
    texts.validate(full=True)
    given.validate(full=True)
    bounds, text = bytes_of(texts)
    going_on = np.flatnonzero(text.view(np.int8) < _GOES_ON)
    begins = bounds - np.searchsorted(going_on, bounds)  # in characters, counted through all texts
    lengths = np.diff(begins)[place]
    start, end = (np.clip(np.where(at < 0, at + lengths, at), 0, lengths) for at in (start, end))
    as_long = np.maximum(end - start, 0) == pc.utf8_length(given).to_numpy()
    character = begins[place] + start
    byte = character + np.searchsorted(going_on - np.arange(len(going_on)), character, side="right")
    if not as_long.all():
        given, byte = given.filter(pa.array(as_long)), byte[as_long]
    # as many characters from the same one on: the bytes are the same, or the values differ
    written, value = bytes_of(given)
    at = np.repeat(byte - written[:-1], np.diff(written)) + np.arange(len(value))
    other = np.flatnonzero(np.take(text, at, mode="clip") != value)
    wrong = ~as_long
    wrong[np.flatnonzero(as_long)[np.searchsorted(written, other, side="right") - 1]] = True
    return wrong | pc.is_null(values).to_numpy(zero_copy_only=False)
