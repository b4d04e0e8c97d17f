"""A site map: what pages the site has, kind by kind, with links to all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

from generators.pages.furniture import page_top
from generators.pages.layout import capitalised, dated, page_links
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, MapSection, SiteMap, Value
from worldforge.world.page_writer import Page

_LAYOUT = Layout(path="/site-map/{name}", max_age=30, site_map=True, relations=False)


def site_map(page: Page, part: SiteMap) -> Annotated[None, _LAYOUT]:
    """Write a page of the map: on the root a heading a type of entities, below it what pages there are about these."""
    words = page_wordings(page)
    bank, draws = words.site_map, page.draws
    page_top(page)
    if part.root is not None:
        (section,) = part.sections
        numbered = words.page if part.of > 1 else ""
        title = f"{bank.title}{bank.colon}{_called(section, page)}"
        page.heading(title + numbered, number=str(part.number), of=str(part.of))
        _links(page, section.links)
        page.write("\n")
        page_links(page, part)
        page.write(part.root, "\n\n")
    else:
        page.heading(f"{bank.title}{bank.colon}{{site}}", site=page.site)
        page.say(draws.pick(bank.openings), site=page.site, date=dated(page.published, page.language))
        page.end_paragraph()
        for plural, sections in _by_type(part.sections):
            page.heading(capitalised(plural), level=2)
            for section in sections:
                _entry(page, section)
            page.write("\n")
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), site=page.site)


def _by_type(sections: Sequence[MapSection]) -> Iterator[tuple[str, Sequence[MapSection]]]:
    """Yield what entities are called, and the sections about them: pages about each first, then lists."""
    order = {plural: place for place, plural in enumerate(dict.fromkeys(one.plural for one in sections))}
    ordered = sorted(sections, key=lambda one: (order[one.plural], one.is_list))
    for plural, own in groupby(ordered, lambda one: one.plural):
        yield plural, list(own)


def _entry(page: Page, section: MapSection) -> None:
    """Write a line of the root: links to the pages of a section, or to the page where these begin."""
    bank = page_wordings(page).site_map
    called = capitalised(vars(bank.sorts).get(section.sort, section.plural))
    if section.first is not None:
        page.fill(bank.counted, link=section.first._replace(text=called), number=f"{section.n_pages:,}")
    elif section.is_list:
        _links(page, section.links)
    else:
        page.write("- ", called, bank.colon)
        page.write(*[part for link in section.links for part in (bank.between, link)][1:], "\n")


def _links(page: Page, links: Sequence[Value]) -> None:
    for link in links:
        page.write("- ", link, "\n")


def _called(section: MapSection, page: Page) -> str:
    """Return what the pages of a section are called: `Football clubs: interviews`."""
    bank, plural = page_wordings(page).site_map, capitalised(section.plural)
    sort = vars(bank.sorts).get(section.sort, "")
    return f"{plural}{bank.colon}{sort}" if sort else plural
