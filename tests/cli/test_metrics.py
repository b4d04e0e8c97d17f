"""Metrics as Prometheus reads them: scraped while a rollout runs, or left in a file."""

import json
import socket
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from command import worldforge
from prometheus_client.parser import text_string_to_metric_families

from worldforge.core.errors import InputError
from worldforge.observing.metrics import CommandState, expose_metrics
from worldforge.observing.stage_recorder import StageRecorder


def samples(text):
    """Read what is exposed with Prometheus' own parser: values by name and labels."""
    families = list(text_string_to_metric_families(text))
    assert all(family.documentation for family in families)
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value for family in families for sample in family.samples
    }


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Waiting(BaseHTTPRequestHandler):
    """A model server that holds back its replies until it is let go, after the two that an episode takes."""

    asked, go = threading.Semaphore(2), threading.Event()

    def do_GET(self):
        self.answer({"data": [{"id": "m", "object": "model"}]})

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if not self.asked.acquire(blocking=False):
            self.go.wait(120)
        message = {"role": "assistant", "content": "I do not know."}
        usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        self.answer({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage})

    def answer(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""


def test_a_rollout_is_scraped_while_it_runs(quickstart, tmp_path):
    port = free_port()
    with ThreadingHTTPServer(("127.0.0.1", 0), Waiting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        agent = f"openai:m@http://127.0.0.1:{server.server_port}/v1?retries=0"
        asked = ("rollout", quickstart, "--out", tmp_path, "--agent", agent, "--limit", "3", "--concurrency", "1")
        running = threading.Thread(target=worldforge, args=("--metrics", port, *asked))
        running.start()
        try:
            seen = scraped(port, lambda seen: seen.get(("worldforge_stage_items_total", "rollout")) == 1)
        finally:
            Waiting.go.set()
            running.join()
            server.shutdown()
    assert seen["worldforge_stage_items_expected", "rollout"] == 3 and seen["worldforge_stage_seconds", "rollout"] > 0
    assert seen["worldforge_episodes_total", "answered"] == 1
    assert (seen["worldforge_tokens_total", "agent"], seen["worldforge_tokens_written_total",]) == (214, 14)
    assert seen["worldforge_tool_calls_total",] == 0 and seen["worldforge_observations_fallback_total",] == 0
    assert seen["worldforge_command_running", "rollout"] == 1 and seen["process_resident_memory_bytes",] > 10**7
    assert any(name == "worldforge_build_info" for name, *_ in seen)


def scraped(port, enough, patience_s=90):
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as reply:
                seen = samples(reply.read().decode())
        except OSError:
            seen = {}
        if enough(seen):
            return seen
        time.sleep(0.1)
    raise AssertionError(seen)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("metrics.txt", "give a port"),
        ("99999", "choose another port"),
        ("missing/x.prom", "no such folder"),
        ("nowhere.invalid:9000", "cannot be served"),
    ],
)
def test_metrics_that_cannot_be_had_are_refused_before_work(target, said, tmp_path):
    done = worldforge("--metrics", target, "build", "quickstart", "-o", tmp_path / "w", cwd=tmp_path, code=2)
    assert said in done.stderr and not (tmp_path / "w").exists()


def test_a_port_in_use_is_refused(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = worldforge("--metrics", port, "build", "quickstart", "-o", tmp_path / "w", code=2)
    assert f"127.0.0.1:{port}" in done.stderr and "in use" in done.stderr


def test_without_the_extra_its_name_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(InputError, match="extra `metrics`") as refused:
        expose_metrics(str(tmp_path / "x.prom"), StageRecorder(), CommandState("build", "0", 0.0)).__enter__()
    assert "[metrics]" in refused.value.hint


def test_names_of_stages_may_hold_anything(tmp_path):
    stages, out = StageRecorder(), tmp_path / "x.prom"
    with expose_metrics(str(out), stages, CommandState("build", "0", 0.0)), stages.logging_stages():
        stages.start('tasks: "a\\b"\nc', 2)
        stages.advance()
        stages.count("novel things", 3)
        stages.count("set_aside", 2, "scorer")
        stages.count("set_aside", 0, "wording")
    seen = samples(out.read_text())
    assert seen["worldforge_stage_items_total", 'tasks: "a\\b"\nc'] == 1
    assert seen["worldforge_tasks_set_aside_total", "scorer"] == 2 and seen["worldforge_novel_things_total", ""] == 3
    assert seen["worldforge_tasks_set_aside_total", "wording"] == 0
