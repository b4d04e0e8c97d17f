"""The pages of a site's map: a root with a section a kind of page, and pages of their own for long sections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from worldforge.builders.pages.list_pages import by_name
from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.core.arrays import Integers

if TYPE_CHECKING:
    from worldforge.builders.pages.kind_outline import KindOutline

_MOST_ON_ROOT = 24  # links of a section
_PAGE_SIZE = 200


@dataclass(frozen=True, slots=True)
class SectionPages:
    """The pages of a kind that a map links to, by number within the kind and in the order of their names.

    Of lists and of pages in parts those are the first pages, which lead on.
    """

    key: str
    pages: Integers
    first_page: int
    """The page of the map on which its links begin: 0 for the root."""


@dataclass(frozen=True, slots=True)
class SiteMapPages:
    """The pages of a map. Page 0 is the root; page i holds the links `start[i]` to `end[i]` of a section."""

    sections: tuple[SectionPages, ...]
    section: Integers
    start: Integers
    end: Integers

    def __len__(self) -> int:
        return len(self.section)


def site_map_pages(host: str, kinds: Iterable[KindOutline], written: RenderedTables) -> SiteMapPages:
    """Lay out the map of a site, whose pages are of those `kinds` that stand on its host."""
    sections: list[SectionPages] = []
    stretches = [(-1, 0, 0)]
    for outlined in kinds:
        if outlined.site.host != host or not len(outlined) or outlined.layout.site_map:
            continue
        pages = _in_order(outlined, written)
        on_root = len(pages) <= _MOST_ON_ROOT
        if not on_root:
            starts = range(0, len(pages), _PAGE_SIZE)
            stretches += [(len(sections), start, min(start + _PAGE_SIZE, len(pages))) for start in starts]
            first_page = len(stretches) - len(starts)
        sections.append(SectionPages(outlined.key, pages, 0 if on_root else first_page))
    section, start, end = np.array(stretches, np.int64).T
    return SiteMapPages(tuple(sections), section, start, end)


def _in_order(outlined: KindOutline, written: RenderedTables) -> Integers:
    if outlined.lists is not None:
        return np.flatnonzero(outlined.lists.number == 1)
    heads = np.arange(outlined.n_heads)
    place = np.empty(written.tables[outlined.kind.about].n_rows, np.int64)
    place[by_name(written, outlined.kind.about)] = np.arange(len(place))
    return heads[np.argsort(place[outlined.about[heads]], kind="stable")]
