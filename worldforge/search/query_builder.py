"""Build the Tantivy query of a parsed query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import tantivy

from worldforge.search.parsed_query import ParsedQuery, Phrase
from worldforge.search.rerank import RankingSettings

_SHOULD, _MUST, _MUST_NOT = tantivy.Occur.Should, tantivy.Occur.Must, tantivy.Occur.MustNot
_WORDS, _CJK = ("title", "body"), ("cjk_title", "cjk_body")
Nearest = Callable[[str], Sequence[str]]
"""Gives the words on pages that a word on no page may have been meant for."""
OnSite = Callable[[str], tantivy.Query]
"""Gives the query for the pages of a site."""


class BuiltQuery(NamedTuple):
    """What the engine is asked, and the terms that a snippet shows."""

    query: tantivy.Query
    terms: list[str]


class _TermLookup(NamedTuple):
    """How a term is looked up: in titles, in bodies, None where none holds it; and in how many bodies it stands."""

    in_title: tantivy.Query | None
    in_body: tantivy.Query | None
    n_bodies: int


@dataclass(frozen=True)
class QueryBuilder:
    """Builds queries for one index."""

    searcher: tantivy.Searcher
    schema: tantivy.Schema
    ranking: RankingSettings
    nearest: Nearest
    on_site: OnSite

    def build(self, typed: ParsedQuery) -> BuiltQuery | None:
        """Return what to ask for; None where no page can be found.

        Words are alternatives, any of which a page holds; beside a phrase they need not be there, but count.
        """
        words, corrected = self._words(typed.words)
        clauses = words + self._any_term([self._look_up(pair, _CJK) for pair in typed.pairs])
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
        return BuiltQuery(query, terms)

    def _words(self, words: Sequence[str]) -> tuple[list[tantivy.Query], list[str]]:
        """Return the clauses for words, and which words were looked up in the place of those that no page holds."""
        held = [self._look_up(word, _WORDS) for word in words]
        clauses = self._any_term(held)
        corrected: list[str] = []
        missing = [word for word, one in zip(words, held, strict=True) if not (one.in_title or one.in_body)]
        for word in missing if self.ranking.typos else ():
            if near := self.nearest(word):
                meant = [_any(self._any_term([self._look_up(term, _WORDS)])) for term in near]
                clauses.append(tantivy.Query.disjunction_max_query(meant))
                corrected += near
        return clauses, corrected

    def _look_up(self, term: str, fields: tuple[str, str]) -> _TermLookup:
        """Look up a term in two fields, of titles and of bodies."""
        title, body = fields
        n_titles, n_bodies = self.searcher.doc_freq(title, term), self.searcher.doc_freq(body, term)
        in_title = self._in_title(self._term(title, term)) if n_titles else None
        return _TermLookup(in_title, self._term(body, term) if n_bodies else None, n_bodies)

    def _any_term(self, held: Sequence[_TermLookup]) -> list[tantivy.Query]:
        """Return clauses for the terms that pages hold: those of titles, then of bodies, most common ones left out."""
        most = self.ranking.common_share * self.searcher.num_docs if held else 0
        titles = [one.in_title for one in held if one.in_title]
        bodies = [one.in_body for one in held if one.in_body]
        return titles + ([one.in_body for one in held if one.in_body and one.n_bodies <= most] or bodies)

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
