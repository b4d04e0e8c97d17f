"""From a query taken apart to what the engine is asked. Punctuation fails nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import tantivy

from worldforge.search.ranking import Ranking
from worldforge.search.typed import Phrase, Typed

_SHOULD, _MUST, _MUST_NOT = tantivy.Occur.Should, tantivy.Occur.Must, tantivy.Occur.MustNot
_Frequencies = dict[str, tuple[int, int]]
"""How many pages hold a term in the title, and how many in the body."""
_WORDS, _CJK = ("title", "body"), ("cjk_title", "cjk_body")
Nearest = Callable[[str], list[str]]
"""Gives the words on pages that a word on no page may have been meant for."""
OnSite = Callable[[str], tantivy.Query]
"""Gives the query for the pages of a site."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What the engine is asked, and the terms that a snippet shows."""

    query: tantivy.Query
    terms: list[str]


@dataclass(frozen=True)
class Asker:
    """Puts queries to one index."""

    searcher: tantivy.Searcher
    schema: tantivy.Schema
    ranking: Ranking
    nearest: Nearest
    on_site: OnSite

    def sought(self, typed: Typed) -> Sought | None:
        """Return what to ask for; None where no page can be found.

        Words are alternatives, any of which a page holds; beside a phrase they need not be there, but count.
        """
        words, corrected = self._words(typed.words)
        clauses = words + self._any_term(self._frequencies(typed.pairs, _CJK), _CJK)
        if not clauses and not typed.phrases and (typed.words or typed.pairs or not typed.sites):
            return None
        phrases = [(_MUST, self.phrase(phrase)) for phrase in typed.phrases]
        sites = [self.on_site(site) for site in typed.sites]
        demands = phrases + ([(_MUST, _unscored(_any(sites)))] if sites else [])
        demands += [(_MUST_NOT, self.phrase(phrase)) for phrase in typed.unwanted]
        demands += [(_MUST_NOT, self.on_site(site)) for site in typed.barred]
        query = _any(clauses) if clauses else None
        if demands:
            wanted = [(_SHOULD if phrases else _MUST, query)] if query else []
            query = tantivy.Query.boolean_query([*wanted, *demands])
        assert query is not None
        terms = [*typed.words, *corrected, *typed.pairs, *(term for phrase in typed.phrases for term in phrase.terms)]
        return Sought(query, terms)

    def _words(self, words: Sequence[str]) -> tuple[list[tantivy.Query], list[str]]:
        """Return the clauses for words, and which words were looked up in the place of those that no page holds."""
        held = self._frequencies(words, _WORDS)
        clauses = self._any_term(held, _WORDS)
        corrected: list[str] = []
        for word in words if self.ranking.typos else ():
            if not any(held[word]) and (near := self.nearest(word)):
                meant = [_any(self._any_term(self._frequencies([term], _WORDS), _WORDS)) for term in near]
                clauses.append(tantivy.Query.disjunction_max_query(meant))
                corrected += near
        return clauses, corrected

    def _frequencies(self, terms: Sequence[str], fields: tuple[str, str]) -> _Frequencies:
        """Return how many pages hold each term in the title, and how many in the body."""
        title, body = fields
        frequency = self.searcher.doc_freq
        return {term: (frequency(title, term), frequency(body, term)) for term in terms}

    def _any_term(self, held: _Frequencies, fields: tuple[str, str]) -> list[tantivy.Query]:
        """Return clauses for the terms that pages hold: those of titles, then of bodies, most common ones left out."""
        title, body = fields
        most = self.ranking.common_share * self.searcher.num_docs if held else 0
        titles = [term for term, (in_title, _) in held.items() if in_title]
        bodies = [term for term, (_, in_body) in held.items() if in_body]
        rare = [term for term in bodies if held[term][1] <= most]
        return [self._in_title(self._term(title, term)) for term in titles] + [
            self._term(body, term) for term in (rare or bodies)
        ]

    def phrase(self, phrase: Phrase) -> tantivy.Query:
        """Return the query for pages that hold a phrase: all of it, each stretch of one script in title or body."""
        stretches = [(_WORDS, phrase.words)] if phrase.words else []
        stretches += [(_CJK, tuple(enumerate(run))) for run in phrase.runs]
        return tantivy.Query.boolean_query([(_MUST, self._stretch(fields, placed)) for fields, placed in stretches])

    def _stretch(self, fields: tuple[str, str], placed: Sequence[tuple[int, str]]) -> tantivy.Query:
        title, body = (self._together(field, placed) for field in fields)
        return _any([self._in_title(title), body])

    def _together(self, field: str, placed: Sequence[tuple[int, str]]) -> tantivy.Query:
        if len(placed) == 1:
            return self._term(field, placed[0][1])
        first = placed[0][0]
        return tantivy.Query.phrase_query(self.schema, field, [(place - first, term) for place, term in placed])

    def _in_title(self, query: tantivy.Query) -> tantivy.Query:
        return tantivy.Query.boost_query(query, self.ranking.title_boost)

    def _term(self, field: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self.schema, field, term, index_option="freq")


def _any(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(_SHOULD, query) for query in queries])


def _unscored(query: tantivy.Query) -> tantivy.Query:
    return tantivy.Query.const_score_query(query, 0.0)
