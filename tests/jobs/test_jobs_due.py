"""Each fire time is on record once, whatever the clock, kills and other schedulers do."""

from datetime import UTC, datetime, timedelta

import pytest

from worldforge.jobs.due_runs import record_due_runs
from worldforge.jobs.job_ledger import JobLedger
from worldforge.jobs.jobs_file import JobSchedule

NOON = datetime(2031, 6, 30, 12, 0, 1, tzinfo=UTC)
HOURLY = {"cron": "0 * * * *"}


class Clock:
    """A ledger, and times in minutes after noon at which due runs are recorded."""

    def __init__(self, folder):
        self.ledger = JobLedger(folder)

    def at(self, minutes, newest=False, since=None, **schedule):
        now = NOON + timedelta(minutes=minutes)
        schedule = JobSchedule(**HOURLY | schedule)
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


def test_a_new_job_starts_with_the_next_fire_time(clock):
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
def test_fire_times_that_passed_while_nothing_was_serving_follow_catch_up(clock, policy, queued, n_missed):
    clock.at(30)
    lines = clock.at(210, catch_up=policy)
    assert clock.records("queued") == queued
    assert len(clock.records("missed")) == n_missed == len(lines)


def test_no_fire_time_is_run_later_than_its_grace(clock):
    clock.at(30)
    (line,) = clock.at(60 * 48, catch_up="all", grace="90m")
    assert clock.records("queued") == ["02 11:00 catch-up queued", "02 12:00 schedule queued"]
    assert "since 2031-06-30 13:00" in line


def test_a_fire_time_that_is_on_time_replaces_the_late_ones(clock):
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
def test_fire_times_during_an_open_run_follow_overlap(clock, policy, states):
    clock.at(-30)
    for minutes in (0, 60, 120):
        clock.at(minutes, overlap=policy)
    assert [line.split()[-1] for line in clock.records()] == states


def test_overlap_latest_does_not_replace_a_run_that_started(clock):
    clock.at(-30)
    clock.at(0, overlap="latest")
    clock.ledger.update(clock.ledger.runs("job")[0].id, state="running")
    clock.at(60, overlap="latest")
    clock.at(120, overlap="latest")
    assert [line.split()[-1] for line in clock.records()] == ["running", "skipped", "queued"]


def test_a_clock_set_back_repeats_nothing_and_a_corrected_clock_loses_nothing(clock):
    clock.at(-30)
    clock.at(0)
    clock.done()
    clock.at(-90)  # set back by an hour and a half
    assert clock.at(-60) == [] and clock.at(0) == []
    assert clock.records() == ["30 11:00 schedule queued", "30 12:00 schedule done"]
    clock.done()
    clock.at(60 * 24 * 365, catch_up="none")  # a year ahead, by mistake
    clock.at(30, overlap="queue")
    clock.at(60, overlap="queue")
    assert clock.records("queued") == ["30 13:00 schedule queued", "29 12:00 schedule queued"]


def test_a_changed_schedule_counts_from_now(clock):
    clock.at(-30)
    clock.at(600, cron="* * * * *", catch_up="all")
    assert clock.records() == []


def test_jitter_keeps_a_fire_time_on_time(clock):
    clock.at(-30)
    clock.at(9, jitter="10m")
    assert clock.records() == ["30 12:00 schedule queued"]


def test_another_scheduler_runs_the_newest_fire_time_once(clock):
    """However long it waited in a queue; the first call runs the last fire time."""
    clock.at(50, newest=True)
    assert clock.records() == ["30 12:00 schedule queued"]
    clock.done()
    clock.at(55, newest=True)
    clock.at(175, newest=True, catch_up="none")
    assert clock.records() == ["30 12:00 schedule done", "30 13:00 schedule missed", "30 14:00 schedule queued"]


def test_an_hourly_check_finds_each_fire_time_once(clock):
    """As cron does it: the first check runs nothing that was due before it."""
    minute_ago = NOON - timedelta(minutes=1)
    clock.at(0.1, since=minute_ago, cron="0 10 * * *")
    assert clock.records() == []
    clock.at(0.2, since=minute_ago)
    clock.at(0.3, since=minute_ago)
    assert clock.records() == ["30 12:00 schedule queued"]


def test_two_servers_of_one_folder_run_each_fire_time_once(clock, tmp_path):
    other = Clock(tmp_path)
    for minutes in (-30, 0, 60):
        clock.at(minutes, overlap="queue")
        other.at(minutes + 0.1, overlap="queue")
    assert clock.records() == ["30 12:00 schedule queued", "30 13:00 schedule queued"]
