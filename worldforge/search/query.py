"""From words as people type them to the terms looked up. Punctuation is no syntax: nothing here can fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tantivy

_MOST_CHARACTERS = 2_000
_MOST_TERMS = 32
_LONGEST_TERM = 40  # bytes; the analyzer `en_stem` drops longer words from pages, so they are dropped from queries
_SHOULD = tantivy.Occur.Should


@dataclass(frozen=True, slots=True)
class Ranking:
    """How hits are ranked, besides BM25. It is part of an index: a world ranks tomorrow as it ranks today.

    A match in the title weighs `title_boost` times. A term that stands in more than `common_share` of bodies
    hardly tells pages apart but costs most of a search: it is looked up in bodies only where no rarer one is.
    """

    title_boost: float = 2.0
    common_share: float = 0.5


def _analyzer(*, stopwords: bool) -> tantivy.TextAnalyzer:
    """Build the analyzer `en_stem`, with or without English stop words."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(tantivy.Filter.remove_long(_LONGEST_TERM)).filter(tantivy.Filter.lowercase())
    if not stopwords:
        builder = builder.filter(tantivy.Filter.stopword("english"))
    return builder.filter(tantivy.Filter.stemmer("english")).build()


_ALL_WORDS = _analyzer(stopwords=True)
_TELLING_WORDS = _analyzer(stopwords=False)


def terms_of(query: str) -> list[str]:
    """Return a query's distinct terms, stemmed, in order; stop words only where there is nothing else."""
    text = query[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()
    terms = _TELLING_WORDS.analyze(text) or _ALL_WORDS.analyze(text)
    return list(dict.fromkeys(terms))[:_MOST_TERMS]


def build_query(
    terms: Sequence[str], searcher: tantivy.Searcher, schema: tantivy.Schema, ranking: Ranking
) -> tantivy.Query | None:
    """Return the query for pages that hold any of `terms`; None where no page does."""
    most = ranking.common_share * searcher.num_docs
    titles = [term for term in terms if searcher.doc_freq("title", term)]
    frequencies = {term: searcher.doc_freq("body", term) for term in terms}
    bodies = [term for term, frequency in frequencies.items() if frequency]
    rare = [term for term in bodies if frequencies[term] <= most]
    boosted = [tantivy.Query.boost_query(_look_up(schema, "title", term), ranking.title_boost) for term in titles]
    clauses = boosted + [_look_up(schema, "body", term) for term in (rare or bodies)]
    return tantivy.Query.boolean_query([(_SHOULD, clause) for clause in clauses]) if clauses else None


def _look_up(schema: tantivy.Schema, field: str, term: str) -> tantivy.Query:
    return tantivy.Query.term_query(schema, field, term, index_option="freq")
