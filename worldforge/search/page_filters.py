"""Filter pages by a query's demands: those that hold its phrases, stand on its sites, and hold nothing unwanted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import tantivy

from worldforge.search.parsed_query import ParsedQuery, Phrase

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]

_MOST_RANGES = 64  # of pages that stand together; beyond that addresses are listed
_REMEMBERED = 256  # sites asked for


class Sites:
    """The sites of an index. `urls` are the addresses of its pages, by row."""

    def __init__(self, schema: tantivy.Schema, urls: pa.ChunkedArray) -> None:
        self._schema, self._urls = schema, urls
        self.pages_on = lru_cache(maxsize=_REMEMBERED)(self._pages_on)
        self.rows_on = lru_cache(maxsize=_REMEMBERED)(self._rows_on)

    def _rows_on(self, site: str) -> npt.NDArray[np.int64]:
        """Return the rows of the pages whose host is `site` or ends in it; a path is the beginning of theirs."""
        host, slash, path = site.partition("/")
        rest = re.escape(slash + path) if slash else r"(?:/|$)"
        pattern = rf"^https?://(?:[^/]*\.)?{re.escape(host)}{rest}"
        return np.flatnonzero(pc.match_substring_regex(self._urls, pattern).to_numpy())

    def _pages_on(self, site: str) -> tantivy.Query:
        """Return the query for the pages of a site.

        A kind's pages stand together in the table, so a site is a few stretches of rows: far cheaper than addresses.
        """
        rows = self.rows_on(site)
        if not len(rows):
            return tantivy.Query.empty_query()
        breaks = np.flatnonzero(np.diff(rows) > 1)
        if len(breaks) >= _MOST_RANGES:
            urls = self._urls.take(pa.array(rows)).to_pylist()
            return tantivy.Query.term_set_query(self._schema, "url", urls)
        firsts = rows[np.append(0, breaks + 1)].tolist()
        lasts = rows[np.append(breaks, len(rows) - 1)].tolist()
        ranges = [self._rows(first, last) for first, last in zip(firsts, lasts, strict=True)]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, stretch) for stretch in ranges])

    def _rows(self, first: int, last: int) -> tantivy.Query:
        return tantivy.Query.range_query(self._schema, "page", tantivy.FieldType.Unsigned, first, last)


@dataclass(frozen=True)
class PageFilters:
    """The demands of queries on the pages of one index, as masks over its rows; words demand nothing."""

    searcher: tantivy.Searcher
    n_pages: int
    phrase: Callable[[Phrase], tantivy.Query]
    rows_on: Callable[[str], Rows]

    def allowed(self, typed: ParsedQuery) -> Mask | None:
        """Return which pages a query leaves, bool of shape (pages,); None where it leaves all."""
        masks = [self._mask(self._holding(phrase)) for phrase in typed.phrases]
        masks += [~self._mask(self._holding(phrase)) for phrase in typed.unwanted]
        masks += [~self._mask(self.rows_on(site)) for site in typed.barred]
        if typed.sites:
            masks.append(self._mask(np.concatenate([self.rows_on(site) for site in typed.sites])))
        return reduce(np.logical_and, masks) if masks else None

    def _holding(self, phrase: Phrase) -> Rows:
        query = tantivy.Query.const_score_query(self.phrase(phrase), 1.0)
        n_found = int(getattr(self.searcher.search(query, 1), "count", 0))  # which the stubs leave out
        hits = self.searcher.search(query, max(n_found, 1), count=False).hits
        pages = cast(list[int], self.searcher.fast_field_values("page", [at for _, at in hits]))
        return np.array(pages, np.int64)

    def _mask(self, rows: Rows) -> Mask:
        mask = np.zeros(self.n_pages, np.bool_)
        mask[rows] = True
        return mask
