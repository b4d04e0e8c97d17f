"""A run of a job: its steps, retries, limits, folder and record; resuming after a kill."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jobs_by_script import CHAIN, NOW, steps

from worldforge.cli.main import run as run_command
from worldforge.core.errors import InputError
from worldforge.jobs.job_ledger import JobBusyError, JobLedger
from worldforge.jobs.job_status import job_status
from worldforge.jobs.run_execution import MAX_CRASHES

BUILT = {"print": {"digest": "d1", "folder": "nowhere", "counts": {"entities": {"a": 2}, "pages": 3}}}
PLAYED = {"print": {"tally": {"n_episodes": 4, "n_failed": 0, "n_prompt_tokens": 70, "n_completion_tokens": 30}}}


def verbs(place):
    return [call[0] for call in place.calls()]


def test_steps_run_in_order_and_are_on_record(place):
    place.jobs(CHAIN)
    place.script(BUILT, PLAYED)
    (run,) = place.runner().run_now("chain")
    assert (run.state, run.exit_code, run.number, run.trigger, run.progress.step) == ("done", 0, 1, "manual", 3)
    assert (run.progress.tokens, run.world_digest) == (100, "d1")
    built, played = run.progress.counts[:2]
    assert (built["verb"], built["entities"], built["pages"]) == ("build", 2, 3)
    assert (played["verb"], played["n_episodes"], played["n_failed"], played["tokens"]) == ("rollout", 4, 0, 100)
    assert verbs(place) == ["build", "rollout", "export"] and place.calls() == run.progress.commands
    record = json.loads((place.folder / run.folder / "run.json").read_text())
    assert record["state"] == "done" and record["commands"] == run.progress.commands
    assert "step 3 of 3: worldforge export" in (place.folder / run.folder / "log.txt").read_text()
    (second,) = place.runner().run_now("chain")
    assert "--set=seed=2" in place.calls()[3] and second.folder != run.folder


def test_the_log_of_a_job_that_was_removed_can_still_be_read(place, capsys):
    place.jobs(CHAIN)
    place.runner().run_now("chain")
    place.jobs(CHAIN.replace("chain:", "renamed:"))
    logs = ["jobs", "logs", "--file", str(place.folder)]
    assert run_command([*logs, "chain"]) == 0
    assert "step 3 of 3: worldforge export" in capsys.readouterr().out
    assert run_command([*logs, "chaim"]) == 2
    assert "has no job `chaim`" in capsys.readouterr().err


def test_open_runs_of_a_job_that_was_removed_are_shown(place, capsys):
    place.jobs(CHAIN)
    place.ledger.add("chain", "manual", NOW)
    place.jobs(CHAIN.replace("chain:", "renamed:"))
    status = ["jobs", "status", "--file", str(place.folder)]
    assert run_command(status) == 0
    assert "chain    queued  no longer in jobs.yaml" in capsys.readouterr().out
    assert run_command([*status, "chain"]) == 0 and run_command([*status, "chaim"]) == 2


def test_status_shows_the_run_that_is_resumed_next(place):
    place.jobs(CHAIN)
    place.ledger.update(place.ledger.add("chain", "schedule", datetime.now(UTC)), state="interrupted", number=1)
    place.ledger.add("chain", "manual", NOW)
    stands = job_status(place.plan, place.ledger, "chain")
    assert (stands["state"], stands["run"], stands["waiting"]) == ("interrupted", 1, 1)


def test_failures_are_retried_and_wrong_input_is_not(place):
    place.jobs(CHAIN)
    place.script({"code": 1}, {"kill": True}, BUILT, {"code": 2})
    (run,) = place.runner().run_now("chain")
    assert verbs(place) == ["build", "build", "build", "rollout"]
    assert (run.state, run.exit_code, run.progress.step) == ("failed", 2, 1)
    assert run.message == "rollout ended with exit code 2: as scripted, 2"
    again = place.runner().retry("chain")
    assert [(r.number, r.state, r.trigger, r.folder) for r in again] == [(1, "done", "retry", run.folder)]
    assert verbs(place)[4:] == ["rollout", "export"]
    with pytest.raises(InputError, match="nothing to retry"):
        place.runner().retry("chain")


def test_retries_end(place):
    place.jobs(CHAIN)
    place.script({"code": 1}, {"code": 1}, {"code": 1})
    (run,) = place.runner().run_now("chain")
    assert (run.state, run.progress.attempts, verbs(place)) == ("failed", 3, ["build"] * 3)


@pytest.mark.parametrize(("policy", "state", "n"), [("continue", "partial", 3), ("fail", "failed", 1)])
def test_a_partial_step_follows_policy(place, policy, state, n):
    place.jobs(CHAIN + f"    partial: {policy}\n")
    place.script({"code": 4})
    (run,) = place.runner().run_now("chain")
    assert (run.state, run.exit_code, len(place.calls())) == (state, 4, n)


def test_a_check_that_finds_nothing_due_prints_nothing(place):
    """Cron mails whatever is printed, each hour."""
    place.jobs(CHAIN + "    schedule: {cron: '0 0 29 2 *', jitter: 1h}\n")
    assert place.runner().run_due("chain", newest_is_due=False, delayed=True) == [] and place.logged == []


def test_the_time_limit_kills_a_step_with_its_children(place, monkeypatch):
    monkeypatch.setattr("worldforge.jobs.step_process._INTERRUPT_TIMEOUT_S", 0.3)
    place.jobs(CHAIN + "    time_limit: 1.5\n")
    place.script({"sleep": 60, "child": True, "deaf": True})
    began = time.monotonic()
    (run,) = place.runner().run_now("chain")
    assert (run.state, run.exit_code) == ("timed out", 1) and time.monotonic() - began < 30
    assert len(place.calls()) == 1
    pid = int((place.folder / "child.pid").read_text())
    assert not Path(f"/proc/{pid}").exists() or "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()


def test_disk_is_checked_before_and_during_a_step(place, monkeypatch):
    monkeypatch.setattr("worldforge.jobs.run_execution._DISK_CHECK_S", 0.1)
    place.jobs(CHAIN + "    budget: {disk: 1 MB}\n")
    place.script({"write": 2_000_000, "where": "output/jobs/chain", "sleep": 0})
    place.ledger.add("chain", "manual", NOW)
    folder = "output/jobs/chain/20310630T003000Z-1"
    place.script({"write": 2_000_000, "where": folder, "sleep": 60})
    (run,) = place.runner().run_open("chain")
    assert (run.state, run.folder, run.progress.step) == ("over budget", folder, 0) and "2,0" in run.message
    place.jobs(CHAIN + "    budget: {free_disk: 1000 TB}\n")
    (run,) = place.runner().run_now("chain")
    assert run.state == "over budget" and "have to be" in run.message and len(place.calls()) == 1


def test_the_reason_for_a_stop_is_that_of_the_moment_of_the_stop(place, monkeypatch):
    monkeypatch.setattr("worldforge.jobs.run_execution._DISK_CHECK_S", 0.1)
    held = iter([0, 2_000_000])
    monkeypatch.setattr("worldforge.jobs.run_execution.folder_bytes", lambda _folder: next(held, 0))
    place.jobs(CHAIN + "    budget: {disk: 1 MB}\n")
    place.script({"sleep": 60})
    (run,) = place.runner().run_now("chain")
    assert (run.state, run.message) == ("over budget", "its folder has 2,000,000 bytes, and may have 1,000,000")


def test_the_token_budget_is_passed_to_rollouts_and_enforced(place):
    place.jobs(
        CHAIN.replace("[build, {rollout: {agent: oracle}}, export]", "[rollout, {rollout: {token_budget: 10}}, audit]")
        + "    budget: {tokens: 100}\n"
    )
    place.script({"print": {"tally": {"n_prompt_tokens": 60}}}, PLAYED)
    (run,) = place.runner().run_now("chain")
    assert [next(w for w in c if "token" in w) for c in place.calls()[:2]] == [
        "--token-budget=100",
        "--token-budget=10",
    ]
    assert (run.state, run.progress.tokens, run.progress.step) == ("over budget", 160, 2)


def test_tokens_of_a_rollout_that_did_not_finish_are_counted(place):
    place.jobs(steps("[rollout]") + "    budget: {tokens: 100}\n")
    place.script({"journal": [40, 20], "kill": True}, {"journal": [40, 20, 45], "code": 4})
    (run,) = place.runner().run_now("chain")
    assert [next(w for w in c if "token" in w) for c in place.calls()] == ["--token-budget=100", "--token-budget=40"]
    assert (run.state, run.message, run.progress.tokens) == ("over budget", "all of its 100 tokens are used", 105)


def test_a_stopped_run_is_resumed_at_its_step(place):
    place.jobs(CHAIN)
    place.script(BUILT, {"sleep": 60}, PLAYED)
    stop = threading.Event()
    threading.Thread(target=lambda: (wait_for(lambda: len(place.calls()) == 2), time.sleep(0.3), stop.set())).start()
    (run,) = place.runner(stop).run_now("chain")
    assert (run.state, run.exit_code, run.progress.step, run.ended) == ("interrupted", 130, 1, None)
    (run,) = place.runner().run_now("chain")
    assert (run.number, run.state, run.progress.resumed) == (1, "done", 1)
    assert verbs(place) == ["build", "rollout", "rollout", "export"]


def test_a_lost_run_is_found_and_resumed(place):
    place.jobs(CHAIN)
    place.script(BUILT)
    place.ledger.add("chain", "schedule", NOW, NOW)
    place.ledger.start_next("chain")
    (run,) = place.runner().run_open("chain")
    assert (run.number, run.state, run.progress.resumed, run.trigger) == (1, "done", 1, "schedule")


def test_a_run_that_is_lost_again_and_again_fails(place):
    place.jobs(CHAIN)
    place.ledger.add("chain", "schedule", NOW, NOW)
    for _ in range(MAX_CRASHES):
        place.ledger.start_next("chain")
    (run,) = place.runner().run_open("chain")
    assert run.state == "failed" and "lost 5 times" in run.message and not place.calls()


def test_a_changed_job_starts_anew(place):
    place.jobs(CHAIN)
    place.script({"code": 1}, {"code": 1}, {"code": 1})
    (run,) = place.runner().run_now("chain")
    place.ledger.update(run.id, state="interrupted")
    place.jobs(CHAIN.replace("oracle", "noisy-searcher"))
    (run,) = place.runner().run_now("chain")
    assert (run.number, run.state) == (2, "done")
    assert [r.state for r in place.ledger.runs("chain")] == ["done", "abandoned"]


HOLD = """\
import sys, time
from pathlib import Path
from worldforge.jobs.job_ledger import JobLedger
ledger = JobLedger(Path(sys.argv[1]))
with ledger.lock_job("chain"):
    ledger.start_next("chain")
    print("held", flush=True)
    time.sleep(60)
"""


def test_one_process_at_a_time_runs_a_job_and_one_that_was_killed_does_not_block_it(place):
    place.jobs(CHAIN)
    place.ledger.add("chain", "manual", NOW)
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(place.plan.folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        assert job_status(place.plan, place.ledger, "chain")["state"] == "running"
        with pytest.raises(JobBusyError, match=f"process {holder.pid}"):
            place.runner().run_now("chain")
        assert not place.calls()
        holder.kill()  # and nobody waits for it yet: it is a zombie
        wait_for(lambda: not place.ledger.is_locked("chain"))
        assert job_status(place.plan, place.ledger, "chain")["state"] == "lost"
        (run,) = place.runner().run_now("chain")
    finally:
        holder.kill()
        holder.communicate()
    assert (run.number, run.state, run.progress.resumed) == (1, "done", 1)


def test_many_at_once_start_each_run_once(place):
    place.jobs(CHAIN)
    for minute in range(12):
        place.ledger.add("chain", "schedule", NOW.replace(minute=minute), NOW.replace(minute=minute))
        assert place.ledger.add("chain", "schedule", NOW, NOW.replace(minute=minute)) is None
    started = []

    def work():
        ledger = JobLedger(place.plan.folder)
        while any(run.state == "queued" for run in ledger.runs("chain")):
            with contextlib.suppress(JobBusyError), ledger.lock_job("chain"):
                if (run := ledger.start_next("chain")) is not None:
                    started.append((run.number, run.fire_time))
                    ledger.update(run.id, state="done")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for number, _ in started) == list(range(1, 13))
    assert len({fire_time for _, fire_time in started}) == 12


def test_a_damaged_ledger_is_one_message(place, tmp_path):
    path = tmp_path / "jobs.sqlite"
    path.write_bytes(b"no database at all, but long enough to be read as one" * 20)
    with pytest.raises(InputError, match="cannot be used"):
        JobLedger(tmp_path)


@pytest.mark.parametrize(
    "damage",
    ["ALTER TABLE runs DROP COLUMN message", "UPDATE runs SET progress = '[{'"],
)
def test_a_ledger_of_another_version_is_one_message(place, damage, capsys):
    place.jobs(CHAIN)
    place.ledger.add("chain", "manual", NOW)
    with sqlite3.connect(place.ledger.path) as connection:
        connection.execute(damage)
    assert run_command(["jobs", "status", "--file", str(place.folder)]) == 2
    assert "jobs.sqlite cannot be used" in capsys.readouterr().err


def test_the_ledger_can_be_shared_by_machines(place):
    place.jobs(CHAIN)
    assert sqlite3.connect(place.ledger.path).execute("PRAGMA journal_mode").fetchone() == ("delete",)


def wait_for(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.05)
