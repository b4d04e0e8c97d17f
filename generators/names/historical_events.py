"""Names of what history tells of: battles, treaties, other events, dynasties and their rulers."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import culture_of
from generators.names.frames import ByLanguage, Frames, framed, words
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.group_ranks import first_in_group, rank_in_group

_AGAIN = ("First {}", "Second {}", "Third {}", "Great {}", "Last {}")
_AGAIN_ZH = ("第一次{}", "第二次{}", "第三次{}", "大{}")
BATTLES: ByLanguage = {
    "en": Frames(
        ("Battle of {place}", "Siege of {place}", "Battle of the {place} Bridge", "Sack of {place}"), again=_AGAIN
    ),
    "zh": Frames(("{place}之战", "{place}之围", "{place}战役", "{place}会战"), again=_AGAIN_ZH),
}
TREATIES: ByLanguage = {
    "en": Frames(
        ("Treaty of {place}", "Peace of {place}", "{place} Accord", "{place} Convention", "Truce of {place}"),
        again=_AGAIN,
    ),
    "zh": Frames(("{place}条约", "{place}和约", "{place}协定", "{place}之盟"), again=_AGAIN_ZH),
}
EVENTS: ByLanguage = {
    "en": Frames(
        ("{place} {event}", "{event} of {place}", "{family} {affair}", "{region} {event}"),
        {
            "event": words(
                "Uprising Rebellion Famine Flood Fire Earthquake Plague Congress Mutiny Strike Partition Landing"
            ),
            "affair": words("Affair, Conspiracy, Reforms, Expedition, Trial, Succession, Scandal, Decree"),
        },
        _AGAIN,
    ),
    "zh": Frames(
        ("{place}{event}", "{region}{event}", "{given}{affair}"),
        {
            "event": words("起义 兵变 饥荒 水灾 大火 地震 瘟疫 会议 罢工 登陆"),
            "affair": words("变法 远征 之乱 案 新政 改制"),
        },
        _AGAIN_ZH,
    ),
}
DYNASTIES: ByLanguage = {
    "en": Frames(
        ("House of {family}", "{family} dynasty", "House of {place}"), again=("Elder {}", "Younger {}", "Second {}")
    ),
    "zh": Frames(("{place}王朝", "{region}王朝", "{given}氏"), again=("前{}", "后{}", "东{}", "西{}")),
}
_NAMES_A_HOUSE = 6
_A_HOUSE = 12  # how many rulers an invented house has
_ROMAN = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_DIGITS_ZH = "零一二三四五六七八九"


def battle(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name battles and sieges: `Siege of Velomar`, 鹭湾之战. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, BATTLES)


def treaty(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name treaties: `Peace of Velomar`, 鹭湾条约. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, TREATIES)


def event(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name what else is remembered: `Velomar Uprising`, 鹭湾水灾. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, EVENTS)


def dynasty(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name ruling houses: `House of Barabesko`, 鹭湾王朝. Thousands or more, no two the same."""
    return framed(stream, rows, culture, DYNASTIES)


def ruler(stream: Stream, rows: Rows, *, house: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name rulers of a house in the order of their rows: `Alvano III of the House of Barabesko`, 鹭湾王朝维远三世.

    A house has six given names of its own; the number says how many of its rulers bore the name up to then. Without
    `house`, every twelve rows are a house. No two the same.
    """
    houses = _houses(stream, rows, house, culture)
    groups = houses.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    given = vocabulary(culture, "given")
    which = stream.child("which").integers(rows, 0, _NAMES_A_HOUSE - 1)
    first = stream.child("given").integers(rows[first_in_group(groups)], 0, len(given) - 1)
    borne = (first + which * (len(given) // _NAMES_A_HOUSE)) % len(given)
    ordinal = rank_in_group(groups * len(given) + borne) + 1
    chinese = culture_of(culture).language == "zh"
    written = [
        _chinese_number(number) if chinese else _roman(number) for number in range(1, int(ordinal.max(initial=0)) + 1)
    ]
    number = pa.array(written, pa.string()).take(pa.array(ordinal - 1))
    name = given.take(pa.array(borne))
    if chinese:
        return pc.binary_join_element_wise(houses, name, number, "世", "")
    of = pc.if_else(pc.match_substring_regex(houses, r"^(House|\w+ House|.+ dynasty$)"), " of the ", " of ")
    return pc.binary_join_element_wise(name, " ", number, of, houses, "")


def _houses(stream: Stream, rows: Rows, given: pa.Array | str | None, culture: str) -> pa.Array:
    if isinstance(given, str):
        return pa.repeat(given, len(rows))
    return dynasty(stream.child("house"), rows // _A_HOUSE, culture=culture) if given is None else given


def _roman(number: int) -> str:
    """Write a number as kings count: 14 is XIV."""
    written = ""
    for value, letters in _ROMAN:
        written += letters * (number // value)
        number %= value
    return written


def _chinese_number(number: int) -> str:
    """Write a number in Chinese: 14 is 十四; beyond 99 digit by digit."""
    if number > 99:
        return "".join(_DIGITS_ZH[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    return ("" if tens < 2 else _DIGITS_ZH[tens]) + ("十" if tens else "") + (_DIGITS_ZH[ones] if ones else "")
