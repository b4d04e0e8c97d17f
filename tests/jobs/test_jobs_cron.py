"""Cron expressions mean what crontab(5) says, and clock changes neither lose nor repeat a fire time."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.jobs.cron import fire_times, normalize_cron

UTC_ZONE = ZoneInfo("UTC")


def fires(cron, after, until, zone="Europe/Berlin"):
    moments = fire_times(
        normalize_cron(cron),
        ZoneInfo(zone),
        datetime.fromisoformat(after).replace(tzinfo=UTC),
        datetime.fromisoformat(until).replace(tzinfo=UTC),
    )
    return [f"{moment:%d %H:%M}" for moment in moments]


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("*/20 * * * *", "minutes", (0, 20, 40)),
        ("5/20 * * * *", "minutes", (5, 25, 45)),
        ("1,3,10-12 * * * *", "minutes", (1, 3, 10, 11, 12)),
        ("0 8-18/5 * * *", "hours", (8, 13, 18)),
        ("0 0 * feb-APR *", "months", (2, 3, 4)),
        ("0 0 * * 0", "weekdays", (0,)),
        ("0 0 * * 7", "weekdays", (7,)),
        ("0 0 * * 5-7", "weekdays", (5, 6, 7)),
        ("@weekly", "weekdays", (0,)),
    ],
)
def test_fields(text, field, values):
    assert sorted(getattr(CronSim(normalize_cron(text), datetime.min), field)) == [*values]


@pytest.mark.parametrize(
    "text",
    ["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "5-1 * * * *",
     "*/0 * * * *", "a * * * *", "* * * * mo", "1- * * * *", "0 0 30 2 *", "0 0 31 4,6 *", "@never", "٣ * * * *",
     "0 0 L * *", "0 0 LW * *", "0 0 * * 5#2", "0 0 * * 5L"],
)  # fmt: skip
def test_invalid_expressions_are_refused(text):
    with pytest.raises(ValueError, match=r"\w"):
        normalize_cron(text)


def test_sunday_is_sunday():
    first, second = islice(fire_times("0 0 * * 0", UTC_ZONE, datetime(2026, 11, 22, tzinfo=UTC)), 2)
    assert (first.day, second.day, first.strftime("%a")) == (29, 6, "Sun")


def test_either_day_matches_unless_one_starts_with_a_star():
    assert fires("0 0 13 * fri", "2026-02-01", "2026-02-28", "UTC") == ["06 00:00", "13 00:00", "20 00:00", "27 00:00"]
    assert fires("0 0 */2 * fri", "2026-02-01", "2026-02-28", "UTC") == ["13 00:00", "27 00:00"]


def test_a_skipped_local_time_fires_an_hour_later():
    assert fires("30 2 * * *", "2026-03-28T12:00", "2026-03-30T12:00") == ["29 01:30", "30 00:30"]
    assert fires("30 * * * *", "2026-03-29T00:00", "2026-03-29T03:00") == ["29 00:30", "29 01:30", "29 02:30"]


def test_every_time_of_a_skipped_hour_fires_and_so_does_the_midnight_after():
    assert fires("*/20 2 * * *", "2026-03-28T12:00", "2026-03-29T12:00") == ["29 01:00", "29 01:20", "29 01:40"]
    assert fires("0 0 * * *", "2026-03-28T12:00", "2026-03-30T23:00") == ["28 23:00", "29 22:00", "30 22:00"]


def test_a_repeated_local_time_fires_once_unless_the_schedule_covers_every_hour():
    assert fires("30 2 * * *", "2026-10-24T12:00", "2026-10-26T12:00") == ["25 00:30", "26 01:30"]
    assert fires("30 * * * *", "2026-10-24T23:00", "2026-10-25T02:45") == [
        "24 23:30",
        "25 00:30",
        "25 01:30",
        "25 02:30",
    ]


NUMBERS = st.tuples(st.integers(0, 59), st.integers(0, 23), st.integers(1, 28), st.integers(1, 12), st.integers(0, 6))


@settings(max_examples=12, deadline=None)
@given(NUMBERS, st.tuples(*[st.booleans()] * 5), st.integers(0, 20_000))
def test_fire_times_are_the_minutes_that_match(numbers, stars, start):
    """Compared with every minute of three days, by the rule of crontab(5)."""
    fields = ["*" if star else str(number) for number, star in zip(numbers, stars, strict=True)]
    begin = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=start)
    end = begin + timedelta(days=3)
    minute, hour, day, month, weekday = (None if star else n for n, star in zip(numbers, stars, strict=True))

    def matches(moment):
        days = [
            given == there
            for given, there in ((day, moment.day), (weekday, moment.isoweekday() % 7))
            if given is not None
        ]
        of_day = not days or any(days)
        return (
            of_day and minute in (None, moment.minute) and hour in (None, moment.hour) and month in (None, moment.month)
        )

    every = [begin + timedelta(minutes=n) for n in range(1, 3 * 1440 + 1)]
    found = list(fire_times(" ".join(fields), UTC_ZONE, begin, end))
    assert found == [moment for moment in every if matches(moment.astimezone(ZoneInfo("UTC")))]
