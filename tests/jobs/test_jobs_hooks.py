"""What follows a run: its hooks, with permission, and the folders that are kept."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from jobs_by_script import CHAIN, NOW, steps

from worldforge.core.errors import InputError
from worldforge.jobs.job_runner import choose_expired
from worldforge.jobs.jobs_file import Keep


def test_command_hooks_get_the_record_and_need_permission(place):
    place.jobs(CHAIN + "    hooks: {success: [{command: 'cat > record.json; echo \"$WORLDFORGE_STATE\"'}]}\n")
    with pytest.raises(InputError, match="runs commands of its own"):
        place.runner().run_now("chain")
    (run,) = place.runner(commands=True).run_now("chain")
    record = json.loads((place.folder / "record.json").read_text())
    assert (record["state"], record["job"], run.hooks_called) == ("done", "chain", 1)
    assert "ended with exit code 0: done" in place.logged[-1]


@pytest.mark.parametrize(
    ("command", "expected"),
    [("sleep 30; true", "took longer than 1 s, and was killed"), ("sleep 30 & echo", "exit code 0")],
)
def test_a_hook_that_hangs_or_leaves_a_child_blocks_nothing(place, monkeypatch, command, expected):
    monkeypatch.setattr("worldforge.jobs.run_hooks._COMMAND_TIMEOUT_S", 1)
    place.jobs(CHAIN + f"    hooks: {{success: [{{command: '{command}'}}]}}\n")
    began = time.monotonic()
    (run,) = place.runner(commands=True).run_now("chain")
    assert (run.state, run.hooks_called) == ("done", 1) and expected in place.logged[-1]
    assert time.monotonic() - began < 20


class Receiver(BaseHTTPRequestHandler):
    answers, bodies = [], []

    def do_POST(self):
        self.bodies.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        self.send_response(self.answers.pop(0))
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_arguments):
        pass


@pytest.mark.parametrize(
    ("answers", "expected"), [([200], "answered 200"), ([503, 503, 204], "answered 204"), ([302], "answered 302")]
)
def test_webhooks_get_the_record_and_redirections_are_not_followed(place, monkeypatch, answers, expected):
    monkeypatch.setattr("worldforge.jobs.run_hooks._POST_WAIT_S", 0)
    Receiver.answers, Receiver.bodies = list(answers), []
    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/hook?key=secret"
        place.jobs(
            CHAIN.replace("[build, {rollout: {agent: oracle}}, export]", "[audit]")
            + f"    hooks: {{failure: [{{webhook: '{url}'}}]}}\n"
        )
        place.script({"code": 2})
        place.runner().run_now("chain")
        server.shutdown()
    assert [(path, body["state"]) for path, body in Receiver.bodies] == [("/hook?key=secret", "failed")] * len(answers)
    assert place.logged[-1].endswith(expected) and "secret" not in place.logged[-1]


def test_an_unreachable_webhook_changes_nothing(place, monkeypatch):
    monkeypatch.setattr("worldforge.jobs.run_hooks._POST_WAIT_S", 0)
    place.jobs(CHAIN + "    hooks: {success: [{webhook: 'http://127.0.0.1:9/'}]}\n")
    (run,) = place.runner().run_now("chain")
    assert run.state == "done" and "cannot be reached" in place.logged[-1]


def test_code_needs_permission(place):
    place.jobs(CHAIN + "    allow_code: true\n")
    with pytest.raises(InputError, match="import code"):
        place.runner().run_now("chain")


def test_pruning_keeps_the_last_good_run_and_pinned_ones(place):
    place.jobs(CHAIN + "    keep: {last: 1}\n")
    (first,) = place.runner().run_now("chain")
    (place.folder / first.folder / "pinned").touch()
    second, third = (place.runner().run_now("chain")[0] for _ in range(2))
    standing = [(place.folder / run.folder).exists() for run in (first, second, third)]
    assert standing == [True, False, True] and place.ledger.run(second.id).pruned
    place.script(*[{}] * 9, {"code": 2})
    (failed,) = place.runner().run_now("chain")
    assert failed.state == "failed" and (place.folder / third.folder).exists()


def test_a_job_that_always_fails_does_not_grow(place):
    place.jobs(steps("[audit]") + "    keep: {last: 2}\n")
    place.script(*[{}] * 1, *[{"code": 2}] * 5)
    for _ in range(6):
        place.runner().run_now("chain")
    folders = [run.number for run in reversed(place.ledger.runs("chain")) if (place.folder / run.folder).exists()]
    assert folders == [1, 5, 6], "the good one, and the newest two that failed"


def test_runs_of_one_second_have_different_folders(place):
    place.jobs(CHAIN + "    keep: {last: 1}\n")
    for _ in range(3):
        place.ledger.add("chain", "manual", NOW)
        place.runner().run_open("chain")
    runs = place.ledger.runs("chain")
    assert [run.state for run in runs] == ["done"] * 3 and len({run.folder for run in runs}) == 3
    assert sum(run.pruned is not None for run in runs) == 2


def test_pruning_by_days_and_by_size(place):
    place.jobs(CHAIN)
    for day, state in ((1, "done"), (20, "done"), (28, "failed"), (29, "done"), (30, "failed")):
        moment = NOW.replace(day=day)
        run_id = place.ledger.add("chain", "manual", moment)
        place.ledger.update(run_id, state=state, ended=moment.isoformat(), bytes=10)
    runs = place.ledger.runs("chain")
    expired = lambda keep: [run.due[8:10] for run in choose_expired(runs, keep, NOW, set())]  # noqa: E731
    assert expired(Keep(days=2.5)) == ["20", "01"]
    assert expired(Keep(days=0.1)) == ["28", "20", "01"]
    assert expired(Keep(size=25)) == ["28", "20", "01"]
    assert expired(Keep(last=2)) == ["01"]
    assert expired(Keep(last=1)) == ["28", "20", "01"]
    assert expired(Keep(last=9)) == []
    assert expired(Keep(size=1)) == ["30", "28", "20", "01"]
