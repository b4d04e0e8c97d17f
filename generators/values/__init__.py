"""Values: numbers, years, dates, choices, codes and fillers, one draw a row through an inverse distribution.

    integer(stream, rows, low=0, high=14, distribution="geometric")     ->  pa.Array of int64, one value a row

A bound is a value for all rows, or a column with one a row.
"""

from generators.values.choices import boolean, choice
from generators.values.codes import code, time, version
from generators.values.dates import date
from generators.values.fillers import colour, occupation
from generators.values.integers import integer, sequence, year, year_sequence
from generators.values.numbers import number

__all__ = [
    "boolean",
    "choice",
    "code",
    "colour",
    "date",
    "integer",
    "number",
    "occupation",
    "sequence",
    "time",
    "version",
    "year",
    "year_sequence",
]
