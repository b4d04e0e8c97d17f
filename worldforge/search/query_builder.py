"""Build the Tantivy query of a parsed query, and find the pages that its demands leave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import tantivy

from worldforge.search.page_store import PageStore
from worldforge.search.parsed_query import ParsedQuery, Phrase
from worldforge.search.rerank import RankingSettings

_SHOULD, _MUST, _MUST_NOT = tantivy.Occur.Should, tantivy.Occur.Must, tantivy.Occur.MustNot
_WORDS, _CJK = ("title", "body"), ("cjk_title", "cjk_body")
_NEAR = {1: 3.0, 2: 1.5}  # scores of words by edits: less than a word that a page holds
_SITES = 256  # whose queries are remembered
_MOST_RANGES = 64  # of a site's pages that stand together; beyond that addresses are listed


class BuiltQuery(NamedTuple):
    """What the engine is asked, and the terms that a snippet shows."""

    query: tantivy.Query
    terms: list[str]


class _TermLookup(NamedTuple):
    """How a term is looked up: in titles, in bodies, None where none holds it; and in how many bodies it stands."""

    in_title: tantivy.Query | None
    in_body: tantivy.Query | None
    n_bodies: int


class QueryBuilder:
    """Builds queries for one index."""

    def __init__(
        self, searcher: tantivy.Searcher, schema: tantivy.Schema, ranking: RankingSettings, store: PageStore
    ) -> None:
        self._searcher, self._schema, self._ranking, self._store = searcher, schema, ranking, store
        self._on_site = lru_cache(_SITES)(self._find_on_site)

    def build(self, typed: ParsedQuery) -> BuiltQuery | None:
        """Return what to ask for; None where no page can be found.

        Words are alternatives, any of which a page holds; beside a phrase they need not be there, but count.
        """
        clauses = self._words(typed.words) + self._any_term([self._look_up(pair, _CJK) for pair in typed.pairs])
        if not clauses and not typed.phrases and (typed.words or typed.pairs or not typed.sites):
            return None
        query = _any_of(clauses) if clauses else None
        if demands := self._demands(typed):
            wanted = [(_SHOULD if typed.phrases else _MUST, query)] if query else []
            query = tantivy.Query.boolean_query([*wanted, *demands])
        assert query is not None
        terms = [*typed.words, *typed.pairs, *(term for phrase in typed.phrases for term in phrase.terms)]
        return BuiltQuery(query, terms)

    def allowed(self, typed: ParsedQuery) -> npt.NDArray[np.bool_] | None:
        """Return which pages the demands of a query leave, bool of shape (pages,); None where there are none."""
        demands = self._demands(typed)
        left = np.ones(self._store.n_pages, np.bool_)
        for occur, query in demands:
            found = tantivy.Query.const_score_query(query, 1.0)
            hits = self._searcher.search(found, max(self._searcher.num_docs, 1), count=False).hits
            pages = cast(list[int], self._searcher.fast_field_values("page", [at for _, at in hits]))
            left &= np.isin(np.arange(len(left)), pages) == (occur is _MUST)
        return left if demands else None

    def _demands(self, typed: ParsedQuery) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """Return what every page found must hold and where it must stand, or must not."""
        demands = [(_MUST, self._phrase(phrase)) for phrase in typed.phrases]
        if typed.sites:
            sites = _any_of([self._on_site(site) for site in typed.sites])
            demands.append((_MUST, tantivy.Query.const_score_query(sites, 0.0)))
        demands += [(_MUST_NOT, self._phrase(phrase)) for phrase in typed.unwanted]
        return demands + [(_MUST_NOT, self._on_site(site)) for site in typed.barred]

    def _words(self, words: Sequence[str]) -> list[tantivy.Query]:
        """Return the clauses for words; one that no page holds stands for those that it may have been meant for."""
        held = [self._look_up(word, _WORDS) for word in words]
        missing = [word for word, one in zip(words, held, strict=True) if not (one.in_title or one.in_body)]
        return self._any_term(held) + [self._fuzzy(word) for word in missing if self._ranking.typos and word.isalpha()]

    def _fuzzy(self, word: str) -> tantivy.Query:
        """Return the query for words near to `word`: by one edit from three letters on, by two from six on.

        An edit inserts, removes or replaces a letter, or exchanges neighbours (Damerau 1964; the lengths are those of
        Elasticsearch's fuzziness AUTO). 1987 is not 1986 misspelt.
        """
        alternatives = []
        for n_edits in range(1, 1 + (len(word) > 2) + (len(word) > 5)):
            title, body = (
                tantivy.Query.const_score_query(
                    tantivy.Query.fuzzy_term_query(self._schema, field, word, n_edits), _NEAR[n_edits]
                )
                for field in _WORDS
            )
            alternatives += [self._in_title(title), body]
        return tantivy.Query.disjunction_max_query(alternatives)

    def _look_up(self, term: str, fields: tuple[str, str]) -> _TermLookup:
        """Look up a term in two fields, of titles and of bodies."""
        title, body = fields
        n_titles, n_bodies = self._searcher.doc_freq(title, term), self._searcher.doc_freq(body, term)
        in_title = self._in_title(self._term(title, term)) if n_titles else None
        return _TermLookup(in_title, self._term(body, term) if n_bodies else None, n_bodies)

    def _any_term(self, held: Sequence[_TermLookup]) -> list[tantivy.Query]:
        """Return clauses for the terms that pages hold: those of titles, then of bodies, most common ones left out."""
        most = self._ranking.common_share * self._searcher.num_docs if held else 0
        titles = [one.in_title for one in held if one.in_title]
        bodies = [one.in_body for one in held if one.in_body]
        return titles + ([one.in_body for one in held if one.in_body and one.n_bodies <= most] or bodies)

    def _phrase(self, phrase: Phrase) -> tantivy.Query:
        """Return the query for pages that hold a phrase: all of it, each stretch of one script in title or body."""
        stretches = [(_WORDS, phrase.words)] if phrase.words else []
        stretches += [(_CJK, tuple(enumerate(run))) for run in phrase.runs]
        return tantivy.Query.boolean_query([(_MUST, self._phrase_part(fields, placed)) for fields, placed in stretches])

    def _phrase_part(self, fields: tuple[str, str], placed: Sequence[tuple[int, str]]) -> tantivy.Query:
        title, body = (self._exact_phrase(field, placed) for field in fields)
        return _any_of([self._in_title(title), body])

    def _exact_phrase(self, field: str, placed: Sequence[tuple[int, str]]) -> tantivy.Query:
        if len(placed) == 1:
            return self._term(field, placed[0][1])
        first = placed[0][0]
        return tantivy.Query.phrase_query(self._schema, field, [(place - first, term) for place, term in placed])

    def _in_title(self, query: tantivy.Query) -> tantivy.Query:
        return tantivy.Query.boost_query(query, self._ranking.title_boost)

    def _term(self, field: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, term, index_option="freq")

    def _find_on_site(self, site: str) -> tantivy.Query:
        """Return the query for the pages whose host is `site` or ends in it; a path is the beginning of theirs.

        A kind's pages stand together in the table, so a site is a few stretches of rows: far cheaper than addresses.
        """
        host, slash, path = site.partition("/")
        rest = re.escape(slash + path) if slash else r"(?:/|$)"
        urls = self._store.columns["url"]
        on_site = pc.match_substring_regex(urls, rf"^https?://(?:[^/]*\.)?{re.escape(host)}{rest}")
        rows = np.flatnonzero(on_site.to_numpy())
        stretches = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
        if not len(rows):
            return tantivy.Query.empty_query()
        if len(stretches) > _MOST_RANGES:
            return tantivy.Query.term_set_query(self._schema, "url", urls.take(pa.array(rows)).to_pylist())
        return _any_of(self._row_range(int(stretch[0]), int(stretch[-1])) for stretch in stretches)

    def _row_range(self, first: int, last: int) -> tantivy.Query:
        return tantivy.Query.range_query(self._schema, "page", tantivy.FieldType.Unsigned, first, last)


def _any_of(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(_SHOULD, query) for query in queries])
