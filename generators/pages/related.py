"""What a page tells of entities that its subject's facts name, and of those whose facts name it.

A page about a song tells of its composer; a page about a war, of its battles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from generators.pages.layout import new_heading
from generators.pages.prose_writer import LEAST_REPEATED, ProseWriter, Voice, is_part
from worldforge.world.page_inputs import Subject
from worldforge.world.page_writer import Page

_NAMED, _NAMING = 1, 0.25
"""Entities that name a page's subject: how many paragraphs about them begin with that, and the share of the others."""
_SIMILAR, _SIMILAR_FACTS = {"en": (4, 6), "zh": (8, 10)}, {"en": (4, 9), "zh": (7, 12)}
"""By language, least and most: similar entities on a page, and facts of each. Chinese sentences are shorter."""
_LEAST_SENTENCES = 2  # about a similar entity, for a paragraph of its own
_COMPARED = 0.5  # of the similar entities, those of which a page says how they differ from its own


def related_section(page: Page, writer: ProseWriter, headings: Sequence[str]) -> None:
    """Tell some facts of each entity that the subject refers to under a heading; nothing where none are known."""
    others = list(_referred(page, writer))
    if others:
        page.heading(page.draws.pick(headings), level=2)
        for other in others:
            tell_other(page, other, page.draws.integer(5, 10))


def related(page: Page, writer: ProseWriter, most: int = 2) -> None:
    """Tell some facts of up to `most` entities that the subject refers to, a paragraph each."""
    for other in list(islice(_referred(page, writer), most)):
        tell_other(page, other, page.draws.integer(4, 8))


def referrer_sections(page: Page, writer: ProseWriter) -> None:
    """Tell some facts of each entity that refers to the subject, under a heading for each column."""
    for one in writer.subject.referrers():
        entities = [entity for entity in one.entities if is_new(page, entity)]
        if entities:
            new_heading(page, one.plural, 2)
            for number, entity in enumerate(entities):
                tell_referrer(page, entity, one.column, number)


def referrers(page: Page, writer: ProseWriter, most: int, level: int | None = None) -> None:
    """Tell some facts of up to `most` entities of a sort that refer to the subject, a paragraph each.

    Each sort stands under a heading where `level` is given.
    """
    for one in writer.subject.referrers():
        entities = list(islice((entity for entity in one.entities if is_new(page, entity)), most))
        if entities and level is not None:
            new_heading(page, one.plural, level)
        for number, entity in enumerate(entities):
            tell_referrer(page, entity, one.column, number)


def tell_referrer(page: Page, entity: Subject, column: str, number: int) -> None:
    """Tell some facts of an entity whose `column` names the page's subject, at place `number` under their heading.

    The first entity's paragraph begins with that column; most of the others leave it out, as the heading says it.
    """
    if names_subject(page, number):
        tell_other(page, entity, page.draws.integer(4, 8), naming=column)
    else:
        tell_other(page, entity, page.draws.integer(4, 8), without=column)


def names_subject(page: Page, number: int) -> bool:
    """Draw whether what is told of the entity at place `number` under a heading is to name the page's subject."""
    return number < _NAMED or page.draws.chance(_NAMING)


def told_rows(page: Page, writer: ProseWriter, most: int, level: int | None = None) -> None:
    """Tell up to `most` rows of each relation that a long document may state of the subject.

    Each relation stands under a heading where `level` is given.
    """
    for relation in writer.subject.history():
        if writer.has_wordings_for(relation):
            if level is not None:
                writer.head(relation.title, level)
            writer.tell_rows(relation, relation.rows[:most])


def elsewhere(page: Page, writer: ProseWriter, headings: Sequence[str]) -> None:
    """Tell something of entities that are like the subject under a heading; nothing where there is nothing to tell."""
    n = page.draws.integer(*_SIMILAR[page.language])
    others = [other for other in writer.subject.similar() if is_new(page, other)][:n]
    if others:
        page.heading(page.draws.pick(headings), level=2)
    for other in others:
        if is_new(page, other):
            page.others.add((other.type, other.row))
            own = ProseWriter(page, other, among_others=True)
            keys = _some(page, own, page.draws.integer(*_SIMILAR_FACTS[page.language]))
            if not own.introduce():
                own.tell_in_one_sentence(page.draws.shuffled(list(_predicated(page, other))))
            own.tell(keys)
            if page.draws.chance(_COMPARED):
                own.compare_with(writer)
            if own.n_sentences >= _LEAST_SENTENCES:
                own.end_paragraph()
    page.end_paragraph()


def tell_new(page: Page, other: Subject | None, n: int) -> bool:
    """Tell up to `n` facts of an entity of which the page has told nothing; return whether it could."""
    if other is None or not is_new(page, other):
        return False
    tell_other(page, other, n)
    return True


def told_by(page: Page, writer: ProseWriter) -> Sequence[Subject]:
    """Return entities that have to do with the subject, or are like it, of which the page can tell something."""
    named = [one for found in writer.subject.referrers() for one in found.entities[:3]]
    others = [*_referred(page, writer), *named, *writer.subject.similar()]
    return [one for one in others if is_new(page, one)]


def _referred(page: Page, writer: ProseWriter) -> Iterator[Subject]:
    """Yield what the subject's facts name and of which this page has told nothing."""
    found = set()
    for attribute, _ in writer.subject.facts:
        other = writer.subject.other(attribute.key) if attribute.refers else None
        if other is not None and is_new(page, other) and (other.type, other.row) not in found:
            found.add((other.type, other.row))
            if (other.type, other.row) != (writer.subject.type, writer.subject.row):
                yield other


def _some(page: Page, writer: ProseWriter, n: int) -> list[str]:
    """Draw `n` columns of those that remain to be told, theme by theme, and in their order: a birth before a death."""
    counting = [key for key, value in writer.remaining.items() if value.text[:1] != "0"]  # a zero is no news of others
    drawn = set(page.draws.sampled(counting or list(writer.remaining), n))
    texts = [(key, text) for key in drawn if len(text := writer.remaining[key].text) >= LEAST_REPEATED]
    drawn -= {key for key, text in texts if any(is_part(text, other) for _, other in texts)}
    themes = writer.words.theme_of if writer.words is not None else {}
    return sorted((key for key in writer.remaining if key in drawn), key=lambda key: themes.get(key, len(themes)))


def is_new(page: Page, other: Subject) -> bool:
    """Say whether the page can tell something of an entity, and has told nothing."""
    if page.phrases is None or other.type not in page.phrases.types or (other.type, other.row) in page.others:
        return False
    return any(_predicated(page, other))


def _predicated(page: Page, other: Subject) -> Iterator[str]:
    """Yield the columns of an entity's facts that the phrasebook has predicates for."""
    words = page.phrases.types[other.type].attributes if page.phrases is not None else {}
    for attribute, value in zip(other.attributes, other.values, strict=True):
        if value is not None and (own := words.get(attribute.key)) is not None and own.says:
            yield attribute.key


def tell_other(
    page: Page, other: Subject, n: int, voice: Voice = "sentences", naming: str = "", without: str = ""
) -> None:
    """Tell up to `n` facts of an entity in a paragraph that names it first, and says what it is where that is known.

    Where its column `naming` names what the page is about, the paragraph begins with that. The column `without` is
    left out where there is another.
    """
    page.others.add((other.type, other.row))
    writer = ProseWriter(page, other, linked=False, among_others=True)
    predicated = page.draws.shuffled(list(_predicated(page, other)))
    if without in predicated and len(predicated) > 1:
        predicated.remove(without)
        del writer.remaining[without]
    if naming in predicated:
        writer.tell_in_one_sentence([naming, *(key for key in predicated if key != naming)])
    elif not writer.introduce():
        writer.tell_in_one_sentence(predicated)
    writer.tell(_some(page, writer, n), voice=voice)
    writer.end_paragraph()
