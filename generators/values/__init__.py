"""Values: numbers, years, dates, choices and fillers, one draw a row through an inverse distribution.

    integer(stream, rows, low=0, high=14, distribution="geometric")     ->  pa.Array of int64, one value a row

A bound is a value for all rows, or a column with one a row.
"""

from generators.values.choices import boolean, choice
from generators.values.dates import date
from generators.values.fillers import colour, occupation
from generators.values.integers import integer, year
from generators.values.numbers import number

__all__ = ["boolean", "choice", "colour", "date", "integer", "number", "occupation", "year"]
