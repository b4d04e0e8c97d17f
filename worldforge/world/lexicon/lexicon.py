"""Finds what looks like a fact in a text: for the guard of a language world model, and for prose that a model writes.

    lexicon = Lexicon.of_world(world)
    lexicon.found("The club has 2 league titles, Velmar Rovers not one.")
    # [Found("number", "2", 13, 14), Found("name", "velmar rovers", 30, 43), Found("negation", "not", 44, 47), …]

What is found depends on the text and the lexicon alone, so that a copy of a text holds what the text holds.

| kind       | what it is                                            | canonical                                |
|------------|-------------------------------------------------------|------------------------------------------|
| `number`   | figures, number words, ordinals, shares               | `12400`, `7`, `7.`, `1/2`, `1900s`       |
| `unit`     | what follows a number: units, `%`, currencies         | `km²`, `%`, `€`                          |
| `bound`    | what makes a number mean another: `before`, `at least`| the words                                |
| `date`     | a day, a month of a year, a month, with its name      | `2024-06-18`, `2024-06`, `--06-18`       |
| `address`  | URLs and host names                                   | as written, the host in lower case       |
| `name`     | what the world calls an entity, in any case           | its words, in lower case                 |
| `value`    | a text that a column of the world holds, or its words | its words, in lower case                 |
| `negation` | `not`, `n't`, `without`, `formerly`, …                | the word; `not` for `n't`                |
| `word`     | a name that nobody knows: a capital, and no common word | the word, in lower case                |
| `capital`  | a common word that is written as a name               | the word, in lower case                  |

What it cannot find: figures in other languages' words, names in lower case that the world does not know, and what a
sentence says without any of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from worldforge.world.lexicon.english import COMMON, COMMON_ENDINGS, FUNCTION_WORDS, NEGATIONS, NUMBER_WORDS
from worldforge.world.lexicon.figures import addresses, bound_after, bounds_before, dates, one_counts, unit_at
from worldforge.world.lexicon.sentences import begins_sentence
from worldforge.world.world import World

Kind = Literal["number", "unit", "bound", "date", "address", "name", "value", "negation", "word", "capital"]

_TOKEN = re.compile(r"\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+[²³]?|[%$€£¥₽₹°‰²³¹¼½¾]")
_WORDS = re.compile(r"[^\W_]+")
_LINKED = re.compile(r"\w+://[^\s()]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_IDENTIFIER = re.compile(r"\w+")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_SEPARATORS = frozenset(" .'’-–/&,()")
_LONGEST_SEPARATOR = 3
_MOST_WORDS = 12  # of a name or a value that is looked for
_PARTS_OF = 4  # words: the words of longer values say nothing by themselves
_STEM = 5


class Found(NamedTuple):
    """Something that looks like a fact: `text[start:end]`, and the one form in which it is compared."""

    kind: Kind
    canonical: str
    start: int
    end: int


class Token(NamedTuple):
    """A run of letters, a figure, or a sign; `low` is it in lower case."""

    low: str
    start: int
    end: int


class Lexicon:
    """What a world's texts can speak of. Immutable; serves any number of threads.

    `labels` holds the stems of what columns are called (`found` of `founding year`): they tell which column a sentence
    is about.
    """

    def __init__(
        self,
        names: Iterable[str],
        values: Iterable[str] = (),
        labels: Iterable[str] = (),
        vocabulary: Iterable[str] = (),
        hosts: Iterable[str] = (),
    ) -> None:
        """Know names and values in any case, the world's own lower-case words, its host names."""
        held = set(values)
        phrases: dict[str, Kind] = dict.fromkeys(filter(None, map(_phrase, held)), "value")
        phrases = {phrase: "value" for phrase in phrases if phrase not in FUNCTION_WORDS}
        phrases |= dict.fromkeys(filter(None, map(_phrase, names)), "name")
        self._phrases = phrases
        self._longest = _longest(self._phrases)
        self._parts = frozenset(_parts(held)) - FUNCTION_WORDS - self._phrases.keys() - NUMBER_WORDS.keys()
        self._common = COMMON | frozenset(vocabulary)
        self.labels = frozenset(stem for label in labels for stem in stems(label) if stem not in _UNTELLING)
        self.hosts = frozenset(host.lower() for host in hosts)

    @classmethod
    def of_world(cls, world: World) -> Lexicon:
        """Read what a world knows: names and aliases, text values, columns' labels, hosts, and words of its pages."""
        from worldforge.world.lexicon.reading import read_words

        return cls(**read_words(world)._asdict())

    def knows(self, found: Found | tuple[str, str]) -> bool:
        """Tell whether the world has this name, value or host; figures and dates are nobody's."""
        kind, canonical = found[0], found[1]
        if kind == "address":
            return host_of(canonical) in self.hosts
        return kind in ("name", "value")

    def found(self, text: str) -> list[Found]:
        """Return what looks like a fact in `text`, in the order in which it stands there."""
        fixed = [Found("address", *rest) for rest in addresses(text)]
        text = _blanked(text, fixed)
        dated = [Found("date", *rest) for rest in dates(text)]
        text = _blanked(text, dated, "0")
        tokens = [Token(m.group().lower(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
        found = [*self._facts(text, tokens, {d.start: d for d in dated}), *fixed]
        return sorted(found, key=lambda f: f.start) if fixed else found

    def _facts(self, text: str, tokens: list[Token], dated: Mapping[int, Found]) -> list[Found]:
        found: list[Found] = []
        place, n_tokens = 0, len(tokens)
        while place < n_tokens:
            low, start, _ = tokens[place]
            if start in dated:
                found += [Found("bound", *bound) for bound in bounds_before(tokens, place)] + [dated[start]]
                place = _bounded(text, tokens, place + 1, found)
            elif low in self._longest and (n_words := self._known(text, tokens, place)):
                phrase = " ".join(token.low for token in tokens[place : place + n_words])
                found.append(Found(self._phrases[phrase], phrase, start, tokens[place + n_words - 1].end))
                place += n_words
            elif not low[0].isalpha():
                place = _number(text, tokens, place, found)
            else:
                place = self._word(text, tokens, place, found)
        return found

    def _known(self, text: str, tokens: list[Token], place: int) -> int:
        """Return how many tokens the longest known name or value at `place` has; 0 where there is none."""
        phrase, best = tokens[place].low, 0
        most = self._longest[phrase]
        if phrase in self._phrases and (phrase not in COMMON or self._meant(phrase, text, tokens[place])):
            best = 1
        for more, token in enumerate(tokens[place + 1 : place + most], start=2):
            between = text[tokens[place + more - 2].end : token.start]
            if len(between) > _LONGEST_SEPARATOR or not _SEPARATORS.issuperset(between):
                break
            phrase = f"{phrase} {token.low}"
            if phrase in self._phrases:
                best = more
        return best

    def _meant(self, word: str, text: str, token: Token) -> bool:
        """Tell whether a common word stands for what the world calls so: a name is, where it has a capital."""
        return self._phrases[word] == "value" or text[token.start].isupper()

    def _word(self, text: str, tokens: list[Token], place: int, found: list[Found]) -> int:
        """Look at a word that begins no known name; return the place after it."""
        low, start, end = tokens[place]
        if text[end : end + 1] == "_" or (start and text[start - 1] == "_"):
            return _identifier(text, tokens, place, found)
        if low in NUMBER_WORDS and not (low == "one" and not one_counts(tokens, place)):
            found += [Found("bound", *bound) for bound in bounds_before(tokens, place)]
            found.append(Found("number", NUMBER_WORDS[low], start, end))
            return _bounded(text, tokens, place + 1, found)
        if low in NEGATIONS:
            found.append(Found("negation", low, start, end))
        elif low == "t" and start > 1 and text[start - 1] in "'’" and text[start - 2] in "nN":
            found.append(Found("negation", "not", start - 2, end))
        elif low in self._parts:
            found.append(Found("value", low, start, end))
        elif (written := text[start:end]) != low and low != "i":
            if written[1:] != low[1:] or not self._is_common(low):
                found.append(Found("word", low, start, end))
            elif not begins_sentence(text, start):
                found.append(Found("capital", low, start, end))
        return place + 1

    def _is_common(self, low: str) -> bool:
        return low in self._common or low.endswith(COMMON_ENDINGS) or (low[-1] == "s" and low[:-1] in self._common)


def stems(text: str) -> list[str]:
    """Return the words of `text` that say something, cut to what their forms share: `found` of `founding`."""
    told = _LINKED.sub(" ", text.lower()) if "://" in text else text.lower()
    return [word[:_STEM] for word in _WORDS.findall(told) if word not in FUNCTION_WORDS]


def host_of(address: str) -> str:
    """Return the host of an address."""
    return address.partition("://")[2].partition("/")[0] if "://" in address else address.partition("/")[0]


_UNTELLING = frozenset({"year", "years", "month", "numbe", "name", "names", "date", "dates", "kind", "place", "total"})


def _number(text: str, tokens: list[Token], place: int, found: list[Found]) -> int:
    """Take a figure with what belongs to it: bounds before, a sign, an ending (`7th`, `1900s`), a unit after."""
    low, start, end = tokens[place]
    if not low[0].isdecimal():
        found.append(Found("unit", low, start, end))
        return place + 1
    found += [Found("bound", *bound) for bound in bounds_before(tokens, place)]
    canonical, place = _canonical(low), place + 1
    if start and text[start - 1] in "-−–+" and not (start > 1 and text[start - 2].isalnum()):
        canonical, start = ("" if text[start - 1] == "+" else "-") + canonical, start - 1
    unit = unit_at(text, tokens, place)
    if unit is None and place < len(tokens) and tokens[place].start == end and tokens[place].low[0].isalpha():
        ending, end = tokens[place].low, tokens[place].end
        canonical, place = canonical + ("." if ending in _ORDINAL else ending), place + 1
        unit = unit_at(text, tokens, place)
    found.append(Found("number", canonical, start, end))
    if unit:
        written, n_tokens = unit
        found.append(Found("unit", written, tokens[place].start, tokens[place + n_tokens - 1].end))
        place += n_tokens
    return _bounded(text, tokens, place, found)


def _bounded(text: str, tokens: list[Token], place: int, found: list[Found]) -> int:
    """Take what stands after a figure and bounds it; return the place after it."""
    if bound := bound_after(text, tokens, place):
        found.append(Found("bound", *bound))
        while place < len(tokens) and tokens[place].start < bound[2]:
            place += 1
    return place


def _identifier(text: str, tokens: list[Token], place: int, found: list[Found]) -> int:
    """Take a name such as `quiet_badger` as one word."""
    match = _IDENTIFIER.match(text, tokens[place].start)
    assert match is not None
    found.append(Found("word", match.group().lower(), match.start(), match.end()))
    while place < len(tokens) and tokens[place].start < match.end():
        place += 1
    return place


def _canonical(figure: str) -> str:
    """Write a figure without separators, leading zeros or trailing zeros after the point."""
    whole, _, decimals = figure.replace(",", "").partition(".")
    rest = decimals.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _phrase(text: str) -> str:
    """Write a name as its words in lower case; empty where it is too long to be looked for, or has no words."""
    words = [token.lower() for token in _TOKEN.findall(text)]
    return " ".join(words) if len(words) <= _MOST_WORDS else ""


def _parts(values: Iterable[str]) -> Iterator[str]:
    """Give the lower-case words of short values: `red` and `white` of `red and white`, none of `Ruvanolo Terrace`."""
    for value in values:
        words = _LETTERS.findall(value)
        if len(words) <= _PARTS_OF:
            yield from (word for word in words if word.islower())


def _longest(phrases: Iterable[str]) -> dict[str, int]:
    """Return how many words the longest phrase has, by first word."""
    longest: dict[str, int] = {}
    for phrase in phrases:
        first, n_words = phrase.partition(" ")[0], phrase.count(" ") + 1
        if n_words > longest.get(first, 0):
            longest[first] = n_words
    return longest


def _blanked(text: str, found: list[Found], filler: str = " ") -> str:
    """Put blanks in the place of what was found, so that it is not found twice, and `filler` where it begins."""
    for one in found:
        text = f"{text[: one.start]}{filler:<{one.end - one.start}}{text[one.end :]}"
    return text
