"""Make short names and initials from names. The result is empty where a name allows none."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import CULTURES, culture_of
from generators.names.frames import read_table, words
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_SMALL = "of|the|and|for|in|on|at|de|a|an"
_SPLIT = r"^(?P<before>.+?) (?:of|for|in|on|at|de) (?:the )?(?P<after>.+)$"
_LAST = r"^(?P<before>.+) (?P<after>\S+)$"
_FIRST = r"^(?P<before>\S+) (?P<after>.+)$"
_HANGING = rf"(?:[:,;&]| (?:{_SMALL}|&))+$"  # at the end of what is left of a name
_FIRST_WORD = r"^\p{Lu}[\p{L}'’-]{2}"  # what a shorter name begins with: a word, and no number
_CAPITALS = r"^\p{Lu}[\p{L}'’-]*( \p{Lu}[\p{L}'’-]*){1,5}$"


def shortened(names: pa.Array) -> list[pa.Array]:
    """Return the shorter forms of Chinese names, a column a form; null where a name has none.

    They are: the name without its kind, the first character of the place with what is left of the kind, and the place
    with it.
    """
    chinese, contracted = culture_of("chinese"), _contracted_kinds()
    before, kind = _cut(names, sorted(contracted, key=len, reverse=True))
    mark = pa.array(list(contracted.values())).take(pc.index_in(kind, pa.array(list(contracted))))
    dropped = {*words(read_table("chinese_short_forms.dropped")), *chinese.town_kinds, *chinese.region_kinds}
    bare, _ = _cut(names, sorted(dropped, key=len, reverse=True))
    first = pc.binary_join_element_wise(pc.utf8_slice_codeunits(before, 0, 1), mark, "")
    whole = pc.if_else(pc.greater(pc.utf8_length(mark), 1), pc.binary_join_element_wise(before, mark, ""), None)
    return [bare, first, whole]


@lru_cache
def _contracted_kinds() -> dict[str, str]:
    """Return what is left of the words for a kind of thing, after the place or its first character."""
    fields = read_table("chinese_short_forms.fields")
    return {
        **{f"{field}大学": f"{mark}大" for field, mark in fields.items()},
        **{f"{field}学院": f"{mark}院" for field, mark in fields.items()},
        **{f"第{number}{kind}学": f"{number}{kind}" for number in "一二三四五六七八九十" for kind in "中小"},
        **read_table("chinese_short_forms.kinds"),
    }


def _cut(names: pa.Array, kinds: list[str]) -> tuple[pa.Array, pa.Array]:
    """Cut names in two before the kind that they end in, the longest that they do; nulls where there is none."""
    parts = pc.extract_regex(names, rf"^(?P<before>\p{{Han}}{{2,}}?)(?P<kind>{'|'.join(kinds)})$")
    return pc.struct_field(parts, "before"), pc.struct_field(parts, "kind")


def short(stream: Stream, rows: Rows, *, of: pa.Array | str) -> Texts:
    """Shorten names: `Velmar Rovers` to `Velmar` or `Rovers`, `Alvano Tarn` to `A. Tarn`, 安溪大学 to 安大.

    What a name is left with tells it from all others of the column; where nothing does, there is no shorter name.
    """
    names = _column(of, len(rows))
    person = _initialled(names)
    split, cut = pc.extract_regex(names, _SPLIT), pc.match_substring_regex(names, r"^The ")
    halved = split.is_valid()
    choices = [person, *shortened(names)]
    for first, side in ((_LAST, "before"), (_FIRST, "after")):
        whole = pc.if_else(halved, pc.struct_field(split, side), pc.struct_field(pc.extract_regex(names, first), side))
        dropped = pc.if_else(cut, pc.replace_substring_regex(names, r"^The ", ""), whole)
        dropped = pc.replace_substring_regex(dropped, _HANGING, "")
        choices.append(pc.if_else(person.is_valid(), None, dropped))
    return _drawn(stream, rows, _keep_unique(choices, names))


def initials(stream: Stream, rows: Rows, *, of: pa.Array | str) -> Texts:
    """Write the first letters of names of two to six words, small words aside: `VR` for `Velmar Rovers`."""
    names = _column(of, len(rows))
    words = pc.utf8_trim_whitespace(pc.replace_substring_regex(names, rf"\b(?:{_SMALL})\b *", ""))
    words = pc.if_else(pc.match_substring_regex(words, _CAPITALS), words, None)
    return pc.replace_substring_regex(words, r"(\p{Lu})[\p{L}'’-]* ?", r"\1")


def _column(of: pa.Array | str, n_rows: int) -> pa.Array:
    return pa.repeat(of, n_rows) if isinstance(of, str) else of


def _initialled(names: pa.Array) -> pa.Array:
    """Write people's given names as an initial: those of a given name and a family name of one culture."""
    parts = pc.extract_regex(names, r"^(?P<given>(?P<initial>\p{Lu})\S+) (?P<family>\S+)$")
    given, family = (pc.struct_field(parts, part) for part in ("given", "family"))
    person = np.zeros(len(names), np.bool_)
    for key in CULTURES:
        if culture_of(key).space:
            both = pc.and_(pc.is_in(given, vocabulary(key, "given")), pc.is_in(family, vocabulary(key, "family")))
            person |= pc.fill_null(both, False).to_numpy(zero_copy_only=False)
    written = pc.binary_join_element_wise(pc.struct_field(parts, "initial"), family, ". ")
    return pc.if_else(pa.array(person), written, None)


def _keep_unique(choices: list[pa.Array], names: pa.Array) -> list[pa.Array]:
    """Keep the choices that no other name of the column is, or could be shortened to; null the others.

    The same name borne twice is no other name.
    """
    everything = pa.concat_arrays([names, *choices])
    bearers, codes = np.tile(_codes(names), 1 + len(choices)), _codes(everything)
    pairs = np.unique(np.stack([codes, bearers]), axis=1)
    n_bearers = np.bincount(pairs[0] + 1)[codes + 1]
    kept: npt.NDArray[np.bool_] = n_bearers == 1
    begins = pc.match_substring_regex(everything, rf"{_FIRST_WORD}|^\p{{Lu}}\. |^\p{{Han}}")
    kept &= pc.fill_null(begins, False).to_numpy(zero_copy_only=False)
    found = pc.if_else(pa.array(kept), everything, None)
    return [found.slice(len(names) * place, len(names)) for place in range(1, 1 + len(choices))]


def _codes(texts: pa.Array) -> Rows:
    codes: Rows = pc.fill_null(texts.dictionary_encode().indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    return codes


def _drawn(stream: Stream, rows: Rows, choices: list[pa.Array]) -> pa.Array:
    """Draw one of the choices that a row has."""
    there = np.stack([choice.is_valid().to_numpy(zero_copy_only=False) for choice in choices])
    wanted = stream.child("choice").integers(rows, 0, np.maximum(there.sum(axis=0) - 1, 0))
    place = np.argmax(np.cumsum(there, axis=0) == wanted + 1, axis=0)
    flat = pa.concat_arrays(choices)
    return flat.take(pa.array(place * len(rows) + np.arange(len(rows))))
