"""Turn text into search terms: stemmed words, and pairs of characters for scripts without blanks.

Chinese, Japanese and Korean are looked up by overlapping pairs of characters and by single ones, as Lucene's
CJKBigramFilter with its single characters does: 维尔马 is 维尔 and 尔马, and 维, 尔, 马.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc
import tantivy

_LONGEST_TERM = 40  # bytes; the analyzer `en_stem` drops longer words from pages, so they are dropped from queries
# Hangul; radicals and signs; Hiragana; Katakana; Hangul and Katakana; Han; Hangul; Han
_RUN = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af]+"
)
_FIRST_CJK = "\u1100"
_END_OF_RUN = "·"
CJK_LANGUAGES = ("zh", "ja", "ko")
"""Languages written in these characters."""


@cache
def _analyzer(*, stopwords: bool) -> tantivy.TextAnalyzer:
    """Build the analyzer `en_stem`, with or without English stop words."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(tantivy.Filter.remove_long(_LONGEST_TERM)).filter(tantivy.Filter.lowercase())
    if not stopwords:
        builder = builder.filter(tantivy.Filter.stopword("english"))
    return builder.filter(tantivy.Filter.stemmer("english")).build()


def query_words(text: str) -> list[str]:
    """Return the stems of a text's words, in order, without stop words unless there is nothing else."""
    return _analyzer(stopwords=False).analyze(text) or every_word(text)


def every_word(text: str) -> list[str]:
    """Return all words of a text as pages are indexed by them, stemmed, in order."""
    return _analyzer(stopwords=True).analyze(text)


def words_with_positions(text: str) -> list[tuple[int, str]]:
    """Return what `every_word` does, each word with its place: words too long to be indexed leave a gap."""
    return [(token.position, token.text) for token in _analyzer(stopwords=True).pre_tokenize(text).tokens]


def cjk_runs(text: str) -> list[str]:
    """Return the runs of Chinese, Japanese and Korean characters in a text, in order."""
    return _RUN.findall(text)


def without_cjk(text: str) -> str:
    """Return a text with blanks in the place of such runs."""
    return _RUN.sub(" ", text)


def is_cjk(character: str) -> bool:
    """Say whether a character is one of a script that is written without blanks."""
    return character >= _FIRST_CJK and _RUN.match(character) is not None


def pairs_of(run: str) -> list[str]:
    """Return the overlapping pairs of a run's characters, or the one character that it is."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def cjk_terms(text: str) -> str:
    """Return what a text is indexed by in these scripts, blanks between: the pairs of all runs, then the characters.

    A dot stands where a run ends, so that no phrase reaches across.
    """
    runs = cjk_runs(text)
    terms = [term for run in runs for term in [*map("".join, pairwise(run)), _END_OF_RUN]]
    return " ".join([*terms, *"".join(runs)])


def holds_cjk(column: pa.ChunkedArray) -> bool:
    """Say whether any text of a column holds such a character."""
    return bool(pc.any(pc.match_substring_regex(column, _RUN.pattern)).as_py())
