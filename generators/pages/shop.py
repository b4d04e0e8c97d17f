"""A shop's listing: what it costs, how it is had, a table of what is told of it, offers and the like in tables."""

from __future__ import annotations

from typing import Annotated

from generators.pages.layout import bullet_links, capitalised, dated, relation_section, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.wordings import page_wordings
from worldforge.core.columns import StatedColumn
from worldforge.core.errors import InputError
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page


def shop(
    page: Page, subject: Subject, *, price: StatedColumn | None = None
) -> Annotated[None, Layout(path="/shop/{kind}/{name}", site="Shop", max_age=240)]:
    """Write a listing; `price` names the column that stands on top, before all others."""
    bank, draws = page_wordings(page).shop, page.draws
    page.heading("{name}", name=subject.name)
    if price is not None:
        _price(page, subject, price)
    page.say(with_articles(page, subject, draws.pick(bank.blurbs)), name=subject.linked_name, plural=subject.plural)
    page.end_paragraph()
    page.say(draws.pick(bank.ways))
    page.end_paragraph()
    writer = ProseWriter(page, subject)
    others = [(capitalised(a.label), value) for a, value in subject.facts if a.key != price and a.is_open]
    if others:
        page.heading(draws.pick(bank.specifications), level=2)
        page.table([bank.feature, bank.detail], others)
    writer.filler()
    writer.tell([a.key for a, _ in subject.facts if a.key != price and not a.is_open])
    writer.filler(0.5)
    writer.end_paragraph()
    for relation in subject.relations:
        relation_section(page, writer, relation)
    bullet_links(page, draws.pick(bank.also), [*subject.see_also(), *page.more])
    page.say(draws.pick(bank.services))
    page.end_paragraph()
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), site=page.site)


def _price(page: Page, subject: Subject, key: str) -> None:
    """Write what the listing costs. Raises InputError where the pages do not state it."""
    for attribute, value in zip(subject.attributes, subject.values, strict=True):
        if attribute.key == key:
            page.fill(page.draws.pick(page_wordings(page).shop.prices), label=capitalised(attribute.label), value=value)
            return
    known = ", ".join(attribute.key for attribute in subject.attributes)
    raise InputError(f"`price: {key}` is no column that the listing states", f"it states {known}")
