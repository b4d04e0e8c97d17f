"""A document of a form that the phrasebook gives: a programme, a ruling, a recipe card."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import capitalised, dated, relation_section, title_of
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrer_sections, related_section
from generators.pages.wordings import page_wordings
from worldforge.core.errors import InputError
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page
from worldforge.world.phrases import DocumentWordings, PartWordings


def document(page: Page, subject: Subject, *, form: str) -> Annotated[None, Layout(site="Papers", max_age=900)]:
    """Write a document; `form` names one of the phrasebook's documents."""
    wanted = _form(page, subject, form)
    page.title = title_of(page, subject, page.draws.pick(wanted.titles))
    page_top(page)
    page.heading(page.title)
    comma = "，" if page.language == "zh" else ", "
    page.fill(f"*{{site}}{comma}{{date}}*\n\n", site=page.site, date=dated(page.published, page.language))
    writer = ProseWriter(page, subject)
    told: set[str] = set()
    for number, part in enumerate(wanted.parts):
        if number == len(wanted.parts) - 1 and writer.remaining and part.facts == ():
            writer.tell_by_theme()  # what no part has taken
        _write_part(page, subject, writer, part, told)
    if writer.remaining:
        writer.tell_by_theme()
    for relation in subject.relations:
        if relation.key not in told:
            relation_section(page, writer, relation)
    referrer_sections(page, writer)
    related_section(page, writer, page_wordings(page).document.related)
    elsewhere(page, writer, page_wordings(page).news.elsewhere)
    page.line(page.draws.pick(page_wordings(page).document.closings), site=page.site)
    page_bottom(page)


def _write_part(page: Page, subject: Subject, writer: ProseWriter, part: PartWordings, told: set[str]) -> None:
    keys = list(writer.remaining) if part.facts is None else [key for key in part.facts if key in writer.remaining]
    relations = [one for one in subject.relations if one.key == part.rows and one.rows]
    if (part.facts != () or part.rows) and not keys and not relations:
        return
    if part.headings and not relations:
        page.heading(capitalised(page.draws.pick(part.headings)), level=2)
    writer.say_one_of(part.texts)
    writer.tell(keys, voice="talk" if part.voice == "talk" else "sentences")
    if keys:
        writer.filler(0.7)
    writer.end_paragraph()
    for relation in relations:
        title = page.draws.pick(part.headings) if part.headings else relation.title
        relation_section(page, writer, relation, title=title)
        told.add(relation.key)


def _form(page: Page, subject: Subject, form: str) -> DocumentWordings:
    """Return the wordings of a form. Raises InputError where the phrasebook has no such form for the subject."""
    forms = page.phrases.documents if page.phrases is not None else {}
    if form not in forms or forms[form].about != subject.type:
        known = ", ".join(key for key, one in forms.items() if one.about == subject.type)
        raise InputError(
            f"`form: {form}` is no document about `{subject.type}`", f"the phrasebook has {known or 'none'}"
        )
    return forms[form]
