"""The English that facts hide in: months, numbers in words, negations, bounds, units, and the commonest words.

These are word lists, and judgements: what stands in `NEGATIONS` turns a statement round, what stands in `BOUNDS` makes
a figure mean another, what stands in `COMMON` (english_words.txt) is no name though it begins a sentence with a capital
letter.
"""

from __future__ import annotations

from pathlib import Path

from worldforge.world.value_text import MONTHS


def _words(text: str) -> list[str]:
    return text.split()


MONTH_NUMBERS = {name.lower(): number for number, name in enumerate(MONTHS, 1)} | {
    name[:3].lower(): number for number, name in enumerate(MONTHS, 1)
}
MONTH_NUMBERS["sept"] = 9

_TEENS = _words(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS: dict[str, str] = (
    {word: str(number) for number, word in enumerate(_words("zero one two three four five six seven eight nine"))}
    | {word: str(10 + place) for place, word in enumerate(_TEENS[:10])}
    | {word: f"{10 + place}." for place, word in enumerate(_TEENS[10:])}
    | {word: str(10 * number) for number, word in enumerate(_TENS, 2)}
    | {f"{word[:-1]}ieth": f"{10 * number}." for number, word in enumerate(_TENS, 2)}
    | {f"{word[:-1]}ies": f"{10 * number}s" for number, word in enumerate(_TENS, 2)}
    | {
        word: f"{number}."
        for number, word in enumerate(_words("second third fourth fifth sixth seventh eighth ninth"), 2)
    }
    | {"hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000", "trillion": "10e12"}
    | {"hundreds": "100s", "thousands": "1000s", "millions": "1000000s", "billions": "1000000000s"}
    | {"hundredth": "100.", "thousandth": "1000.", "dozen": "12", "dozens": "12s", "half": "1/2", "nil": "0"}
    | {"twice": "2 times", "thrice": "3 times", "double": "2 times", "triple": "3 times", "quarter": "1/4"}
    | {"quarters": "1/4s", "halves": "1/2s", "thirds": "1/3s", "fifths": "1/5s", "tenths": "1/10s", "nought": "0"}
    | {"forties": "40s", "couple": "2", "trio": "3", "pair": "2", "quartet": "4", "sole": "1", "single": "1"}
)
"""What a word counts: `7`, the ordinal `7.`, the vague `100s`, shares and times."""

ONE_IS_NO_NUMBER_BEFORE = frozenset(_words("of another who that which should can could may might would has"))
ONE_IS_NO_NUMBER_AFTER = frozenset(_words("no the this that any every each another which some such not"))

NEGATIONS = frozenset(
    _words(
        "not never no none nor neither nobody nothing nowhere without cannot hardly scarcely barely false falsely "
        "untrue wrong wrongly incorrect incorrectly mistaken mistakenly inaccurate denied denies deny disputed "
        "disputes former formerly previously ex except excluding unlike fails failed fail lacks lacked lacking lack "
        "instead opposite contrary allegedly supposedly rumoured rumored fictitious invented imaginary non ain"
    )
)
"""Words that turn a statement round, or put it off. `n't` counts as `not`."""

BOUNDS = frozenset(
    _words(
        "before after until till over under above below about around approximately approx roughly nearly almost circa "
        "between beyond past exceeding exceeds exceeded some by plus minus less more fewer"
    )
)
"""Words that, before a figure, make it mean another than it says."""
COMPARISONS = frozenset(_words("more less fewer greater larger smaller later earlier higher lower rather other"))

_UNITS = {
    "km": "kilometre kilometres kilometer kilometers",
    "m": "metre metres meter meters",
    "cm": "centimetre centimetres centimeter centimeters",
    "mm": "millimetre millimetres millimeter millimeters",
    "mi": "mile miles",
    "ft": "foot feet",
    "inch": "inches",
    "acre": "acres",
    "lb": "pound pounds",
    "oz": "ounce ounces",
    "gallon": "gallons",
    "mph": "",
    "kg": "kilogram kilograms kilo kilos",
    "g": "gram grams",
    "t": "tonne tonnes ton tons",
    "ha": "hectare hectares",
    "l": "litre litres liter liters",
    "km²": "sqkm",
    "m²": "sqm",
    "%": "percent",
    "kn": "knot knots",
}
UNITS: dict[str, str] = {unit: unit for unit in _UNITS} | {
    word: unit for unit, words in _UNITS.items() for word in words.split()
}
"""How units are written, and the one way in which they are compared."""

FUNCTION_WORDS = frozenset(
    _words(
        "a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in "
        "into is it its me my nor of on or our ours out she should so than that the their theirs them then there "
        "these they this those to too up us was we were what when where which while who whom whose why will with would "
        "you your yours am being both each either such until since upon per via also all any every"
    )
)

COMMON = FUNCTION_WORDS | frozenset(_words(Path(__file__).with_name("english_words.txt").read_text(encoding="utf-8")))
"""Words that begin a sentence without being a name."""
COMMON_ENDINGS = tuple(
    _words(
        "ation ations ition itions ction ctions ssion ssions ments ness ously ically fully edly ingly ively ably ibly"
    )
)
"""Endings that no name has: `Additions`, `Reportedly`."""
