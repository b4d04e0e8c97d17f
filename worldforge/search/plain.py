"""Pages as a reader sees them: Markdown without its marks, link targets and table bars. By whole columns.

Prose comes first and tables after it: a snippet, which is cut where the query's words first stand, then hints at a page
in a sentence of its own, where a table would recite its facts.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

# In RE2's syntax. A link or an image gives its text; the heading that opens a page (its title again), bare
# addresses, emphasis and the rulers of tables give nothing.
_MARKUP = r"\A# [^\n]*\n|!?\[([^\]]*)\]\([^)]*\)|https?://[^\s)>|]+|\*\*|:?-{3,}:?"
_TABLE_LINE = r"(?m)^\|[^\n]*$"
_OTHER_LINE = r"(?m)^[^|\n][^\n]*$"
_BLANKED = b"|#*`>\t\n\v\f\r"
_TO_SPACES = bytes.maketrans(_BLANKED, b" " * len(_BLANKED))


def plain_text(markdown: pa.Array) -> pa.Array:
    """Return a column of Markdown as plain text: words and punctuation on one line, single spaces between."""
    prose, tables = (pc.replace_substring_regex(markdown, line, "") for line in (_TABLE_LINE, _OTHER_LINE))
    reordered = pc.binary_join_element_wise(prose, tables, "\n")
    unlinked = pc.replace_substring_regex(reordered, _MARKUP, r"\1")
    return pc.utf8_trim(pc.replace_substring_regex(_blanked(unlinked), "  +", " "), " ")


def _blanked(column: pa.Array) -> pa.Array:
    """Turn marks into spaces in the bytes themselves: all are ASCII, so no character of UTF-8 is touched."""
    validity, offsets, data = column.buffers()
    if data is None:
        return column
    text = pa.py_buffer(data.to_pybytes().translate(_TO_SPACES))
    return pa.Array.from_buffers(column.type, len(column), [validity, offsets, text], offset=column.offset)
