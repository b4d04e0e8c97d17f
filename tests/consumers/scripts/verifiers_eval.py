"""verifiers: our taskset run whole by `vf-eval`, with a model that plays two tool calls and then an answer.

The model is a server on this machine that speaks OpenAI's protocol as verifiers asks for it, in a stream.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from told import given, gold_answer, must, say

from worldforge.scoring.gold_table import gold_of
from worldforge.serving.answer_reward import write_ground_truth
from worldforge.world.world import open_world

TASKSET = 'from worldforge.serving.verifiers_taskset import WorldTaskset\n\n__all__ = ["WorldTaskset"]\n'
SEARCH = {"name": "web_search", "arguments": json.dumps({"query": "football clubs"})}
NOTE = {"name": "dict_memory", "arguments": json.dumps({"action": "retrieve_all"})}
N_TASKS = 4


class Model(BaseHTTPRequestHandler):
    """Searches and looks at its notes in the first turn; then answers, every other question with nothing."""

    protocol_version = "HTTP/1.1"
    answers: ClassVar[dict[str, str]] = {}
    """What to answer to which question."""
    seen: ClassVar[list[str]] = []
    """What tools brought."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = request["messages"]
        brought = [text_of(message) for message in messages if message["role"] == "tool"]
        if brought:
            self.seen.extend(brought)
            question = next(text_of(message) for message in messages if message["role"] == "user")
            delta = {"role": "assistant", "content": self.answers[question]}
        else:
            calls = [
                {"index": number, "id": f"call_{number}", "type": "function", "function": function}
                for number, function in enumerate((SEARCH, NOTE))
            ]
            delta = {"role": "assistant", "content": "", "tool_calls": calls}
        self.stream(delta, "stop" if brought else "tool_calls")

    def stream(self, delta, reason):
        about = {"id": "1", "created": 0, "model": "played", "object": "chat.completion.chunk"}
        parts = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
        ]
        lines = [f"data: {json.dumps(about | part)}\n\n" for part in parts]
        body = "".join([*lines, "data: [DONE]\n\n"]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def text_of(message):
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def evaluate(world, url, folder):
    """Run the command, and return the traces that it wrote, one a rollout."""
    (folder / "wf_search.py").write_text(TASKSET)
    bin_folder = Path(sys.executable).parent
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    options = {
        "--env.taskset.world": world,
        "--client.base-url": url,
        "--client.api-key-var": "PLAYED_KEY",
        "--env.agent.harness.id": "null",
        "--env.agent.runtime.type": "subprocess",
        "--output-dir": folder / "runs",
        "-m": "played",
        "-n": N_TASKS,
    }
    words = [str(word) for option in options.items() for word in option]
    done = subprocess.run(
        [str(bin_folder / "vf-eval"), "wf-search", "--no-push", "--no-rich", *words],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",  # the harness is a script that `uv` runs
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PLAYED_KEY": "none",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    files = list(folder.glob("runs/**/traces.jsonl"))
    must(files, f"vf-eval wrote traces: {done.stdout[-3_000:]}\n{done.stderr[-3_000:]}")
    episodes = [json.loads(line) for line in files[0].read_text().splitlines()]
    return [trace for episode in episodes for trace in episode["traces"]]


def main():
    asked = given()
    tasks = list(open_world(asked.world).tasks)[:N_TASKS]
    golds = [gold_answer(write_ground_truth(gold_of(task))) for task in tasks]
    Model.answers = {
        task.wording: gold if number % 2 == 0 else "I found nothing."
        for number, (task, gold) in enumerate(zip(tasks, golds, strict=True))
    }
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        traces = evaluate(asked.world, f"http://127.0.0.1:{server.server_port}/v1", Path(folder))
    server.shutdown()
    must(len(traces) == N_TASKS, f"every task was tried: {len(traces)}")
    rewards = sorted(trace["rewards"]["item_f1"]["score"] for trace in traces)
    must(rewards == [0.0, 0.0, 1.0, 1.0], f"gold is worth 1, nothing is worth 0: {rewards}")
    must(all(trace["metrics"]["n_tool_calls"] == 2 for trace in traces), "calls were counted")
    must(sum("https://" in text for text in Model.seen) == N_TASKS, f"searches brought pages: {Model.seen}")
    what = "vf-eval: taskset, tool server, rewards; a played model"
    say("verifiers", "the world", what, f"{N_TASKS} rollouts of 2 calls and an answer; gold 1.0, no answer 0.0")


main()
