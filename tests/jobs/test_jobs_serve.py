"""`worldforge jobs serve` as a process: neither a kill nor a stop loses or repeats a fire time."""

import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from worldforge.cli.jobs_commands import check_arguments
from worldforge.jobs.cron import fire_times
from worldforge.jobs.job_runner import JobRunner
from worldforge.jobs.job_server import JobServer

JOBS = """\
jobs:
  chain:
    steps: [audit, rollout]
    schedule: {cron: "*/20 * * * *", overlap: queue, catch_up: all}
"""
SERVE = """\
import sys
from worldforge.cli.main import run
from worldforge.jobs import step_process
step_process.MODULE = "stand_in_command"
sys.exit(run(["jobs", "serve"]))
"""


def serve(place):
    return subprocess.Popen([sys.executable, "-c", SERVE], cwd=place.folder, stderr=subprocess.PIPE, text=True)


def wait_for(condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.05)


def has_gone(pid):
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def test_a_server_survives_a_kill_and_a_stop_and_reloads_the_file(place):
    place.jobs(JOBS)
    now, past = datetime.now(UTC), datetime.now(UTC) - timedelta(minutes=45)
    place.ledger.set_recorded_until("chain", "*/20 * * * * UTC", past)
    due = [*fire_times("*/20 * * * *", ZoneInfo("UTC"), past, now)]
    place.script({}, {"sleep": 60, "child": True}, {"sleep": 60})

    killed = serve(place)
    wait_for(lambda: (place.folder / "child.pid").exists())
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    pid = int((place.folder / "child.pid").read_text())
    wait_for(lambda: has_gone(pid))
    assert [run.state for run in place.ledger.runs("chain")][::-1] == ["running"] + ["queued"] * (len(due) - 1)

    ended = serve(place)
    wait_for(lambda: len(place.calls()) == 3)
    time.sleep(0.3)
    ended.send_signal(signal.SIGTERM)
    output = ended.communicate(timeout=30)[1]
    assert ended.returncode == 0 and "resumed" in output and "stopped" in output
    first = place.ledger.last_started("chain", 1)
    assert (first.state, first.progress.step, first.progress.crashes, first.progress.resumed) == (
        "interrupted",
        1,
        1,
        1,
    )

    last = serve(place)
    wait_for(lambda: len(place.calls()) > 3)
    (place.folder / "jobs.yaml").write_text("jobs: {chain: 3}")
    wait_for(lambda: all(run.state == "done" for run in place.ledger.runs("chain")))
    time.sleep(1.5)  # for the server to look at the file
    (place.folder / "jobs.yaml").write_text(JOBS + "    time_limit: 1h\n")
    time.sleep(1.5)
    last.send_signal(signal.SIGINT)
    output = last.communicate(timeout=30)[1]
    assert "ignored the changed" in output and "reloaded" in output
    runs = place.ledger.runs("chain")[::-1]
    assert [run.fire_time for run in runs][: len(due)] == [time.isoformat() for time in due]
    assert runs[0].progress.resumed == 2 and [run.number for run in runs] == list(range(1, len(runs) + 1))
    assert [call[0] for call in place.calls()] == ["audit", *["rollout"] * 3, *["audit", "rollout"] * (len(runs) - 1)]


def test_queued_runs_use_the_changed_file(place):
    place.jobs(JOBS)
    place.ledger.set_recorded_until("chain", "*/20 * * * * UTC", datetime.now(UTC) - timedelta(minutes=45))
    place.script({"sleep": 4})
    server = serve(place)
    wait_for(lambda: len(place.calls()) == 1)
    (place.folder / "jobs.yaml").write_text(JOBS.replace("[audit, rollout]", "[export]"))
    wait_for(lambda: all(run.state == "done" for run in place.ledger.runs("chain")))
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=30)
    assert [call[0] for call in place.calls()] == [
        "audit",
        "rollout",
        *["export"] * (len(place.ledger.runs("chain")) - 1),
    ]


def test_a_defect_is_reported_and_does_not_end_the_server(place, monkeypatch):
    place.jobs(JOBS)
    monkeypatch.setattr(JobRunner, "run_open", lambda *_, **__: {}["lost"])
    place.ledger.add("chain", "manual", datetime.now(UTC))
    context = place.context()
    server = JobServer(context, check_arguments)
    serving = threading.Thread(target=server.serve)
    serving.start()
    wait_for(lambda: place.logged)
    assert serving.is_alive()
    context.stop.set()
    serving.join()
    assert place.logged == ["chain: KeyError: 'lost'"]
