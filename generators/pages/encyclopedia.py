"""An encyclopedia's article: infobox, lead, prose, a table for each relation, where to read on."""

from __future__ import annotations

from typing import Annotated

from generators.pages.fact_sentences import tell
from generators.pages.layout import bullet_links, capitalised, dated, dealt, relation_table
from generators.pages.wordings import Wordings, wordings
from worldforge.core.english import with_article
from worldforge.world.page_writer import Fact, Layout, Page, Subject

_PROSE_SHARE = 0.8  # of the facts in the infobox, those that the prose states again


def encyclopedia(
    page: Page, subject: Subject
) -> Annotated[None, Layout(path="/wiki/{name}", site="Encyclopedia", max_age=900, article=True, introduces=True)]:
    """Write an article: each fact in the infobox, most of them in the prose as well."""
    words = wordings(page.language)
    bank, draws, facts = words.encyclopedia, page.draws, subject.facts
    page.heading("{title}", title=subject.title)
    infobox = [(capitalised(attribute.label), value) for attribute, value in facts]
    page.table([capitalised(subject.label), subject.name.text], infobox)
    reference = next((fact for fact in facts if fact.attribute.refers and not fact.attribute.sentences), None)
    first, second = dealt(page, [fact for fact in facts if fact is not reference], _PROSE_SHARE)
    _lead(page, subject, reference, words)
    if subject.aliases:
        page.say(draws.pick(bank.other_names), kind=subject.label, name=subject.name, also=subject.aliases)
    for fact in first:
        tell(page, subject, fact)
    page.heading(draws.pick(bank.headings), level=2)
    page.say(draws.pick(bank.openings))
    for fact in second:
        tell(page, subject, fact)
    page.say(draws.pick(bank.closings))
    page.end_paragraph()
    for relation in subject.relations:
        relation_table(page, relation)
    bullet_links(page, bank.see_also, subject.see_also())
    page.heading(bank.sources_heading, level=2)
    page.write(draws.pick(bank.sources), "\n\n")
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), site=page.site)


def _lead(page: Page, subject: Subject, reference: Fact | None, words: Wordings) -> None:
    bank = words.encyclopedia
    a_label = with_article(subject.label) if words.space else subject.label
    templates = bank.bare_leads if reference is None else bank.leads
    template = page.draws.pick(templates)
    if subject.original is not None:
        template = template.replace("**{name}**", "**{name}**" + bank.original.replace("{name}", "{original}"))
    label, value = (reference.attribute.label, reference.value) if reference is not None else ("", None)
    page.say(
        template,
        name=subject.name,
        original=subject.original,
        a_label=a_label,
        plural=subject.plural,
        reference=label,
        value=value,
    )
