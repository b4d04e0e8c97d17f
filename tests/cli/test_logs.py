"""Logs of commands: lines that machines read, of what happened and why; no secrets, no harm to the work."""

import contextlib
import json
import logging
import subprocess
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command import digest, worldforge
from prometheus_client.parser import text_string_to_metric_families

from worldforge.core.events import LineHandler
from worldforge.core.redaction import redacted, redacted_arguments, secrets_of

SMALL = ["--set", "scale=0.2", "--set", "tasks.list.count=4"]


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def of(events, name):
    return [event for event in events if event["event"] == name]


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A small world whose build was logged, and measured; and the log."""
    folder = tmp_path_factory.mktemp("logged")
    log = folder / "log.jsonl"
    worldforge(
        "--log", log, "--metrics", folder / "worldforge.prom", "build", "quickstart", "-o", folder / "world", *SMALL
    )
    return folder / "world", lines(log.read_text())


def test_a_build_tells_what_ran_and_why(logged):
    _, events = logged
    first, last = events[0], events[-1]
    assert (first["event"], last["event"]) == ("command_began", "command_ended")
    assert first["arguments"][4:6] == ["build", "quickstart"] and last["exit_code"] == 0 and last["seconds"] > 0
    for event in events:
        assert datetime.fromisoformat(event["time"]).tzinfo == UTC
        assert (event["verb"], event["command"], event["level"]) == ("build", first["pid"], "info")
    began, ended = ({event["stage"]: event for event in of(events, name)} for name in ("stage_began", "stage_ended"))
    assert list(began) == ["populate", "pages", "index", "tasks", "tasks: list", "audit"]
    assert began["pages"]["why"] == "not built yet" and began.keys() == ended.keys()
    counts = of(events, "world_built")[0]["counts"]
    assert ended["pages"]["items"] == ended["index"]["items"] == counts["pages"]
    assert ended["tasks"]["items"] == ended["tasks: list"]["items"] == counts["tasks"] == 4
    assert sum(ended["tasks: list"].get("counts", {}).get("set_aside", {}).values()) == counts["set_aside"]
    for stage in ended.values():
        assert stage["wall_s"] > 0 and stage["cpu_s"] >= 0 and stage["peak_rss_bytes"] > 10**7
    assert ended["tasks"]["wall_s"] >= ended["tasks: list"]["wall_s"]
    assert ended["populate"]["total"] == ended["populate"]["items"]


def test_a_build_leaves_metrics_for_a_collector(logged):
    world, events = logged
    out = world.with_name("worldforge.prom")
    families = text_string_to_metric_families(out.read_text())
    seen = {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}
    counts = of(events, "world_built")[0]["counts"]
    for name in ("worldforge_stage_items_total", "worldforge_stage_items_expected"):
        assert seen[name, "pages"] == counts["pages"]
    assert seen["worldforge_command_exit_code", "build"] == seen["worldforge_command_running", "build"] == 0
    assert seen["worldforge_command_end_time_seconds", "build"] > seen["worldforge_command_start_time_seconds", "build"]
    assert seen["worldforge_stage_cpu_seconds", "tasks"] >= seen["worldforge_stage_cpu_seconds", "tasks: list"]
    assert [path.name for path in out.parent.iterdir() if "prom" in path.name] == [out.name]


def test_a_log_changes_nothing_and_goes_to_stderr_beside_data(logged, tmp_path):
    world, _ = logged
    done = worldforge("--log", "-", "build", "quickstart", "-o", tmp_path / "again", *SMALL, "--json")
    assert json.loads(done.stdout)["digest"] == digest(world)
    assert [event["event"] for event in lines(done.stderr)][:2] == ["command_began", "stage_began"]


def test_what_is_kept_is_said_and_appended(logged, tmp_path):
    world, _ = logged
    log = tmp_path / "log.jsonl"
    log.write_text('{"event": "before"}\n')
    worldforge("build", "quickstart", "-o", world, *SMALL, env={"WORLDFORGE_LOG": str(log)})
    events = lines(log.read_text())
    assert events[0]["event"] == "before"
    assert [event["stage"] for event in of(events, "stage_kept")] == ["populate", "pages", "index", "tasks", "audit"]


def test_a_failure_is_the_last_line(tmp_path):
    log = tmp_path / "log.jsonl"
    worldforge("--log", log, "build", "nowhere.yaml", code=2)
    worldforge("--log", log, "build", "--nope", code=2)
    ended = of(lines(log.read_text()), "command_ended")
    assert [event["exit_code"] for event in ended] == [2, 2]
    assert "nowhere.yaml" in ended[0]["error"] and "--nope" in ended[1]["error"]


@pytest.mark.parametrize("log", ["missing/log.jsonl", "."])
def test_a_log_that_cannot_be_written_is_refused_before_work(log, tmp_path):
    done = worldforge("--log", log, "build", "quickstart", "-o", tmp_path / "world", cwd=tmp_path, code=2)
    assert "cannot be written" in done.stderr and not (tmp_path / "world").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_does_not_stop_the_work(tmp_path):
    assert json.loads(worldforge("--log", "/dev/full", "schema").stdout)["title"]


class Failing(BaseHTTPRequestHandler):
    """A model server that asks for time once, and then takes no conversation."""

    busy = threading.Semaphore(1)

    def do_GET(self):
        self.answer(200, {"data": [{"id": "m", "object": "model"}]})

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.busy.acquire(blocking=False):
            self.answer(503, {"error": {"message": "busy"}}, {"Retry-After-Ms": "5"})
        else:
            self.answer(400, {"error": {"message": "no, not with api_key=abcdefgh1234"}})

    def answer(self, status, body, headers=None):
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            "Content-Length": len(content),
            "Content-Type": "application/json",
            **(headers or {}),
        }.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""


def test_workers_tell_of_retries_and_failures(logged, tmp_path):
    world, _ = logged
    log = tmp_path / "log.jsonl"
    with ThreadingHTTPServer(("127.0.0.1", 0), Failing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        agent = f"openai:m@http://127.0.0.1:{server.server_port}/v1"
        asked = ("rollout", world, "--agent", agent, "--workers", "2", "--trials", "3", "--run", "failing")
        worldforge("--log", log, *asked, code=4)
        server.shutdown()
    text = log.read_text()
    events = lines(text)
    failed, command = of(events, "episode_failed"), events[0]["pid"]
    assert sorted(event["episode"] for event in failed) == [f"task/list-000{i}#{n}" for i in range(4) for n in range(3)]
    assert {event["command"] for event in events} == {command}
    assert command not in {event["pid"] for event in failed}, "workers play, and this process records"
    assert "HTTP 400" in failed[0]["reason"] and failed[0]["level"] == "warning"
    assert len(of(events, "model_retry")) == 1
    assert "abcdefgh1234" not in text
    ended = of(events, "stage_ended")[-1]
    assert ended["counts"]["episodes"] == {"failed": 12} and of(events, "run_closed")[0]["tally"]["n_failed"] == 12


WRITER = """
import logging, sys
from worldforge.core.events import emit, log_to
log_to(sys.argv[1], "test")
for number in range(200):
    emit("written", number=number, filling="x" * 9000)
"""


def test_many_may_write_at_once(tmp_path):
    log = tmp_path / "log.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, log]) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    events = lines(log.read_text())
    for writer in writers:
        assert [event["number"] for event in events if event["pid"] == writer.pid] == list(range(200))


FILLING = """
import resource, signal, sys
from worldforge.core.events import emit, log_to
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log_to(sys.argv[1], "test")
emit("first")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
for _ in range(3):
    emit("too long", filling="x" * 2000)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
emit("after")
emit("last")
"""


def test_what_did_not_fit_is_ended_and_counted(tmp_path):
    log = tmp_path / "log.jsonl"
    subprocess.run([sys.executable, "-c", FILLING, log], check=True)
    first, torn, *rest = log.read_text().splitlines()
    after, last = map(json.loads, rest)
    assert json.loads(first)["event"] == "first"
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(torn)
    assert (after["event"], after["n_lost"]) == ("after", 3) and "n_lost" not in last


def test_a_log_that_was_moved_away_is_opened_anew(tmp_path):
    log = tmp_path / "log.jsonl"
    record = logging.LogRecord("worldforge", logging.INFO, "", 0, "one", (), None)
    record.fields = {"value": float("nan"), "bad": "\ud800"}
    with contextlib.closing(LineHandler(str(log), "test", 1)) as handler:
        handler.handle(record)
        log.rename(tmp_path / "log.1")
        handler.handle(record)
    (before,), (after,) = (lines(path.read_text()) for path in (tmp_path / "log.1", log))
    assert before == after and before["value"] is None


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("http://user:pass@host/v1 and https://host/v1", "http://…@host/v1 and https://host/v1"),
        (
            "openai:m@http://h/v1?api_key_env=MY_KEY&max_tokens=5",
            "openai:m@http://h/v1?api_key_env=MY_KEY&max_tokens=5",
        ),
        ("Authorization: Bearer abc.def-1", "Authorization: …"),
        ("api_key=1234, x=2", "api_key=…, x=2"),
        ("it was hf_abcdefghijKLMNOPqrst.", "it was …."),
        ("tasks.list.count=20 seed=7 token_budget=9", "tasks.list.count=20 seed=7 token_budget=9"),
        ("the variable holds longsecret", "the variable holds …"),
    ],
)
def test_secrets_are_taken_out(text, safe):
    assert redacted(text, ["longsecret"]) == safe


def test_secrets_are_taken_out_of_arguments(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "one-of-my-own")
    given = ["push", "--token", "abc", "--api-key=abc", "--max-tokens", "5", "--token-budget", "7", "x one-of-my-own"]
    assert redacted_arguments(given) == [
        "push", "--token", "…", "--api-key=…", "--max-tokens", "5", "--token-budget", "7", "x …",
    ]  # fmt: skip


def test_the_working_folder_is_no_password():
    assert secrets_of({"PWD": "/data/models", "OLDPWD": "/data/worlds", "DB_PWD": "hunter2-hunter2"}) == (
        "hunter2-hunter2",
    )
