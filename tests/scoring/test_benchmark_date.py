"""Dates as dateparser 1.2.2 read them for the benchmark, recorded from it."""

import datetime

import pytest

from worldforge.scoring import benchmark_metrics
from worldforge.scoring.benchmark_metrics import MOST_READ, BenchmarkDates
from worldforge.scoring.cell_date import read_date

DAY = datetime.date(2025, 8, 11)


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        *((cell, "2024-06-18") for cell in (
            "2024-06-18", "18 June 2024", "June 18, 2024", "18/06/2024", "18.06.2024", "18-Jun-2024", "18 Jun 2024",
            "18th of June, 2024", "Tuesday 18 June 2024", "2024年6月18日", "6/18/24", "2024/6/18", "2024-6-18",
        )),
        ("06/07/2024", "2024-06-07"),
        ("June 2024", "2024-06-01"),
        ("1911-05", "1911-05-01"),
        ("5 mai 1911", "1911-05-05"),
        ("2024", "2024-08-01"),
        ("circa 1911", "1911-08-01"),
        ("c. 1911", "1911-08-11"),
        ("12", "2025-12-01"),
        ("May", "2025-05-01"),
        ("24-6-18", "2018-06-24"),
        ("18 June 1024", "1024-06-18"),
        ("1868-01-01", "1868-01-01"),
        ("nan", "2025-08-01"),
    ],
)  # fmt: skip
def test_a_date_reads_as_it_did_there(cell, day):
    read = BenchmarkDates(DAY).read(cell)
    assert read is not None
    assert read.date().isoformat() == day


@pytest.mark.parametrize("cell", ["soon", "unknown", "not recorded", "", "NULL", "---", "1911 1912", "20240618"])
def test_what_was_no_date_there_is_none(cell):
    assert BenchmarkDates(DAY).read(cell) is None


def test_a_time_zone_is_kept():
    read = BenchmarkDates(DAY).read("2024-06-18T10:00:00Z")
    assert read is not None
    assert read.utcoffset() == datetime.timedelta()


@pytest.mark.parametrize("cell", ["7 March 1999", "March 7, 1999", "1999-03-07", "7/3/1999", "3/7/1999", "March 1999"])
def test_the_ways_that_are_not_put_to_dateparser_read_alike_there(cell):
    asked = benchmark_metrics._parse(cell, DAY)
    written = read_date(cell)
    assert asked is not None
    assert written is not None
    assert asked.date() == written.first_day() == BenchmarkDates(DAY).read(cell).date()


def test_dateparser_is_asked_about_so_many_cells_and_no_more(monkeypatch):
    asked = []
    monkeypatch.setattr(benchmark_metrics, "_parse", lambda cell, day: asked.append(cell))
    dates = BenchmarkDates(DAY)
    for number in range(2 * MOST_READ):
        dates.read(f"day {number}")
        dates.read(f"day {number}")
    dates.read("x" * 1_000)
    assert len(asked) == MOST_READ
