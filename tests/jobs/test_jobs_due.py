"""Which fires are due: each is on record once, whatever the clock, the kills and the schedulers beside this one do."""

from datetime import UTC, datetime, timedelta

import pytest

from worldforge.jobs.due_runs import record_due_runs
from worldforge.jobs.jobs_file import Schedule
from worldforge.jobs.ledger import Ledger

NOON = datetime(2031, 6, 30, 12, 0, 1, tzinfo=UTC)
HOURLY = {"cron": "0 * * * *"}


class Clock:
    """A ledger, and moments in minutes after noon at which it is reckoned."""

    def __init__(self, folder):
        self.ledger = Ledger(folder)

    def at(self, minutes, newest=False, since=None, **schedule):
        now = NOON + timedelta(minutes=minutes)
        schedule = Schedule(**HOURLY | schedule)
        return record_due_runs(self.ledger, "job", schedule, now, newest_is_due=newest, first_since=since)

    def records(self, *states):
        runs = reversed(self.ledger.runs("job", states))
        return [f"{datetime.fromisoformat(run.due):%d %H:%M} {run.trigger} {run.state}" for run in runs]

    def done(self):
        for run in self.ledger.runs("job", ("queued", "running", "interrupted")):
            self.ledger.update(run.id, state="done")


@pytest.fixture
def clock(tmp_path):
    return Clock(tmp_path)


def test_a_job_begins_when_it_is_first_served(clock):
    clock.at(-30)
    assert clock.records() == []
    clock.at(0)
    clock.at(0.5)
    assert clock.records() == ["30 12:00 schedule queued"]


@pytest.mark.parametrize(
    ("policy", "queued", "n_missed"),
    [
        ("none", [], 1),
        ("latest", ["30 15:00 catch-up queued"], 1),
        ("all", ["30 13:00 catch-up queued", "30 14:00 catch-up queued", "30 15:00 catch-up queued"], 0),
    ],
)
def test_what_passed_while_nothing_was_serving_goes_by_policy(clock, policy, queued, n_missed):
    clock.at(30)
    said = clock.at(210, catch_up=policy)
    assert clock.records("queued") == queued
    assert len(clock.records("missed")) == n_missed == len(said)


def test_no_fire_is_made_up_for_that_is_older_than_its_grace(clock):
    clock.at(30)
    (said,) = clock.at(60 * 48, catch_up="all", grace="90m")
    assert clock.records("queued") == ["02 11:00 catch-up queued", "02 12:00 schedule queued"]
    assert "since 2031-06-30 13:00" in said


def test_the_fire_that_is_on_time_stands_for_those_before(clock):
    clock.at(30)
    clock.at(180)
    assert clock.records("queued") == ["30 15:00 schedule queued"]
    assert clock.records("missed") == ["30 14:00 schedule missed"]
    assert "since 2031-06-30 13:00" in clock.ledger.runs("job", ("missed",))[0].message


@pytest.mark.parametrize(
    ("policy", "states"),
    [
        ("skip", ["queued", "skipped", "skipped"]),
        ("queue", ["queued", "queued", "queued"]),
        ("latest", ["skipped", "skipped", "queued"]),
    ],
)
def test_fires_that_come_while_a_run_is_open(clock, policy, states):
    clock.at(-30)
    for minutes in (0, 60, 120):
        clock.at(minutes, overlap=policy)
    assert [line.split()[-1] for line in clock.records()] == states


def test_a_run_under_way_does_not_give_way(clock):
    clock.at(-30)
    clock.at(0, overlap="latest")
    clock.ledger.update(clock.ledger.runs("job")[0].id, state="running")
    clock.at(60, overlap="latest")
    clock.at(120, overlap="latest")
    assert [line.split()[-1] for line in clock.records()] == ["running", "skipped", "queued"]


def test_a_clock_that_is_put_back_doubles_nothing_and_one_put_right_loses_nothing(clock):
    clock.at(-30)
    clock.at(0)
    clock.done()
    clock.at(-90)  # put back by an hour and a half
    assert clock.at(-60) == [] and clock.at(0) == []
    assert clock.records() == ["30 11:00 schedule queued", "30 12:00 schedule done"]
    clock.done()
    clock.at(60 * 24 * 365, catch_up="none")  # a year ahead, by mistake
    clock.at(30, overlap="queue")
    clock.at(60, overlap="queue")
    assert clock.records("queued") == ["30 13:00 schedule queued", "29 12:00 schedule queued"]


def test_another_schedule_begins_anew(clock):
    clock.at(-30)
    clock.at(600, cron="* * * * *", catch_up="all")
    assert clock.records() == []


def test_jitter_keeps_a_fire_on_time(clock):
    clock.at(-30)
    clock.at(9, jitter="10m")
    assert clock.records() == ["30 12:00 schedule queued"]


def test_another_scheduler_says_that_a_fire_is_due(clock):
    """It may have waited in a queue for hours; the same fire is not done twice, and the first call begins with it."""
    clock.at(50, newest=True)
    assert clock.records() == ["30 12:00 schedule queued"]
    clock.done()
    clock.at(55, newest=True)
    clock.at(175, newest=True, catch_up="none")
    assert clock.records() == ["30 12:00 schedule done", "30 13:00 schedule missed", "30 14:00 schedule queued"]


def test_one_who_looks_each_hour_finds_each_fire_once(clock):
    """As cron has it done: a first look is no reason to run what was due before it."""
    minute_ago = NOON - timedelta(minutes=1)
    clock.at(0.1, since=minute_ago, cron="0 10 * * *")
    assert clock.records() == []
    clock.at(0.2, since=minute_ago)
    clock.at(0.3, since=minute_ago)
    assert clock.records() == ["30 12:00 schedule queued"]


def test_two_that_serve_one_folder_do_each_fire_once(clock, tmp_path):
    other = Clock(tmp_path)
    for minutes in (-30, 0, 60):
        clock.at(minutes, overlap="queue")
        other.at(minutes + 0.1, overlap="queue")
    assert clock.records() == ["30 12:00 schedule queued", "30 13:00 schedule queued"]
