"""The types that pandas 2 guesses for a column of a CSV file, and its cells as strings again, whatever pandas is there.

    as_pandas_reads(["2020", ""])        ->  PandasColumn("float", ["2020.0", "nan"])
    as_pandas_reads(["007", "12"])       ->  PandasColumn("int", ["7", "12"])
    as_pandas_reads(["007", "twelve"])   ->  PandasColumn("text", ["007", "twelve"])

The benchmark fixes pandas at 2.3.1. Later ones read figures of 17 digits and more, and whole numbers beyond 64 bits,
otherwise. What is here was checked against that version cell by cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

Kind = Literal["int", "unsigned", "float", "bool", "text"]

BLANK = "nan"
"""How a blank cell reads once pandas has seen it."""
_BLANKS = frozenset({
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
})  # fmt: skip
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?)([0-9]*))?")
_INFINITY = re.compile(r"([-+]?)(?:inf|infinity)", re.IGNORECASE)
_BOOLS = {"True": "True", "TRUE": "True", "true": "True", "False": "False", "FALSE": "False", "false": "False"}
_MOST_DIGITS = 17  # that a figure is read from, leading zeros among them; further ones only scale it
_EXACT_DIGITS = 15  # to here Python and pandas read the same
_MOST_EXPONENT = 308
_LEAST_INT64, _MOST_INT64, _MOST_UINT64 = -(2**63), 2**63 - 1, 2**64 - 1
_LONGEST_INT = 32  # figures; what has more is out of range all the same


class PandasColumn(NamedTuple):
    """A column's type and its cells as `astype(str)` writes them."""

    kind: Kind
    cells: list[str]


def as_pandas_reads(cells: Sequence[str]) -> PandasColumn:
    """Guess the type of a column of a CSV file from its cells as they stand there, and write them in it."""
    present = [cell for cell in cells if cell not in _BLANKS]
    if not present:
        return PandasColumn("float", [BLANK] * len(cells))
    has_blanks = len(present) < len(cells)
    match _whole_numbers(present, has_blanks):
        case "float" if numbers := _floats(present):
            return PandasColumn("float", _filled(cells, map(str, numbers)))
        case "float" if all(cell in _BOOLS for cell in present):
            return PandasColumn("text" if has_blanks else "bool", _filled(cells, map(_BOOLS.__getitem__, present)))
        case "int" if has_blanks:
            return PandasColumn("float", _filled(cells, map(_int_as_float, present)))
        case "int" | "unsigned" as kind:
            return PandasColumn(kind, [str(_int(cell)) for cell in present])
        case "as they stand":
            return PandasColumn("text", list(cells))
        case _:
            return PandasColumn("text", _filled(cells, present))


def _floats(cells: Sequence[str]) -> list[float]:
    """Read all figures; none where a cell is no figure: most columns are words, and the first cell tells."""
    numbers = []
    for cell in cells:
        if (number := _float(cell)) is None:
            return []
        numbers.append(number)
    return numbers


def _filled(cells: Sequence[str], written: Iterable[str]) -> list[str]:
    """Put what is written where cells are not blank."""
    following = iter(written)
    return [BLANK if cell in _BLANKS else next(following) for cell in cells]


def _int_as_float(cell: str) -> str:
    number = _int(cell)
    return BLANK if number == _LEAST_INT64 else str(float(number))  # pandas marks a missing whole number so


def _whole_numbers(
    cells: Sequence[str], has_blanks: bool
) -> Literal["int", "unsigned", "float", "text", "as they stand"]:
    """Tell which whole numbers these are; "float" where one is none, "text" where they are too large.

    Read one after the other: what stands after the first that does not fit in 64 bits decides only on that.
    """
    for cell in cells:
        if _INT.fullmatch(cell) is None:
            return "float"
        if len(cell) > _EXACT_DIGITS and not _LEAST_INT64 <= _int(cell) <= _MOST_INT64:
            return _large_numbers(cells, has_blanks)
    return "int"


def _large_numbers(cells: Sequence[str], has_blanks: bool) -> Literal["unsigned", "float", "text", "as they stand"]:
    has_large = has_signed = False
    for cell in cells:
        if cell.startswith("-"):
            has_signed = True
        elif _INT.fullmatch(cell) is None:
            return "float"
        elif (number := _int(cell)) > _MOST_UINT64:
            return "text"
        else:
            has_large |= number > _MOST_INT64
    if has_large and (has_blanks or has_signed):
        return "as they stand"
    return "text" if has_signed else "unsigned"


def _int(cell: str) -> int:
    """Read a whole number; one that is far out of range reads as another that is."""
    if len(cell) <= _EXACT_DIGITS:
        return int(cell)
    digits = cell.lstrip("+-0")[:_LONGEST_INT] or "0"
    return -int(digits) if cell.startswith("-") else int(digits)


def _float(cell: str) -> float | None:
    """Read a figure as pandas' `precise_xstrtod` does; None where it is none, or out of range."""
    found = _FLOAT.fullmatch(cell)
    if found is None:
        infinite = _INFINITY.fullmatch(cell)
        return (-math.inf if infinite[1] == "-" else math.inf) if infinite else None
    sign, before, after, minus, power = found.groups()
    after = after or ""
    if not before and not after:
        return None
    if power is None and len(before) + len(after) <= _EXACT_DIGITS:
        return float(cell)
    return _scaled(sign, before, after, (minus, power))


def _scaled(sign: str, before: str, after: str, power: tuple[str | None, str | None]) -> float | None:
    used = (before + after)[:_MOST_DIGITS]
    number = 0.0
    for digit in used:
        number = number * 10.0 + int(digit)
    exponent = max(len(before) - _MOST_DIGITS, 0) - max(len(used) - len(before), 0)
    if power[1] is not None:
        if not power[1]:  # an `e` with no figures after it
            return None
        exponent += int(f"{power[0] or ''}{power[1][:_MOST_DIGITS]}")
    if exponent > _MOST_EXPONENT:
        return None
    if exponent >= 0:
        number *= float(f"1e{exponent}")
    elif exponent < -_MOST_EXPONENT:
        below = -exponent - _MOST_EXPONENT
        if below > _MOST_EXPONENT:
            return None
        number = number / float(f"1e{below}") / 1e308
    else:
        number /= float(f"1e{-exponent}")
    if math.isinf(number):
        return None
    return -number if sign == "-" else number
