"""Parse a query as people type it: words, `"exact phrases"`, `site:host`, `-words`. Anything else is words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from worldforge.search.analysis import cjk_runs, pairs_of, query_words, without_cjk, words_with_positions

_T = TypeVar("_T")
_MOST_CHARACTERS = 2_000
_MOST_TERMS = 32
_MOST_DEMANDS = 8  # phrases, sites, and words not wanted, of each
_PART = re.compile(
    r"""(?P<minus>(?<!\S)-)?(?:(?<!\w)site:(?P<site>[^\s"“”]+)|"(?P<straight>[^"]*)"|“(?P<curly>[^“”]*)”)"""
    r"""|(?<!\S)-(?P<word>[^\W\d_][^\s"“”]*)""",
    re.IGNORECASE,
)
_MARK = re.compile('["“:-]')  # without one of these there is nothing but words
_ADDRESS = re.compile(r"(?:https?://)?[*.]*(?P<host>[\w-]+(?:\.[\w-]+)*)\.?(?P<path>/\S*)?")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand together: stems with their places, and for each run of characters its pairs."""

    words: tuple[tuple[int, str], ...]
    runs: tuple[tuple[str, ...], ...] = ()

    @property
    def terms(self) -> list[str]:
        """All of its terms, in order."""
        return [word for _, word in self.words] + [pair for run in self.runs for pair in run]


class ParsedQuery(NamedTuple):
    """A query. Pages hold any of `words` (stems) and `pairs` (of characters), all `phrases`, none of `unwanted`; they
    stand on any of `sites` and none of `barred`: hosts in lower case, their ends, or the beginnings of addresses there.
    """

    words: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    sites: tuple[str, ...] = ()
    unwanted: tuple[Phrase, ...] = ()
    barred: tuple[str, ...] = ()

    @property
    def is_cjk(self) -> bool:
        """Whether it is in Chinese, Japanese or Korean: what it asks for holds such characters."""
        return bool(self.pairs) or any(phrase.runs for phrase in self.phrases)

    @property
    def key(self) -> str:
        """What distinguishes it from other queries: not case, punctuation, or the order of words."""
        return repr((sorted(self.words), sorted(self.pairs), self.phrases, self.sites, self.unwanted, self.barred))


def parse_query(query: str, *, cjk: bool) -> ParsedQuery:
    """Take a query apart; with `cjk`, runs of Chinese, Japanese and Korean become pairs of characters.

    `unwanted` and `barred` say what is not wanted of what else is asked for: alone, they are words like any.
    """
    text = _truncate(query)
    if not _MARK.search(text):
        return ParsedQuery(*_word_terms(text, cjk=cjk))
    parts = defaultdict(list)
    for kind, part in _split(text):
        parts[kind].append(part)
    phrases, unwanted = (
        [phrase for part in parts[kind] if (phrase := _phrase(part, cjk=cjk)).terms] for kind in ("phrase", "unwanted")
    )
    words, pairs = _word_terms(" ".join(parts["words"]), cjk=cjk)
    if not (words or pairs or phrases or parts["site"]):
        return ParsedQuery(*_word_terms(text, cjk=cjk))
    return ParsedQuery(
        words,
        pairs,
        _first_demands(phrases),
        _first_demands(parts["site"]),
        _first_demands(unwanted),
        _first_demands(parts["barred"]),
    )


def query_text(query: str) -> str:
    """Return the words of a query and of its phrases, as they were typed: what is asked for, and not where."""
    text = _truncate(query)
    parts = list(_split(text))
    plain = " ".join(" ".join(part for kind, part in parts if kind in ("words", "phrase")).split())
    if not plain and all(kind != "site" for kind, _ in parts):
        plain = text.strip()
    return plain if any(sign.isalnum() for sign in plain) else ""


def _truncate(query: str) -> str:
    return query[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()


def _first_demands(demands: list[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(demands))[:_MOST_DEMANDS]


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Cut a query into its parts, each with what it is."""
    end = 0
    for found in _PART.finditer(text):
        kind, part = _classify(found)
        yield "words", text[end : found.start()]
        yield kind, part
        end = found.end()
    yield "words", text[end:]


def _classify(found: re.Match[str]) -> tuple[str, str]:
    if found["word"] is not None:
        return "unwanted", found["word"]
    if found["site"] is None:
        return "unwanted" if found["minus"] else "phrase", found["straight"] or found["curly"] or ""
    address = _ADDRESS.fullmatch(found["site"])
    if address is None:
        return "words", found[0]
    return "barred" if found["minus"] else "site", address["host"].lower() + (address["path"] or "")


def _word_terms(text: str, *, cjk: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    runs = cjk_runs(text) if cjk else []
    words = query_words(without_cjk(text) if cjk else text)
    pairs = [pair for run in runs for pair in pairs_of(run)]
    return tuple(dict.fromkeys(words))[:_MOST_TERMS], tuple(dict.fromkeys(pairs))[:_MOST_TERMS]


def _phrase(text: str, *, cjk: bool) -> Phrase:
    runs = cjk_runs(text)[:_MOST_TERMS] if cjk else []
    words = words_with_positions(without_cjk(text) if cjk else text)[:_MOST_TERMS]
    return Phrase(tuple(words), tuple(tuple(pairs_of(run)) for run in runs))
