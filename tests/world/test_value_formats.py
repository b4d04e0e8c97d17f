"""Values in a site's own form: what is written is read back to the very value, whatever the unit and the style."""

import datetime
import itertools
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from worldforge.schema.spec_loader import load_spec
from worldforge.schema.web_section import Style
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.unit_conversion import _MEASURES, SiteUnit, in_style
from worldforge.world.value_formats import ValueFormat, decimals_of, form_of, write_in
from worldforge.world.value_text import as_held

RATES = {"crowns": 1.0, "marks": 2.5, "florins": 0.4, "liras": 3.1, "pence": 0.007}
UNITS = [
    *_MEASURES, "", "thousand km", "per km²", "marks per m²", "kW/kg", "million crowns", "marks a night", "%", "points",
    "liras", "thousand pence", "cars a year",
]  # fmt: skip
STYLES = [
    Style(dates=dates, numbers=numbers, units=units, currency=currency)
    for (dates, numbers), units, currency in itertools.product(
        [("day month year", "comma"), ("iso", "point"), ("month day, year", "space"), ("day.month.year", "plain")],
        ["metric", "imperial"],
        [None, "crowns", "liras"],
    )
]


def form(kind, unit="", decimals=0, **style):
    chosen = Style(**style)
    return ValueFormat(kind, chosen, in_style(unit, chosen, RATES), decimals)


@pytest.mark.parametrize("unit", UNITS)
def test_whole_numbers_come_back_whatever_the_unit(unit):
    values = [*range(-20, 100), 12_400, 999_999, 10**9 + 7, -(10**12), 2**53 + 1, 2**63 - 1, -(2**63), None]
    for style in STYLES:
        one = ValueFormat("integer", style, in_style(unit, style, RATES))
        assert [text and one.read(text) for text in write_in(pa.array(values), one).to_pylist()] == values


@example([20521462], 0, "km/h", Style(units="imperial"))  # a half comes back, but barely
@given(
    st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=8),
    st.integers(0, 6),
    st.sampled_from(UNITS),
    st.sampled_from(STYLES),
)
def test_numbers_come_back_with_no_decimal_too_many(digits, decimals, unit, style):
    held = as_held(pa.array([number / 10**decimals for number in digits]), pa.float64())
    one = ValueFormat("number", style, in_style(unit, style, RATES), decimals_of(held))
    plain = ValueFormat("number", Style(), one.unit, one.decimals)
    for value, text, bare in zip(
        held.to_pylist(), write_in(held, one).to_pylist(), write_in(held, plain).to_pylist(), strict=True
    ):
        assert one.read(text) == value
        *_, decimal_places = bare.partition(".")
        if one.unit.converts and decimal_places:
            fewer = f"{float(bare.replace(',', '')):.{len(decimal_places) - 1}f}"
            back = (Fraction(fewer) - one.unit.offset) / one.unit.scale
            halfway = abs(back - round(Fraction(value), one.decimals)) == Fraction(1, 2) / 10**one.decimals
            assert plain.read(fewer) != value or halfway  # half of the last decimal comes back by luck alone


def test_a_count_that_stands_as_a_word_is_replaced_by_a_word():
    counts = ValueFormat("integer", Style(), SiteUnit(""), may_be_spelled=True)
    for value, text, written in (
        (3, "Two", "Three"), (1, "twice", "once"), (4, "once", "four times"), (12, "twice", "12 times"),
        (12, "nine", "twelve"), (47, "Twelve", "Forty-seven"), (120, "Twelve", "120"), (3, "2", "3"),
            (3, "fifth", "third"), (22, "3rd", "22nd"), (111, "first", "111th"),
    ):  # fmt: skip
        assert counts.written_like(value, text) == written
        assert counts.read(written) == value


def test_amounts_of_money_have_both_decimals_or_none():
    spec = load_spec("world_schemas/electronics.yaml")
    prices, whole = pa.array([27.5, 1951.7, 3.0, 2.25, None]), pa.array([27.0, 1951.0, None])
    dear = form_of(spec, Style(), "number", "florins", prices)
    texts = write_in(prices, dear).to_pylist()
    assert texts == ["27.50", "1,951.70", "3.00", "2.25", None]
    assert [text and dear.read(text) for text in texts] == prices.to_pylist()
    for unit, held in (("florins", whole), ("km", prices), ("%", prices), ("", prices), ("million florins", prices)):
        assert not form_of(spec, Style(), "number", unit, held).has_cents


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(9999, 12, 31)), st.sampled_from(STYLES))
def test_dates_come_back(day, style):
    one = ValueFormat("date", style, SiteUnit(""))
    (text,) = write_in(pa.array([day]), one).to_pylist()
    assert one.read(text) == day
    assert one.plainly(text) == f"{day.day} {day:%B} {day.year}"


@pytest.mark.parametrize(
    ("kind", "value", "style", "text"),
    [
        ("integer", 12400, {"numbers": "point"}, "12.400"),
        ("number", -12400.5, {"numbers": "point"}, "-12.400,5"),
        ("number", 12400.5, {"numbers": "space"}, "12 400.5"),
        ("number", 1234567.5, {"numbers": "plain"}, "1234567.5"),
        ("year", 1903, {"numbers": "point"}, "1903"),
        ("date", datetime.date(2024, 6, 8), {"dates": "iso"}, "2024-06-08"),
        ("date", datetime.date(2024, 6, 8), {"dates": "day.month.year"}, "08.06.2024"),
        ("date", datetime.date(2024, 6, 8), {"dates": "month day, year"}, "June 8, 2024"),
    ],
)
def test_forms(kind, value, style, text):
    types = {"integer": pa.int64(), "number": pa.float64(), "year": pa.int32(), "date": pa.date32()}
    assert write_in(pa.array([value], types[kind]), form(kind, **style)).to_pylist() == [text]


@pytest.mark.parametrize(
    ("unit", "named", "ten"),
    [
        ("km²", "square miles", "4"),
        ("per km²", "per square mile", "26"),
        ("°C", "°F", "50"),
        ("thousand km", "thousand miles", "6"),
        ("million marks", "million crowns", "25"),
        ("marks per m²", "crowns per square foot", "2.3"),
        ("kW", "kW", "10"),
        ("stars", "stars", "10"),
    ],
)
def test_units(unit, named, ten):
    one = form("integer", unit, units="imperial", currency="crowns")
    assert (one.unit.name, write_in(pa.array([10]), one).to_pylist()) == (named, [ten])


@pytest.mark.parametrize(
    "text", ["", "-", "1,5", "12.40", "12.400.5", "a", "٣", "1.2345", "9" * 200, "1,", "12 400", "--1"]
)
def test_what_no_such_site_writes_is_not_read(text):
    one = form("integer", numbers="point")
    assert one.read(text) is None and one.plainly(text) == text


def test_a_text_in_another_form_is_read_as_what_it_is():
    read = Lexicon([], ["marks"]).found
    told = [(found.kind, found.canonical) for found in read("18.06.2024: 12.400,5 long tons, 1.250.000 marks")]
    assert told == [
        ("date", "2024-06-18"), ("number", "12400.5"), ("unit", "long t"), ("number", "1250000"), ("value", "marks"),
    ]  # fmt: skip
    assert read("12.400 seats")[0].canonical != read("12.4 seats")[0].canonical


def test_how_many_decimals_a_column_holds():
    assert [decimals_of(pa.array(held)) for held in ([1.0, 2.0], [0.5, 12.0, None], [0.1 + 0.2, 1 / 3])] == [0, 1, 6]
    assert decimals_of(pa.array(np.round(np.arange(10_000) * 0.01, 2))) == 2
