"""What the pages of a site's map link to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worldforge.builders.pages.page_facts import PageFacts
from worldforge.builders.pages.site_maps import SectionPages
from worldforge.schema.translations import plural_of
from worldforge.world.page_inputs import NAVIGATION, MapSection, SiteMap, Value


@dataclass(frozen=True, slots=True)
class SiteMapFacts(PageFacts):
    """Gives the generator of a site's map its links."""

    def pages_of_map(self, low: int, high: int) -> list[SiteMap]:
        """Return the pages `low` to `high` (not included) of the map of a site."""
        pages = self.pages.site_map
        assert pages is not None
        found = []
        for page in range(low, high):
            place, start, end = (int(column[page]) for column in (pages.section, pages.start, pages.end))
            if page == 0:
                found.append(SiteMap([self._section(one) for one in pages.sections], None, 1, 1, None, None))
                continue
            first = pages.sections[place].first_page
            of = int((pages.section == place).sum())
            before = page - 1 if page > first else -1
            after = page + 1 if page - first + 1 < of else -1
            previous, following = (
                self._to_part(words, np.array([other]))[0]
                for words, other in (("Previous page", before), ("Next page", after))
            )
            section = self._section(pages.sections[place], slice(start, end))
            found.append(SiteMap([section], self._map_of_site(), page - first + 1, of, previous, following))
        return found

    def _section(self, section: SectionPages, part: slice | None = None) -> MapSection:
        """Return a section of the map with links to a part of its pages; on the root to all, if they stand there."""
        (kind,) = (one for one in self.outline.kinds if one.key == section.key)
        if part is None:
            part = slice(0, 0) if section.first_page else slice(None)
        targets = kind.first + section.pages[part]
        links = [
            Value(text, NAVIGATION, target=target)
            for text, target in zip(self._called_elsewhere(targets), targets.tolist(), strict=True)
            if text is not None
        ]
        plural = plural_of(self.pages.page_language.spec, kind.kind.about)
        to_pages = self.pages.first + section.first_page
        return MapSection(
            plural=plural,
            sort=kind.kind.generator.replace(":", ".").rpartition(".")[2],
            is_list=kind.lists is not None,
            n_pages=len(section.pages),
            links=links,
            first=Value(plural, NAVIGATION, target=to_pages) if section.first_page else None,
        )
