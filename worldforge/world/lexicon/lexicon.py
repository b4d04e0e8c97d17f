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
| `name`     | a name of an entity, or a distinctive word of it      | its words, in lower case                 |
| `value`    | a text that a column of the world holds, or its words | its words, in lower case                 |
| `negation` | `not`, `n't`, `without`, `formerly`, …                | the word; `not` for `n't`                |
| `word`     | a name that nobody knows: a capital, no common word   | the word, in lower case                  |
| `capital`  | a common word that is written as a name               | the word, in lower case                  |

What it cannot find: figures in other languages' words, names in lower case that the world does not know, and what a
sentence says without any of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.schema.column_paths import PREVIOUS, built_in_columns, references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import labels_in_language, options_in
from worldforge.world.lexicon.chinese_text import HAN, ChineseLexicon, pairs_in
from worldforge.world.lexicon.english_lexicon import COMMON, COMMON_ENDINGS, FUNCTION_WORDS, NEGATIONS, NUMBER_WORDS
from worldforge.world.lexicon.sentence_splitting import begins_sentence
from worldforge.world.lexicon.text_figures import (
    FactSpan,
    Kind,
    Token,
    addresses,
    bounds_before,
    dates,
    one_counts,
    take_bound,
    take_number,
    tokens_of,
)
from worldforge.world.world import World

_WORDS = re.compile(r"[^\W_]+")
_LINKED = re.compile(r"\w+://[^\s()]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_IDENTIFIER = re.compile(r"\w+")
_SEPARATORS = frozenset(" .'’-–/&,()")
_LONGEST_SEPARATOR = 3
_MOST_WORDS = 12  # of a name or a value that is looked for
_PARTS_OF = 4  # words: the words of longer values say nothing by themselves
_STEM = 5
_DISTINCTIVE = 4  # letters of a name's word that is looked for by itself
_JOINERS = frozenset("-'’.·/_")  # between the pieces of a word
_SPELLED = 3  # letters one by one
_MOST_PIECES = 40
_SAMPLED_PAGES = 400  # whose lower-case words are no names
_LOWER = re.compile(r"(?<![^\W_])[a-z]{2,}(?![^\W_])")
_ADDRESS, _LINK = re.compile(r"\S+://\S+"), re.compile(r"\w+://[^\s()\[\]]+")


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
        units: Iterable[str] = (),
    ) -> None:
        """Know names and values in any case, the world's own lower-case words, its host names, its Chinese units."""
        held, names, labels, vocabulary = set(values), list(names), list(labels), list(vocabulary)
        self._chinese = partial(ChineseLexicon, names, held, labels, vocabulary, list(units))
        phrases: dict[str, Kind] = dict.fromkeys(filter(None, map(_phrase, held)), "value")
        phrases = {phrase: "value" for phrase in phrases if phrase not in FUNCTION_WORDS}
        named = [phrase for phrase in map(_phrase, names) if phrase]
        phrases |= dict.fromkeys(named, "name")
        self._phrases = phrases
        self._longest = _longest(phrases)
        self._parts = frozenset(_parts(held, str.islower)) - FUNCTION_WORDS - self._phrases.keys() - NUMBER_WORDS.keys()
        self._common = COMMON | frozenset(vocabulary)
        words = {word for phrase in named for word in phrase.split()} | {
            word.lower() for word in _parts(held, str.istitle)
        }
        distinctive = {word for word in words if len(word) >= _DISTINCTIVE and word.isalpha()}
        self._named = frozenset(distinctive - self._common - phrases.keys())
        self.labels = frozenset(stem for label in labels for stem in stems(label) if stem not in _UNTELLING)
        self.hosts = frozenset(host.lower() for host in hosts)

    @classmethod
    def of_world(cls, world: World) -> Lexicon:
        """Read what a world knows: names and aliases, text values, columns' labels, hosts, and words of its pages."""
        return cls(**read_words(world)._asdict())

    def knows(self, found: FactSpan | tuple[str, str]) -> bool:
        """Tell whether the world has this name, value or host; figures and dates are nobody's."""
        kind, canonical = found[0], found[1]
        if kind == "address":
            return host_of(canonical) in self.hosts
        return kind in ("name", "value")

    @cached_property
    def _han(self) -> ChineseLexicon:
        """What reads text that holds Chinese; made when there is some."""
        return self._chinese()

    def stems_of(self, text: str) -> list[str]:
        """Return the stems of what a text says, in order; of Chinese what columns are called by alone."""
        return [*stems(HAN.sub(" ", text)), *self._han.columns(text)] if HAN.search(text) else stems(text)

    def is_label(self, stem: str) -> bool:
        """Return whether a stem that `stems_of` gave is one that a column is called by."""
        return stem in self.labels or bool(HAN.match(stem))

    def found(self, text: str) -> list[FactSpan]:
        """Return what looks like a fact in `text`, in the order in which it stands there."""
        fixed = [FactSpan("address", *rest) for rest in addresses(text)]
        text = _blanked(text, fixed)
        if HAN.search(text):
            return sorted([*self._han.found(text), *fixed], key=lambda f: f.start)
        dated = [FactSpan("date", *rest) for rest in dates(text)]
        text = _blanked(text, dated, "0")
        tokens = tokens_of(text)
        found = [*self._facts(text, tokens, {d.start: d for d in dated}), *fixed]
        return sorted(found, key=lambda f: f.start) if fixed else found

    def _facts(self, text: str, tokens: list[Token], dated: Mapping[int, FactSpan]) -> list[FactSpan]:
        found: list[FactSpan] = []
        place, n_tokens = 0, len(tokens)
        while place < n_tokens:
            low, start, _ = tokens[place]
            if start in dated:
                found += [FactSpan("bound", *bound) for bound in bounds_before(tokens, place)] + [dated[start]]
                place = take_bound(text, tokens, place + 1, found)
            elif low in self._longest and (n_words := self._known(text, tokens, place)):
                phrase = " ".join(token.low for token in tokens[place : place + n_words])
                found.append(FactSpan(self._phrases[phrase], phrase, start, tokens[place + n_words - 1].end))
                place += n_words
            elif not low[0].isalpha():
                place = take_number(text, tokens, place, found)
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

    def _word(self, text: str, tokens: list[Token], place: int, found: list[FactSpan]) -> int:
        """Look at a word that begins no known name; return the place after it."""
        low, start, end = tokens[place]
        if n_pieces := self._pieced(text, tokens, place):
            pieces = tokens[place : place + n_pieces]
            found.append(FactSpan("word", "".join(piece.low for piece in pieces), start, pieces[-1].end))
            return place + n_pieces
        if text[end : end + 1] == "_" or (start and text[start - 1] == "_"):
            return _identifier(text, tokens, place, found)
        if low in NUMBER_WORDS and not (low == "one" and not one_counts(tokens, place)):
            found += [FactSpan("bound", *bound) for bound in bounds_before(tokens, place)]
            found.append(FactSpan("number", NUMBER_WORDS[low], start, end))
            return take_bound(text, tokens, place + 1, found)
        if low in NEGATIONS:
            found.append(FactSpan("negation", low, start, end))
        elif low == "t" and start > 1 and text[start - 1] in "'’" and text[start - 2] in "nN":
            found.append(FactSpan("negation", "not", start - 2, end))
        elif low in self._parts:
            found.append(FactSpan("value", low, start, end))
        elif low in self._named:
            found.append(FactSpan("name", low, start, end))
        elif (written := text[start:end]) != low and low != "i":
            if written[1:] != low[1:] or not self._is_common(low):
                found.append(FactSpan("word", low, start, end))
            elif not begins_sentence(text, start):
                found.append(FactSpan("capital", low, start, end))
        return place + 1

    def _pieced(self, text: str, tokens: list[Token], place: int) -> int:
        """Return how many tokens a word takes that is written in pieces: `Vel-mar`, `v e l m a r`; 0 where none is."""
        if (
            tokens[place].end - tokens[place].start > 1
            and text[tokens[place].end : tokens[place].end + 1] not in _JOINERS
        ):
            return 0
        joined, best, n_letters, whole = "", 0, 0, True
        for number, token in enumerate(tokens[place : place + _MOST_PIECES]):
            between = text[tokens[place + number - 1].end : token.start] if number else ""
            whole = whole and (not number or (len(between) == 1 and between in _JOINERS))
            if not whole and (n_letters < number or len(between) > _LONGEST_SEPARATOR):
                break
            joined += token.low
            n_letters += n_letters == number and len(token.low) == 1 and token.low.isalpha()
            if number and whole and (joined in self._named or joined in self._phrases or joined in self._parts):
                best = number + 1
        return max(best, n_letters if n_letters >= _SPELLED else 0)

    def _is_common(self, low: str) -> bool:
        return low in self._common or low.endswith(COMMON_ENDINGS) or (low[-1] == "s" and low[:-1] in self._common)


def stems(text: str) -> list[str]:
    """Return the words of `text` that say something, cut to what their forms share: `found` of `founding`."""
    lowered = _LINKED.sub(" ", text.lower()) if "://" in text else text.lower()
    return [word[:_STEM] for word in _WORDS.findall(lowered) if word not in FUNCTION_WORDS]


def host_of(address: str) -> str:
    """Return the host of an address."""
    return address.partition("://")[2].partition("/")[0] if "://" in address else address.partition("/")[0]


_UNTELLING = frozenset({"year", "years", "month", "numbe", "name", "names", "date", "dates", "kind", "place", "total"})


def _identifier(text: str, tokens: list[Token], place: int, found: list[FactSpan]) -> int:
    """Take a name such as `quiet_badger` as one word."""
    match = _IDENTIFIER.match(text, tokens[place].start)
    assert match is not None
    found.append(FactSpan("word", match.group().lower(), match.start(), match.end()))
    while place < len(tokens) and tokens[place].start < match.end():
        place += 1
    return place


def _phrase(text: str) -> str:
    """Write a name as its words in lower case; empty where it is too long to be looked for, or has no words."""
    words = [token.low for token in tokens_of(text)]
    return " ".join(words) if len(words) <= _MOST_WORDS else ""


def _parts(values: Iterable[str], sort: Callable[[str], bool]) -> Iterator[str]:
    """Give the words of a sort of short values: `red` and `white` of `red and white`; `Ruvanolo` of `Ruvanolo Hall`."""
    for value in values:
        words = _LETTERS.findall(value)
        if len(words) <= _PARTS_OF:
            yield from (word for word in words if sort(word))


def _longest(phrases: Iterable[str]) -> dict[str, int]:
    """Return how many words the longest phrase has, by first word."""
    longest: dict[str, int] = {}
    for phrase in phrases:
        first, n_words = phrase.partition(" ")[0], phrase.count(" ") + 1
        if n_words > longest.get(first, 0):
            longest[first] = n_words
    return longest


def _blanked(text: str, found: list[FactSpan], filler: str = " ") -> str:
    """Put blanks in the place of what was found, so that it is not found twice, and `filler` where it begins."""
    for one in found:
        text = f"{text[: one.start]}{filler:<{one.end - one.start}}{text[one.end :]}"
    return text


class WorldVocabulary(NamedTuple):
    """What a world's texts can speak of; the arguments of a `Lexicon`."""

    names: Iterable[str]
    values: Iterable[str]
    labels: Iterable[str]
    vocabulary: Iterable[str]
    hosts: Iterable[str]
    units: Iterable[str]


def read_words(world: World) -> WorldVocabulary:
    """Read names and aliases, text values, columns' labels, hosts, and the lower-case words of some pages."""
    spec = world.spec
    names: set[str] = {site.title for site in spec.sites.values() if site.title} | {spec.title}
    values: set[str] = set(spec.web.currencies)
    for type_name in spec.types:
        table = world.entities(type_name)
        names.update(table["name"].to_pylist())
        names.update(table["aliases"].combine_chunks().flatten().to_pylist())
        values |= _texts(table, {"id", "name", *references_of(spec, type_name)})
    for language in spec.languages[1:]:
        names |= {site.title for site in labels_in_language(spec, language).sites.values() if site.title}
        values |= set(options_in(spec, language).values())
    for relation in spec.relations:
        values |= _texts(world.relation(relation), {"id", *references_of(spec, relation)})
    specs = [labels_in_language(spec, language) for language in spec.languages]
    labels = {label for one in specs for label in _labels(one)}
    vocabulary = _vocabulary(world.pages["text"], names | values)
    vocabulary |= {word for one in specs for kind in one.types.values() for word in (kind.label, kind.plural) if word}
    return WorldVocabulary(
        names, values, labels, vocabulary, _hosts(world.pages["url"]), {unit for one in specs for unit in _units(one)}
    )


def _texts(table: pa.Table, but: set[str]) -> set[str]:
    """Return the distinct texts of a table's text columns."""
    columns = [table[field.name] for field in table.schema if field.type == pa.string() and field.name not in but]
    return {text for column in columns for text in pc.unique(column).to_pylist() if text}


def _labels(spec: WorldSpec) -> set[str]:
    """Return what columns are called, without the words for what has them: every sentence may say `club`."""
    kinds = {word for name, kind in spec.types.items() for word in f"{kind.label or name} {kind.plural}".split()}
    called = [
        column.label or name
        for kind in spec.types.values()
        for name, column in [*kind.attributes.items(), *kind.derived.items()]
    ]
    called += [
        column.label or name for relation in spec.relations.values() for name, column in relation.columns.items()
    ]
    called += [name for relation in spec.relations for name in built_in_columns(spec, relation) if name != PREVIOUS]
    return {word for label in called for word in label.replace("_", " ").lower().split() if word not in kinds}


def _units(spec: WorldSpec) -> Iterator[str]:
    for kind in spec.types.values():
        yield from (column.unit for column in (*kind.attributes.values(), *kind.derived.values()))
    for relation in spec.relations.values():
        yield from (column.unit for column in relation.columns.values())


def _vocabulary(texts: pa.ChunkedArray, known: set[str]) -> set[str]:
    """Return the words of pages spread evenly over the world, addresses put aside: in lower-case Latin letters, and
    pairs of Chinese signs that are no part of a `known` name or value.
    """
    rows = np.unique(np.linspace(0, max(len(texts) - 1, 0), _SAMPLED_PAGES).astype(np.int64))
    sampled = texts.take(pa.array(rows[: len(texts)])).to_pylist()
    plain = [_ADDRESS.sub(" ", text) for text in sampled]
    words = {word for text in plain for word in _LOWER.findall(text)}
    if not any(map(HAN.search, sampled)):
        return words
    return words | pairs_in((_LINK.sub(" ", text) for text in sampled), known)


def _hosts(urls: pa.ChunkedArray) -> set[str]:
    parts = pc.extract_regex(urls, r"^[a-z]+://(?P<host>[^/]+)")
    return set(pc.unique(pc.struct_field(parts, "host")).to_pylist())
