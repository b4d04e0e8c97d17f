"""Pages as a reader sees them: Markdown without its marks, link targets and table bars. By whole columns.

Prose comes first and tables after it: a snippet, which is cut where the query's words first stand, then hints at a page
in a sentence of its own, where a table would recite its facts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# In RE2's syntax. A link or an image gives its text; bare addresses, emphasis and the rulers of tables give nothing.
_MARKUP = r"!?\[([^\]]*)\]\([^)]*\)|https?://[^\s)>|]+|\*\*|:?-{3,}:?"
_BLANKED = b"|#*`>\t\n\v\f\r"
_TO_SPACES = bytes.maketrans(_BLANKED, b" " * len(_BLANKED))
_NEWLINE, _SPACE, _HASH, _BAR = b"\n #|"

Letters = npt.NDArray[np.uint8]


def plain_text(markdown: pa.Array) -> pa.Array:
    """Return a column of Markdown as plain text: words and punctuation on one line, single spaces between."""
    if not len(markdown):
        return markdown
    unlinked = pc.replace_substring_regex(_tables_last(pc.fill_null(markdown, "")), _MARKUP, r"\1")
    plain = pc.utf8_trim(_on_one_line(unlinked), " ")
    return pc.if_else(markdown.is_valid(), plain, None) if markdown.null_count else plain


def _tables_last(markdown: pa.Array) -> pa.Array:
    """Move the lines of tables to the end of each page; blank lines go, and the heading it opens with: its title."""
    bounds, letters = _letters(pc.binary_join_element_wise(markdown, "", "\n"))
    ends = np.flatnonzero(letters == _NEWLINE) + 1
    starts = np.concatenate([[0], ends[:-1]])
    first_line = np.searchsorted(ends, bounds, side="right")
    first = letters[starts]
    kept = first != _NEWLINE
    opening = first_line[:-1]  # of each page; the last is where a next page would begin
    kept[opening[(first[opening] == _HASH) & (letters.take(starts[opening] + 1, mode="clip") == _SPACE)]] = False
    page = np.repeat(np.arange(len(markdown)), np.diff(first_line))
    chosen = np.flatnonzero(kept)
    order = chosen[np.argsort(2 * page[chosen] + (first[chosen] == _BAR), kind="stable")]
    lines = _texts(np.concatenate([[0], ends]), letters).take(pa.array(order))
    n_kept = np.concatenate([[0], np.cumsum(kept)])[first_line]
    bounds, letters = _letters(lines)
    return _texts(bounds[n_kept], letters)


def _on_one_line(texts: pa.Array) -> pa.Array:
    """Turn marks into spaces, and runs of spaces into one. All are ASCII, so no character of UTF-8 is touched."""
    bounds, letters = _letters(texts)
    letters = np.frombuffer(letters.tobytes().translate(_TO_SPACES), np.uint8)
    spaces = letters == _SPACE
    repeated = np.zeros(len(letters), np.bool_)
    np.logical_and(spaces[1:], spaces[:-1], out=repeated[1:])
    repeated[bounds[:-1][np.diff(bounds) > 0]] = False
    gone = np.searchsorted(np.flatnonzero(repeated), bounds)
    return _texts(bounds - gone, letters[~repeated])


def _letters(texts: pa.Array) -> tuple[npt.NDArray[np.int64], Letters]:
    """Return where each of `texts`, none of them null, begins and the last one ends, and the bytes of all of them."""
    _, ends, data = texts.buffers()
    bounds = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    letters = np.frombuffer(data or b"", np.uint8)[bounds[0] : bounds[-1]]
    return bounds - bounds[0], letters


def _texts(bounds: npt.NDArray[np.int64], letters: Letters) -> pa.Array:
    """Make a column of texts of what `_letters` gives."""
    return pa.StringArray.from_buffers(len(bounds) - 1, pa.py_buffer(bounds.astype(np.int32)), pa.py_buffer(letters))
