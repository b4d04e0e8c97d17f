"""An encyclopedia's article: at times a small infobox, a lead, a section a theme, what relations tell."""

from __future__ import annotations

from typing import Annotated

from generators.pages.layout import bullet_links, dated, infobox, relation_section, voices, with_name_marks
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrer_sections, related_section
from generators.pages.wordings import Wordings, page_wordings
from worldforge.core.english import with_article
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_MOST_EXTERNAL = 4  # links to other sites


def encyclopedia(
    page: Page, subject: Subject
) -> Annotated[None, Layout(path="/wiki/{name}", site="Encyclopedia", max_age=900, article=True, introduces=True)]:
    """Write an article: every fact in its prose, some of those that may stand in tables in an infobox as well."""
    words = page_wordings(page)
    bank, draws = words.encyclopedia, page.draws
    page.heading("{title}", title=subject.title)
    writer = ProseWriter(page, subject, linked=False)
    infobox(page, subject)
    if not writer.lead() and (writer.words is None or not writer.remaining):
        _lead(page, subject, words)
    if subject.original is not None:
        page.say(bank.original_name, original=subject.original)
    if subject.aliases:
        page.say(draws.pick(bank.other_names), kind=subject.label, name=subject.name, also=subject.aliases)
    writer.filler(0.5)
    writer.tell_by_theme(level=2)
    for relation in subject.relations:
        relation_section(page, writer, relation)
    referrer_sections(page, writer)
    related_section(page, writer, bank.related)
    voices(page, writer, bank.reception)
    elsewhere(page, writer, bank.comparable)
    bullet_links(page, bank.see_also, [*subject.see_also(), *page.more])
    page.heading(bank.sources_heading, level=2)
    page.write(draws.pick(bank.sources), "\n\n")
    external = subject.other_pages()
    first = page.number % max(len(external), 1)  # drawn, a page more about the subject would change what follows
    bullet_links(page, bank.external, [*external[first:], *external[:first]][:_MOST_EXTERNAL], subject.addresses)
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), site=page.site)


def _lead(page: Page, subject: Subject, words: Wordings) -> None:
    a_label = with_article(subject.label) if words.space else subject.label
    template = with_name_marks(page, subject, page.draws.pick(words.encyclopedia.bare_leads))
    page.say(template, name=subject.name, a_label=a_label, plural=subject.plural)
