"""Write Latin names in Chinese characters, and Chinese names in pinyin; and compose names by an expression."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

import pyarrow as pa

from generators.names.cultures import culture_of
from generators.names.frames import read_table
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_CHINESE = re.compile(r"([\u4e00-\u9fff]+)")
_OPEN = re.compile(r"[aeoāēō]")  # a syllable that begins so is set off: Xi'an is no Xian


def composed(stream: Stream, rows: Rows, *, text: pa.Array | str) -> Texts:
    """Name rows after what an expression gives: `text: "= competition.name || ' ' || year"`.

    That no two come out the same is up to the expression. The name is made of others; nothing is drawn.
    """
    return pa.repeat(text, len(rows)) if isinstance(text, str) else text


def transliterated(stream: Stream, rows: Rows, *, of: pa.Array | str) -> Texts:
    """Write Chinese names in pinyin without tones: 陈维远 gives `Chen Weiyuan`, 鹭湾市 `Luwan`; others stay.

    What is neither a person nor a place is cut into words of two characters: 鹭湾商业银行 gives `Luwan Shangye
    Yinhang`. Two people of the culture `chinese`, or two of its towns, are never written alike.
    """
    return _each_once(of, len(rows), _latin)


def _each_once(of: pa.Array | str, n_rows: int, write: Callable[[str], str | None]) -> pa.Array:
    encoded = (pa.repeat(of, n_rows) if isinstance(of, str) else of).dictionary_encode()
    return pa.array([write(name) for name in encoded.dictionary.to_pylist()], pa.string()).take(encoded.indices)


def _latin(name: str) -> str:
    """Write one name, run of characters by run; what is Latin already stands between."""
    runs = [_words(run) if _CHINESE.fullmatch(run) else run.strip() for run in _CHINESE.split(name)]
    return " ".join(run for run in runs if run)


def _words(text: str) -> str:
    from pypinyin import lazy_pinyin  # takes longer to import than most columns take to draw

    chinese = culture_of("chinese")
    is_place = text[-1] in (*chinese.town_kinds, *chinese.region_kinds)
    if len(text) in (2, 3) and text[0] in _family_names() and not is_place:
        readings = lazy_pinyin(list(text), v_to_u=True)
        return f"{_word(readings[:1])} {_word(readings[1:])}"
    if len(text) > 2 and is_place:
        return _word(lazy_pinyin(list(text[:-1]), v_to_u=True))
    readings = lazy_pinyin(text, v_to_u=True)
    cuts = [*range(0, max(len(readings) - 1, 1), 2), len(readings)]
    return " ".join(_word(readings[start:end]) for start, end in pairwise(cuts))


def _word(readings: list[str]) -> str:
    """Join syllables into one word with a capital: `xi` and `an` give `Xi'an`."""
    return readings[0].capitalize() + "".join(f"'{one}" if _OPEN.match(one) else one for one in readings[1:])


@lru_cache
def _family_names() -> frozenset[str]:
    return frozenset(vocabulary("chinese", "family").to_pylist())


_SMALL = {"the", "and", "a", "an", "in", "on", "at"}
_OF = re.compile(r" (?:of|for|de) (?:the )?")
_PARTS = re.compile(r"&|[–-]|[^\s&–-]+")
_JOINTS = {"&": "与", "–": "—", "-": "—"}


def in_chinese(stream: Stream, rows: Rows, *, of: pa.Array | str) -> Texts:
    """Write Latin names in Chinese characters: `Velomar Rovers` gives 韦洛马尔流浪者; Chinese ones stay.

    A word is always written alike, so that a town and its club show it. Words for kinds of things are translated, all
    others written by their sound. Nothing where a name has other words than capitalised ones.
    """
    return _each_once(of, len(rows), _chinese)


def _chinese(name: str) -> str | None:
    if not name.isascii() and re.search(r"[\u3400-\u9fff]", name):
        return name
    before, *after = (_ordered(part) for part in _OF.split(name, maxsplit=1))
    if before is None or None in after:
        return None
    names, kinds = before
    inner = "".join(part for pair in after if pair for part in pair)
    return names + inner + kinds if kinds else inner + names


@dataclass(frozen=True)
class _Sounds:
    """Rules for writing Latin words in Chinese characters, read from `tables/chinese_sounds.yaml`."""

    described: dict[str, str]
    kinds: dict[str, str]
    spelling: list[tuple[str, str]]
    endings: dict[str, str]
    syllables: dict[str, str]


@lru_cache
def _sounds() -> _Sounds:
    table = read_table("chinese_sounds")
    syllables = {}
    for line in table["syllables"].splitlines():
        consonant, *characters = line.split()
        for vowel, character in zip(table["vowels"].split(), characters, strict=True):
            syllables[f"{consonant}{vowel}".replace("_", "")] = character.replace("·", "")
    kinds = {word: meant for group in table["kinds"].values() for word, meant in group.items()}
    endings = dict(sorted(table["endings"].items(), key=lambda item: -len(item[0])))
    return _Sounds(table["described"], kinds, table["spelling"], endings, syllables)


def _ordered(text: str) -> tuple[str, str] | None:
    """Return what is written by its sound, with what describes it, and the kinds that follow; None for other words."""
    names: list[tuple[str, str]] = []
    kinds, sounds = "", _sounds()
    for word in _PARTS.findall(text):
        if word.lower() in _SMALL:
            continue
        if word in _JOINTS:
            names.append(("joint", _JOINTS[word]))
        elif word in sounds.kinds:
            kinds += sounds.kinds[word]
        elif word in sounds.described:
            names.append(("described", sounds.described[word]))
        elif word.isdigit():
            names.append(("number", word))
        elif word[0].isupper() and (sound := in_characters(word)):
            names.append(("sound", sound))
        else:
            return None
    joined = [
        ("·" if sort == "sound" else "").join(one for _, one in run) for sort, run in groupby(names, lambda n: n[0])
    ]
    return "".join(joined).strip("—"), kinds


_SYLLABLE = re.compile(
    r"(kw|gw|th|sh|ch|[bpdtgkvwfzsjhmnlry])?(?:(ai|au|[aeiou])(n(?![aeiouyw]))?)?(?=(.?))", re.IGNORECASE
)


@lru_cache(maxsize=100_000)
def in_characters(word: str) -> str:
    """Write one word in Chinese characters by its sound: `Velmar` gives 韦尔马尔. Other letters are dropped."""
    sounds = _sounds()
    plain = unicodedata.normalize("NFKD", word.lower())
    spoken = "".join(letter for letter in plain if letter.isascii() and letter.isalpha())
    ending = next((end for end in sounds.endings if spoken.endswith(end) and len(spoken) > len(end) + 1), "")
    stem = spoken[: len(spoken) - len(ending)]
    for pattern, sound in sounds.spelling:
        stem = re.sub(pattern, sound, stem)
    return _syllables(stem) + sounds.endings.get(ending, "")


def _syllables(text: str) -> str:
    """Cut a word into syllables, from the left, and write each by its character."""
    written, at = "", 0
    while at < len(text):
        found = _SYLLABLE.match(text, at)
        assert found is not None
        onset, vowel, closed = found[1] or "", found[2] or "", found[3] or ""
        if not onset and not vowel:
            at += 1  # a letter that nothing speaks
            continue
        if not onset and written and text[at - 1] == "i" and vowel in ("a", "o", "u"):
            onset = "y"  # Brenania ends in 尼亚
        short = vowel if not closed else {"ai": "a", "au": "o"}.get(vowel, vowel)
        written += _sounds().syllables[f"{onset}{short}{'n' if closed else ''}"]
        at = found.end()
    return written
