"""Generators of values: numbers, years, dates, choices and codes. Each row uses one random number.

    integer(stream, rows, low=0, high=14, distribution="geometric")     ->  pa.Array of int64, one value a row

A bound is a value for all rows, or a column with one a row.
"""

from generators.values.addresses import website
from generators.values.choices import boolean, choice, colour, occupation
from generators.values.codes import code, time, version
from generators.values.numbers import date, integer, number, sequence, year, year_sequence

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
    "website",
    "year",
    "year_sequence",
]
