"""An interview: a few words on what it is about, then questions, and answers that hold the facts."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import comments, page_bottom, page_top
from generators.pages.layout import capitalised, dated, title_of, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrers, related
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page


def interview(page: Page, subject: Subject) -> Annotated[None, Layout(site="Talk", max_age=800, relations=False)]:
    """Write an interview with somebody who knows the subject."""
    bank, draws = page_wordings(page).interview, page.draws
    voices = page.phrases.voices if page.phrases is not None and page.phrases.voices else bank.voices
    voice = draws.pick(voices)
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    page.fill(bank.byline, site=page.site, date=dated(page.published, page.language))
    writer = ProseWriter(page, subject)
    writer.lead()
    writer.filler()
    page.say(with_articles(page, subject, draws.pick(bank.intros)), voice=voice, name=subject.called.text)
    writer.end_paragraph()
    hedges, probes, prompts = (draws.shuffled(one) for one in (bank.hedges, bank.probes, bank.prompts))
    keys = draws.shuffled(list(writer.remaining))
    for number, key in enumerate(keys):
        if key not in writer.remaining:
            continue
        question = writer.question_of(key)
        prompt = prompts.pop() if prompts and (question is None or draws.chance(0.15)) else None
        if question is not None or prompt is not None:
            page.write("**", page.site, bank.colon, "**", bank.gap)
            page.say_parts([prompt] if prompt is not None else question or ())
            page.end_paragraph()
            page.write("**", capitalised(voice), bank.colon, "**", bank.gap)
        if hedges and draws.chance(0.3):
            page.say(hedges.pop())
        writer.tell([key], voice="talk")
        writer.filler(0.3)
        writer.end_paragraph()
        if number % 3 == 2 and probes:
            quoted = writer.quote()
            if quoted is not None:
                page.write("**", page.site, bank.colon, "**", bank.gap, probes.pop(), "\n\n")
                page.write("**", capitalised(voice), bank.colon, "**", bank.gap, quoted[0].rstrip(".。"), bank.stop)
                page.write("\n\n")
    page.line(draws.pick(bank.closings))
    referrers(page, writer, 4, level=2)
    related(page, writer)
    elsewhere(page, writer, page_wordings(page).news.elsewhere)
    comments(page, writer)
    page_bottom(page)
