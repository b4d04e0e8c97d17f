"""Generate names of rulers, numbered within their dynasty."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import culture_of
from generators.names.frames import framed, frames_of
from generators.names.invented_words import vocabulary
from worldforge.core.arrays import first_in_group, rank_in_group
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_NAMES_A_HOUSE = 6
_A_HOUSE = 12  # how many rulers an invented house has
_ROMAN = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_DIGITS_ZH = "零一二三四五六七八九"


def ruler(stream: Stream, rows: Rows, *, house: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Draw names of rulers of a house, in row order: `Alvano III of the House of Barabesko`, 鹭湾王朝维远三世.

    A house has six given names of its own; the number says how many of its rulers bore the name up to then. Without
    `house`, every twelve rows are a house.
    """
    if house is None:
        house = framed(stream.child("house"), rows // _A_HOUSE, culture, frames_of("history.dynasty"))
    houses = pa.repeat(house, len(rows)) if isinstance(house, str) else house
    groups = houses.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    given = vocabulary(culture, "given")
    which = stream.child("which").integers(rows, 0, _NAMES_A_HOUSE - 1)
    first = stream.child("given").integers(rows[first_in_group(groups)], 0, len(given) - 1)
    borne = (first + which * (len(given) // _NAMES_A_HOUSE)) % len(given)
    ordinal = rank_in_group(groups * len(given) + borne) + 1
    chinese = culture_of(culture).language == "zh"
    write = _chinese_number if chinese else _roman
    numbers = pa.array([write(number) for number in range(1, int(ordinal.max(initial=0)) + 1)], pa.string())
    number, name = numbers.take(pa.array(ordinal - 1)), given.take(pa.array(borne))
    if chinese:
        return pc.binary_join_element_wise(houses, name, number, "世", "")
    of = pc.if_else(pc.match_substring_regex(houses, r"^(House|\w+ House|.+ dynasty$)"), " of the ", " of ")
    return pc.binary_join_element_wise(name, " ", number, of, houses, "")


def _roman(number: int) -> str:
    """Write a number as kings count: 14 is XIV."""
    written = ""
    for value, letters in _ROMAN:
        written += letters * (number // value)
        number %= value
    return written


def _chinese_number(number: int) -> str:
    """Return a number in Chinese numerals: 14 gives 十四. Numbers over 99 are written digit by digit."""
    if number > 99:
        return "".join(_DIGITS_ZH[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    return ("" if tens < 2 else _DIGITS_ZH[tens]) + ("十" if tens else "") + (_DIGITS_ZH[ones] if ones else "")
