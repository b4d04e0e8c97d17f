"""Three scripted players that read no sentence, each given the question, the search tool or the pages, and no more.

largest_table   searches the question, opens the first pages, and answers from their best matching table
scraper         searches and follows lists of what is asked for, and takes what the form of 50 calls' pages gives away
crawler         takes that of every page, without a budget, and what patterns around known values give in sentences

None sees mentions, tables of the world, gold, or the kinds of its pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from benchmarks._reading.harvest import Anchors, Records, WebPage
from benchmarks._reading.page_lines import TABLE, cells, lines, links
from benchmarks._reading.question_terms import alike, share_in
from benchmarks._reading.record_answers import Question, RecordAnswers, as_table
from benchmarks._reading.sentence_patterns import SentencePatterns
from benchmarks._reading.stated_facts import as_label
from worldforge.search.search_index import SearchIndex

CALLS = 50
"""Searches and pages that `scraper` may ask for."""
TOP_PAGES = 10

Player = Callable[[Question], str]


def largest_table(index: SearchIndex) -> Player:
    """Return the player that answers with a table as it is."""

    def play(question: Question) -> str:
        tables = [table for page in _found(index, question) for table in _tables(page)]
        if not tables:
            return as_table(question.labels, [])
        words = set(re.findall(r"\w+", question.body.lower()))

        def fit(table: WebPage) -> tuple[float, int, int]:
            head, *rows = [cells(row) for row in table.text.split("\n")]
            wanted = sum(max(alike(label, own) for own in head) for label in question.labels)
            named = len(words & set(re.findall(r"\w+", f"{table.title} {table.text}".lower())))
            return round(wanted, 1), named, len(rows)

        return _harvested([max(tables, key=fit)], question.labels[:1]).answer(question)

    return play


def _found(index: SearchIndex, question: Question) -> list[WebPage]:
    """Return the first pages for a question's words, and for the names of the columns that it wants."""
    hits = index.search(question.body[:400], TOP_PAGES) + index.search(" ".join(question.labels), TOP_PAGES)
    return [page for url in dict.fromkeys(hit.url for hit in hits) if (page := _opened(index, url))]


def _opened(index: SearchIndex, url: str) -> WebPage | None:
    page = index.page(url)
    return WebPage(page.url, page.title, str(page.published or ""), page.text) if page else None


def _tables(page: WebPage) -> list[WebPage]:
    """Return the tables of a page, each as a page of its own."""
    blocks = [list(block) for form, block in groupby(lines(page.text), key=lambda line: line.form) if form == TABLE]
    return [replace(page, text="\n".join(line.text for line in block)) for block in blocks if len(block) > 2]


def scraper(index: SearchIndex, calls: int = CALLS) -> Player:
    """Return the player that takes boxes, tables and lists of as many pages as it may open."""

    def play(question: Question) -> str:
        pages = _scraped(index, question, calls)
        return _harvested(pages, question.labels[:1]).answer(question)

    return play


def _scraped(index: SearchIndex, question: Question, calls: int) -> list[WebPage]:
    """Search for what is asked for and open the best pages, lists and tables of it first, then what they link to."""
    noun, left = question.labels[0], calls
    queries = [question.body[:400], f"{noun} {' '.join(question.labels[1:])}", f"{noun} list", *_names_in(question)]
    waiting: dict[str, float] = {}
    for query in list(dict.fromkeys(queries))[: max(1, calls // 8)]:
        left -= 1
        for place, hit in enumerate(index.search(query, 10)):
            score = 2 * share_in(noun, hit.title) + share_in(noun, hit.snippet) + 1 / (place + 2)
            waiting[hit.url] = max(waiting.get(hit.url, 0.0), score)
    opened: dict[str, WebPage | None] = {}
    while left > 0 and (urls := [url for url in waiting if url not in opened]):
        url = max(urls, key=lambda one: waiting[one])
        page, left = _opened(index, url), left - 1
        opened[url] = page
        listed = share_in(noun, page.title) if page else 0.0
        for text, target in links(page.text) if page else []:
            score = 1.5 * share_in(noun, text) + (1.2 if listed > 0.9 else 0.2) + share_in(text, question.body)
            waiting[target] = max(waiting.get(target, 0.0), score)
    return [page for page in opened.values() if page]


def _names_in(question: Question) -> list[str]:
    """Return queries of the names in a question beside what is asked for: capitalised words inside its sentences."""
    names = re.findall(r"(?<=[a-z,“] )[A-Z][\w'’-]+(?: (?:[A-Z&][\w'’-]*|of|and|the)(?= |[.,?]))*", question.body)
    names += re.findall(r"(?:为|是|以|在)([㐀-鿿]{2,8}?)(?=的|为|，|。|且)", question.body)
    return [f"{name} {question.labels[0]}" for name in names[:3]]


def crawler(pages: Sequence[WebPage], questions: Iterable[Question] = (), *, learn: bool = True) -> Player:
    """Return the player that takes the form of every page, and learns patterns from them.

    It looks at all questions first, for the kinds of name that they ask for.
    """
    return _harvested(pages, [question.labels[0] for question in questions], learn=learn).answer


def _harvested(pages: Iterable[WebPage], nouns: Iterable[str], *, learn: bool = False) -> RecordAnswers:
    own = list(pages)
    records = Records(Anchors(own), wanted=frozenset(as_label(noun) for noun in nouns))
    for page in own:
        records.harvest(page)
    if learn:
        SentencePatterns(records, own).fill()
    return RecordAnswers(records)
