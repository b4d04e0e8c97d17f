"""Which pages a query leaves at all: those that hold its phrases, stand on its sites, and hold nothing unwanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import cast

import numpy as np
import numpy.typing as npt
import tantivy

from worldforge.search.parsed_query import ParsedQuery, Phrase

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Filters:
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
