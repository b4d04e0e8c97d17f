"""Checks on the addresses in texts, where not all of them are pages' own: left ones lead on, others lead nowhere."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter
from worldforge.world.parquet_reader import Table, parts
from worldforge.world.passages import Positions
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import REDIRECTS

_PAGES_AT_ONCE = 20_000  # whose texts are taken apart together, so that memory does not grow with their number


def check_addresses(tally: CheckCounter, pages: Table, links: Table, redirects: pa.Table | None) -> None:
    """Check left addresses, and that the links of each page's text lead where links on file say, page by page.

    `tally` counts what is checked and what failed.
    """
    left = redirects if redirects is not None else REDIRECTS.empty_table()
    tally.checked(left.num_rows)
    _check_left(tally, pages, left)
    urls = pa.concat_arrays([pages["url"].combine_chunks(), left["url"].combine_chunks()])
    rows = np.concatenate([np.arange(pages.num_rows), rows_of(left["target"])])
    source, target = rows_of(links["source"]), rows_of(links["target"])
    last = 0
    for part in parts(pages, ["text"], _PAGES_AT_ONCE):
        first, last = last, last + part.num_rows
        page, address = _addresses(part["text"].combine_chunks())
        own = np.flatnonzero((source >= first) & (source < last))
        found = pc.fill_null(pc.index_in(address, value_set=urls), -1).to_numpy()
        led = np.where(found >= 0, rows[found], -1)
        wrong = _pages_that_differ((page + first, led), (source[own], target[own]))
        shown = [f"page/{row:06d} has links that do not lead where they do on file" for row in wrong[:MOST_SHOWN]]
        tally.failed(shown, len(wrong))


def _check_left(tally: CheckCounter, pages: Table, left: pa.Table) -> None:
    counted = pc.value_counts(left["url"].combine_chunks()).to_pylist()
    tally.failed(f"the address {one['values']} leads on {one['counts']} times" for one in counted if one["counts"] > 1)
    for column, known, what in (("target", "id", False), ("url", "url", True)):
        there = pc.is_in(left[column].combine_chunks(), value_set=pages[known].combine_chunks())
        lost = left.filter(there if what else pc.invert(there)).to_pylist()
        said = "is that of a page" if what else "leads to a page that is not there"
        tally.failed(f"the address {one['url']}, which {one['target']} has left, {said}" for one in lost)


def _addresses(texts: pa.Array) -> tuple[Positions, pa.Array]:
    """Return the addresses that texts link to, in order, and which text each stands in."""
    pieces = pc.split_pattern(texts, "](http")
    row = pc.list_parent_indices(pieces).to_numpy()
    after = np.diff(row, prepend=-1) == 0  # not the piece before a text's first link
    begun = pc.list_flatten(pieces).filter(pa.array(after))
    rest = pc.list_element(pc.split_pattern(begun, ")", max_splits=1), 0)
    return row[after], pc.binary_join_element_wise("http", rest, "")


def _pages_that_differ(one: tuple[Positions, Positions], other: tuple[Positions, Positions]) -> list[int]:
    """List the pages whose targets differ between two sets of links, each a column of pages and one of targets."""
    first, second = (np.sort((page << 32) | (target + 1)) for page, target in (one, other))
    differ = first[first != second] if len(first) == len(second) else np.setxor1d(first, second)
    pages: list[int] = np.unique(differ >> 32).tolist()
    return pages
