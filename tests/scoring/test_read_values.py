"""Dates and numbers, read from the ways people write them."""

import datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.scoring.cell_date import CellDate, read_date
from worldforge.scoring.cell_number import Number, read_number
from worldforge.world.value_text import MONTHS


@pytest.mark.parametrize(
    "write",
    [
        "{d.year:04}-{d.month:02}-{d.day:02}",
        "{d.year:04}/{d.month}/{d.day}",
        "{d.day} {month} {d.year:04}",
        "{month} {d.day}, {d.year:04}",
        "{short}. {d.day}, {d.year:04}",
        "{d.day}-{short}-{d.year:04}",
        "the {d.day}th of {month}, {d.year:04}",
        "{d:%A}, {month} {d.day} {d.year:04}",
        "{d.day}{short}{d.year:04}",
        "**{d.day} {month} {d.year:04}**",
        "{d.year:04}年{d.month}月{d.day}日",
        "{d.year:04}-{d.month:02}-{d.day:02}T22:30:00.125Z",
        "{d.day} {month} {d.year:04}, 10:30 pm",
    ],
)
@settings(deadline=None)
@given(d=st.dates())
def test_a_day_is_read_as_it_was_written(write, d):
    month = MONTHS[d.month - 1]
    assert read_date(write.format(d=d, month=month, short=month[:3])) == CellDate(d.year, d.month, d.day)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2024", CellDate(2024, None, None)),
        ("(circa 1900)", CellDate(1900, None, None)),
        ("June 2024", CellDate(2024, 6, None)),
        ("Sept. 2024", CellDate(2024, 9, None)),
        ("06/2024", CellDate(2024, 6, None)),
        ("2024年6月", CellDate(2024, 6, None)),
        ("29 February", CellDate(None, 2, 29)),
        ("June 24", CellDate(None, 6, 24)),
        ("06/07/2024", CellDate(2024, 6, 7, ambiguous=True)),
        ("18/06/2024", CellDate(2024, 6, 18)),
        ("06/06/2024", CellDate(2024, 6, 6)),
        ("1 Jan 69", CellDate(1969, 1, 1, ambiguous=True)),
        ("1/2/68", CellDate(2068, 1, 2, ambiguous=True)),
    ],
)
def test_partial_and_doubtful_dates(text, written):
    assert read_date(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "", "soon", "nan", "12", "June", "2024-02-30", "31 June 2024", "2024-2025", "18–20 June 2024", "2020.0",
        "0000-01-01", "Q1 2024", "18 June 2024 or 2025", "1 2 3 4", "٢٠٢٤", "²024", "18 Foo 2024", " " * 65 + "2024",
    ],
)  # fmt: skip
def test_no_dates(text):
    assert read_date(text) is None


def test_the_first_day_a_date_can_mean():
    assert CellDate(2024, None, None).first_day() == datetime.date(2024, 1, 1)
    assert CellDate(None, 2, 29).first_day() == datetime.date(4, 2, 29)


@settings(deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**14), max_value=10**14))
def test_a_number_is_read_as_it_was_written(value):
    for text in (f"{value:f}", f"{value:,}", f"{value:,} km²", f"{value:,}".replace(",", "\u202f")):
        assert read_number(text) == Number(value)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1.2 million", Number(Decimal(1_200_000))),
        ("3 bn", Number(Decimal(3_000_000_000))),
        ("人口 12万", Number(Decimal(120_000))),
        ("12.5 %", Number(Decimal("12.5"), percent=True)),
        ("12 per cent", Number(Decimal(12), percent=True)),
        ("1e3", Number(Decimal(1000))),
        ("−5", Number(Decimal(-5))),
        ("+5", Number(Decimal(5))),
        ("164 cm (5 ft 5 in)", Number(Decimal(164))),
        ("(164)", Number(Decimal(164))),
        ("12 km2", Number(Decimal(12))),
        ("1911.", Number(Decimal(1911))),
    ],
)
def test_numbers_with_what_stands_around_them(text, number):
    assert read_number(text) == number


@pytest.mark.parametrize(
    "text", ["", "three", "1 or 2", "10-12", "2019/20", "A380", "1,2345", "1.2.3", "12,34", "٣", "9" * 200]
)
def test_no_single_number(text):
    assert read_number(text) is None
