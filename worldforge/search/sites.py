"""Which pages stand on a site: `site:` narrows a search to a host, to all hosts below it, or to a part of one."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import tantivy

_MOST_RANGES = 64  # of pages that stand together; beyond that addresses are listed
_REMEMBERED = 256  # sites asked for


class Sites:
    """The sites of an index. `urls` are the addresses of its pages, by row, in batches."""

    def __init__(self, schema: tantivy.Schema, urls: list[pa.Array]) -> None:
        self._schema, self._urls = schema, urls
        self.pages_on = lru_cache(maxsize=_REMEMBERED)(self._pages_on)
        self.rows_on = lru_cache(maxsize=_REMEMBERED)(self._rows_on)

    def _rows_on(self, site: str) -> npt.NDArray[np.int64]:
        """Return the rows of the pages whose host is `site` or ends in it; a path is the beginning of theirs."""
        host, slash, path = site.partition("/")
        rest = re.escape(slash + path) if slash else r"(?:/|$)"
        pattern = rf"^https?://(?:[^/]*\.)?{re.escape(host)}{rest}"
        masks = [pc.match_substring_regex(batch, pattern).to_numpy(zero_copy_only=False) for batch in self._urls]
        return np.flatnonzero(np.concatenate([np.empty(0, np.bool_), *masks]))

    def _pages_on(self, site: str) -> tantivy.Query:
        """Return the query for the pages of a site.

        A kind's pages stand together in the table, so a site is a few stretches of rows: far cheaper than addresses.
        """
        rows = self.rows_on(site)
        if not len(rows):
            return tantivy.Query.empty_query()
        breaks = np.flatnonzero(np.diff(rows) > 1)
        if len(breaks) >= _MOST_RANGES:
            urls = pa.chunked_array(self._urls).take(pa.array(rows)).to_pylist()
            return tantivy.Query.term_set_query(self._schema, "url", urls)
        firsts = rows[np.append(0, breaks + 1)].tolist()
        lasts = rows[np.append(breaks, len(rows) - 1)].tolist()
        ranges = [self._rows(first, last) for first, last in zip(firsts, lasts, strict=True)]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, stretch) for stretch in ranges])

    def _rows(self, first: int, last: int) -> tantivy.Query:
        return tantivy.Query.range_query(self._schema, "page", tantivy.FieldType.Unsigned, first, last)
