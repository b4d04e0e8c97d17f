"""The pages of one kind: what each is about, where they stand, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from worldforge.builders.pages.fact_homes import FactHomes
from worldforge.builders.pages.list_pages import Lists
from worldforge.builders.pages.page_copies import ArchivedPages, CopiedPages
from worldforge.builders.pages.page_languages import PageLanguage
from worldforge.builders.pages.page_parts import PageParts
from worldforge.builders.pages.page_urls import SiteAddress
from worldforge.builders.pages.site_maps import SiteMapPages
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import Layout


@dataclass(frozen=True, slots=True)
class KindOutline:
    """The pages of one kind. `about` holds the row that each page is about: of its entity, or of its list's group.

    Copies are about what their originals are about; the pages of a map are about nothing, and hold zeros.
    """

    key: str
    kind: PageKind
    layout: Layout
    site: SiteAddress
    stream: Stream
    first: int
    about: Integers
    lists: Lists | None
    page_language: PageLanguage
    copied: CopiedPages | None = None
    parts: PageParts | None = None
    site_map: SiteMapPages | None = None
    archived: ArchivedPages | None = None
    homes: FactHomes = field(default_factory=FactHomes)
    rows: Integers | None = None
    """The row of a relation (`kind.rows`) that each page is about; `about` then holds the entity at one end of it."""

    def __len__(self) -> int:
        return len(self.about)

    @property
    def worded_as(self) -> str:
        """The kind whose words, labels and style the pages have: their own, or that of which they are archived."""
        return self.key if self.archived is None else self.archived.of

    @property
    def numbers(self) -> Integers:
        """What chance knows each page by: the row that it is about, or its place among lists."""
        if self.lists is not None:
            return np.arange(len(self.about))
        return self.about if self.rows is None else self.rows

    @property
    def n_heads(self) -> int:
        """How many of the pages, the first ones, are no later parts of others."""
        return len(self) if self.parts is None else self.parts.n_heads
