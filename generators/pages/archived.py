"""An archived copy: a page as its site had it years ago, below a note of the archive that keeps it."""

from __future__ import annotations

from typing import Annotated

from generators.pages.layout import dated
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import ArchivedPage, Layout
from worldforge.world.page_writer import Page


def archived(page: Page, copy: ArchivedPage) -> Annotated[None, Layout(path="/copies/{name}", site="Web Archive")]:
    """Write the archive's note and the page as it was then: what it states was so on its day."""
    day, note = dated(page.published, page.language), page.draws.pick(page_wordings(page).archived.notes)
    page.fill(note + "\n\n", date=day, archive=copy.archive, live=copy.live)
    copy.write(page)
