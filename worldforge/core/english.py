"""English inflection of labels: plurals, indefinite articles, and which labels are plurals.

    plural("city")                  cities
    plural("head of state")         heads of state
    with_article("hour of prayer")  an hour of prayer
    is_plural("visitors a year")    True

The rules are those of the package `inflect`. It is imported by the first call that needs it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import inflect

_HAN = re.compile(r"[\u3400-\u9fff]")
_TAIL = re.compile(
    r" (?:of|in|a|an|per|at|by|for|from|to|on|with|without|since|among|within|under|above|below|before|after|between"
    r"|outside|as|that|which|who|whose|until|during|so) "
)
_PARTICIPLE = re.compile(
    r"^(?:(?!\w*eed$|hundred$|shed$|sled$|embed$)\w{2,}ed"
    r"|won|sold|held|made|given|led|built|sung|born|known|met|lost|set|drawn)$"
)
_SINGULAR = (
    "series", "species", "news", "gas", "lens", "bias", "canvas", "atlas", "alias", "chaos", "cosmos",
    "mathematics", "physics", "economics", "politics", "athletics", "means",
)  # fmt: skip
"""Words that end as regular plurals do, and are none."""
_SUPERLATIVES = ("best", "worst", "most", "least")
_WITH_ARTICLE = (
    "Prize", "Award", "Medal", "Exchange", "Line", "League", "Show", "Festival", "Gathering", "Parade", "Fair",
    "Survey", "Range", "River", "Authority", "Council", "Office", "Lighthouse", "Observatory", "Aquarium", "Cup",
    "Licence", "dynasty", "Convention", "Accord", "Console",
)  # fmt: skip
"""Last words of names that stand with `the`."""
_WITH_ARTICLE_OF = (
    "School", "Gallery", "Collection", "Museum", "House", "Battle", "Siege", "Sack", "War", "March", "Peace", "Treaty",
    "Truce", "Kingdom", "Bank", "Union", "Movement", "Office", "Ministry", "Department", "Directorate", "Institute",
    "Academy", "University", "Tour", "Cup", "Journal", "Review", "Annals",
)  # fmt: skip
"""Words before `of` in names that stand with `the`."""
_NOUNS_IN_EST = (
    "interest", "forest", "request", "contest", "harvest", "arrest", "protest", "inquest", "bequest", "conquest",
    "priest", "modest", "honest", "digest", "tempest", "behest", "unrest", "manifest", "rainforest", "earnest",
)  # fmt: skip
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
)  # fmt: skip
"""Those from 1 to 20 in words."""
_A = r"(?-i:U[A-Z]).*"
"""Letters, the first of which is said as `you` (UIA)."""
_AN = r"(?:8|1[18](?:\d{3})*(?!\d)|1[18]\d\d(?!\d)|[FHLMNRSX]\d|(?-i:Ub)(?!iqu)).*"
"""Figures said with a vowel first (8, 11, 18, 1800, 18,000 without the comma), letters before a figure (F1), and names
that begin as `Ubuvuma` does."""
_NOUNS = {
    "waltz": "waltzes", "thief": "thieves", "means": "means", "epoch": "epochs", "eunuch": "eunuchs",
    "monarch": "monarchs", "patriarch": "patriarchs", "matriarch": "matriarchs", "passer-by": "passers-by",
    "runner-up": "runners-up",
}  # fmt: skip
"""Plurals that `inflect` gets wrong."""


@lru_cache(maxsize=4096)
def plural(noun: str) -> str:
    """Return the plural of a noun phrase, by its head: `schools of art`. Chinese has none: it stays as it is."""
    if not noun or _HAN.search(noun):
        return noun
    head, rest = _split(noun)
    before, space, last = head.rpartition(" ")
    if is_participle(last) and before:
        return f"{plural(before)} {last}{rest}"
    if last.isupper():
        return f"{before}{space}{last}s{rest}"
    return f"{before}{space}{_engine().plural_noun(last) or last}{rest}"


def article(noun: str) -> str:
    """Return `a` or `an`, whichever is said before a noun phrase: `an hour`, `a university`, `an MP`."""
    return _article(noun.strip()) if noun.strip() else "a"


def with_article(noun: str) -> str:
    """Put `a` or `an` before a noun phrase."""
    return f"{article(noun)} {noun}"


def is_plural(noun: str) -> bool:
    """Tell whether a noun phrase is in the plural by its head: `visitors a year` is, `number of towns` is not."""
    words = _split(noun)[0].split()
    while len(words) > 1 and is_participle(words[-1]):
        words.pop()
    return bool(words) and _is_plural_word(words[-1].lower())


def head(noun: str) -> str:
    """Return a noun phrase up to and with its head: `mean score` of `mean score in the guides`."""
    return _split(noun)[0]


def is_superlative(noun: str) -> bool:
    """Tell whether a noun phrase begins with a superlative: `highest point`, `most played game`, `最高票价`."""
    if noun.startswith("最"):
        return True
    first = noun.partition(" ")[0].lower()
    return first in _SUPERLATIVES or bool(first.endswith("est") and len(first) > 5 and first not in _NOUNS_IN_EST)


def is_participle(word: str) -> bool:
    """Tell whether a word says what was done, by its ending: `founded`, `held`; not `speed`."""
    return bool(_PARTICIPLE.match(word.lower()))


def takes_article(name: str) -> bool:
    """Tell whether a name stands with `the`: by its last word, or what it is `of`: the Osk Prize, the Bank of Osk."""
    before, of, _ = name.partition(" of ")
    words = (before if of else name).split()
    return words[0] not in ("The", "the") and words[-1] in (_WITH_ARTICLE_OF if of else _WITH_ARTICLE)


def be(noun: str) -> str:
    """Return the form of `to be` that a noun phrase takes."""
    return "are" if is_plural(noun) else "is"


@lru_cache(maxsize=4096)
def singular(noun: str) -> str:
    """Return the singular of a noun phrase in the plural, by its head: `visitor a year`. Others stay as they are."""
    head, rest = _split(noun)
    before, space, last = head.rpartition(" ")
    if is_participle(last) and before:
        return f"{singular(before)} {last}{rest}"
    return f"{before}{space}{_singular_word(last)}{rest}" if is_plural(noun) else noun


def unit_of_one(unit: str) -> str:
    """Return a unit behind a 1, with what stands before it: ` hour` for ` hours`; signs stay as they are."""
    word = unit.lstrip(" ")
    counts = len(word) > 2 and word.isalpha() and word.endswith("s")
    return f"{unit[: len(unit) - len(word)]}{singular(word)}" if counts else unit


@cache
def number_in_words(number: int) -> str:
    """Write a whole number as words, up to a hundred: `twelve`, `1,250`."""
    return str(_engine().number_to_words(str(number))) if abs(number) <= 100 else f"{number:,}"


@cache
def ordinal_in_words(number: int) -> str:
    """Return the English ordinal of a number from 1: in words up to twenty (`third`), else in figures (`21st`)."""
    if number <= len(ORDINALS):
        return ORDINALS[number - 1]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _split(noun: str) -> tuple[str, str]:
    """Part a noun phrase behind its head: `head`, ` of state`."""
    tail = _TAIL.search(noun)
    return (noun[: tail.start()], noun[tail.start() :]) if tail and tail.start() else (noun, "")


@cache
def _is_plural_word(word: str) -> bool:
    if word.endswith("s"):
        return not word.endswith(("ss", "us", "is")) and word not in _SINGULAR
    return word.isalpha() and _singular_word(word) != word


@cache
def _singular_word(word: str) -> str:
    return _engine().singular_noun(word) or word


@lru_cache(maxsize=65536)
def _article(noun: str) -> str:
    return _engine().a(noun).partition(" ")[0]


@cache
def _engine() -> inflect.engine:
    """Make the engine. `inflect` asks typeguard to check the types of every call, which makes its import take 1.6 s
    in the place of 0.08; this module passes nothing but texts.
    """
    import typeguard

    checked = typeguard.typechecked
    typeguard.typechecked = lambda function: function  # type: ignore[assignment]
    try:
        import inflect
    finally:
        typeguard.typechecked = checked
    engine = inflect.engine()
    engine.defa(_A)
    engine.defan(_AN)
    for one, several in _NOUNS.items():
        engine.defnoun(one, several)
    return engine
