"""Names made from other columns: put together by an expression, or written in Latin letters."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

import pyarrow as pa

from generators.names.cultures import CULTURES
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
    given = pa.repeat(of, len(rows)) if isinstance(of, str) else of
    encoded = given.dictionary_encode()
    latin = pa.array([_latin(name) for name in encoded.dictionary.to_pylist()], pa.string())
    return latin.take(encoded.indices)


def _latin(name: str) -> str:
    """Write one name, run of characters by run; what is Latin already stands between."""
    runs = [_words(run) if _CHINESE.fullmatch(run) else run.strip() for run in _CHINESE.split(name)]
    return " ".join(run for run in runs if run)


def _words(text: str) -> str:
    from pypinyin import lazy_pinyin  # takes longer to import than most columns take to draw

    chinese = CULTURES["chinese"]
    if (
        len(text) in (2, 3)
        and text[0] in _family_names()
        and text[-1] not in (*chinese.town_kinds, *chinese.region_kinds)
    ):
        readings = lazy_pinyin(list(text), v_to_u=True)
        return f"{_word(readings[:1])} {_word(readings[1:])}"
    if len(text) > 2 and text[-1] in (*chinese.town_kinds, *chinese.region_kinds):
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
