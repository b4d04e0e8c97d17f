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
_CJK = (
    (0x1100, 0x11FF),  # Hangul
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3041, 0x3096),  # Hiragana
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),  # Katakana
    (0x30FC, 0x30FF),
    (0x3131, 0x318E),  # Hangul
    (0x31F0, 0x31FF),  # Katakana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0x20000, 0x323AF),
)
_RUN = re.compile("[" + "".join(f"{chr(start)}-{chr(end)}" for start, end in _CJK) + "]+")
_FIRST_CJK = chr(_CJK[0][0])
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
