"""Correct misspelt words: find the nearest words that pages hold.

Nearness is the number of letters to insert, leave out, replace, or exchange with their neighbour (Damerau 1964). How
many may differ goes by length: none in words of one or two letters, one in words of three to five, two in longer ones
(Elasticsearch's fuzziness AUTO); two only where the first letter is right, as it is in most misspellings (Pollock and
Zamora 1984). Words with digits are not corrected: 1987 is not 1986 misspelt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tantivy

from worldforge.search.analysis import every_word

_FIELDS = ("title", "body")
_MOST = 3  # words that one is taken for
_ROUNDS = 6
_PAGES = 8  # looked through in a round
Read = Callable[[tantivy.DocAddress], str]
"""Gives the text of a document found."""


def nearest_words(word: str, searcher: tantivy.Searcher, schema: tantivy.Schema, read: Read) -> list[str]:
    """Return the words nearest to `word`, all stems, at most three: first letter right, in most pages, by name."""
    if not word.isalpha():
        return []
    for distance in range(1, 1 + (len(word) > 2) + (len(word) > 5)):
        found = set(_within(distance, word, searcher, schema, read))
        if distance > 1:
            found = {term for term in found if term[0] == word[0]}
        if found:
            frequency = {term: sum(searcher.doc_freq(field, term) for field in _FIELDS) for term in found}
            return sorted(found, key=lambda term: (term[0] != word[0], -frequency[term], term))[:_MOST]
    return []


def edits(one: str, other: str) -> int:
    """Return how many letters to insert, leave out, replace, or exchange with a neighbour turn one word into the other.

    The optimal string alignment distance: no stretch is edited twice.
    """
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]


def _within(distance: int, word: str, searcher: tantivy.Searcher, schema: tantivy.Schema, read: Read) -> Iterator[str]:
    """Give words within `distance`. The engine finds pages that hold one; what was read there is asked for no more."""
    alike = [tantivy.Query.fuzzy_term_query(schema, field, word, distance) for field in _FIELDS]
    clauses = [(tantivy.Occur.Should, query) for query in alike]
    seen: set[str] = set()
    for _ in range(_ROUNDS):
        hits = searcher.search(tantivy.Query.boolean_query(clauses), _PAGES, count=False).hits
        terms = {term for _, at in hits for term in every_word(read(at))} - seen
        near = {term for term in terms if abs(len(term) - len(word)) <= distance and edits(term, word) <= distance}
        if not near:
            return
        yield from near
        seen |= terms
        for field in _FIELDS:
            without = [tantivy.Query.term_query(schema, field, term, index_option="freq") for term in sorted(near)]
            clauses += [(tantivy.Occur.MustNot, query) for query in without]
