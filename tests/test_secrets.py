"""Keys that are planted in addresses and in the environment are printed nowhere, and kept nowhere."""

import csv
import json
import shutil
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import pytest
from command import worldforge

from worldforge.core.redaction import redacted_arguments, without_secrets
from worldforge.jobs.run_execution import redact_file

KEY = "Zq7vP2mX9r/T4wK8sB3@cD5"
PASSWORD = "pw/Lm4Nq8Rt2?Vx6"
TOKEN = "Tk5hY8nB2jU6gV1c"
PARTS = (KEY, KEY.partition("/")[0], PASSWORD, PASSWORD.partition("?")[0], TOKEN)
TYPED = {
    "setting": f"openai:m@http://127.0.0.1:9/v1?api_key={KEY}",
    "query": f"openai:m@http://127.0.0.1:9/v1?key={quote(KEY)}&concurrency=1",
    "password": f"openai:m@http://user:{PASSWORD}@127.0.0.1:9/v1",
    "header": f"openai:m@http://127.0.0.1:9/v1?Authorization: Bearer {KEY}",
    "in the place of its variable": f"openai:m@http://127.0.0.1:9/v1?api_key_env={KEY}",
    "beside a setting that is wrong": f"openai:m@http://127.0.0.1:9/v1?api_key_env={KEY}&tempo=1",
    "the value of a variable": f"openai:m@http://127.0.0.1:9/{KEY}/v1",
}
_BENCH = ("bench", "world-model", "WORLD", "-o", "OUT", "--n", "2")
COMMANDS = {
    "agent": ("rollout", "WORLD", "--limit", "1", "--agent", "ADDRESS"),
    "world model": ("rollout", "WORLD", "--limit", "1", "--world-model", "ADDRESS"),
    "prose": ("build", "SPEC", "-o", "OUT", "--set", "pages.prose=model", "--model", "ADDRESS"),
    "vectors": ("build", "SPEC", "-o", "OUT", "--set", "search.dense={model: m}", "--embedder", "ADDRESS"),
    "judge": ("score", "ANSWERS", "--tasks", "WORLD", "--judge", "ADDRESS", "-o", "OUT.jsonl"),
    "bench": (*_BENCH, "--model", "ADDRESS"),
    "bench judge": (*_BENCH, "--model", "engine", "--judge", "ADDRESS"),
    "embedder": ("search", "WORLD", "a club", "--embedder", "ADDRESS"),
    "jobs": ("jobs", "run", "secret", "--file", "JOBS", "--allow-commands"),
}
SAYING = "{command: 'cat; env; echo -n \"$MY_KEY\"; echo $HF_TOKEN 1>&2'}"
JOBS = f"""\
jobs:
  secret:
    steps: [{{rollout: {{world: "WORLD", limit: 1, agent: "ADDRESS"}}}}]
    retries: {{times: 0}}
    hooks: {{failure: [{SAYING}], success: [{SAYING}]}}
"""


SPEC = """\
name: small
types:
  club: {count: 3, name: {generator: names.club}}
pages:
  club_article: {generator: pages.encyclopedia, about: club}
"""


def _answer(gold):
    """Answer a question by gold, its names a little changed: so that a judge is asked."""
    header, *rows = csv.reader(gold.read_text(encoding="utf-8-sig").splitlines())
    lines = [header, ["---"] * len(header), *([f"{name} FC", *rest] for name, *rest in rows)]
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return {"instance_id": gold.stem, "trial": 0, "response": f"```markdown\n{text}\n```"}


class Place:
    """A folder with a copy of a world, in which commands are run."""

    def __init__(self, world, folder):
        self.folder, self.world = folder, folder / "world"
        shutil.copytree(world, self.world)
        (folder / "small.yaml").write_text(SPEC)
        rows = [_answer(path) for path in sorted((world / "widesearch").rglob("*.csv"))[:2]]
        (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(self, name, address, **options):
        """Run a command; its jobs.yaml, in which the user has written the address, goes when it has ended."""
        jobs = self.folder / "jobs.yaml"
        jobs.write_text(JOBS.replace("ADDRESS", address).replace("WORLD", str(self.world)))
        words = {"WORLD": self.world, "ADDRESS": address, "ANSWERS": self.folder / "answers.jsonl", "JOBS": jobs}
        words["SPEC"] = self.folder / "small.yaml"
        words |= {"OUT": self.folder / "out", "OUT.jsonl": self.folder / "out.jsonl"}
        seen = ("--log", self.folder / "log.jsonl", "--metrics", self.folder / "metrics.prom")
        try:
            return worldforge(*seen, *(words.get(word, word) for word in COMMANDS[name]), **options)
        finally:
            jobs.unlink()

    def holding(self):
        """List the files that hold a secret, or its half, in any form."""
        forms = {form.encode() for one in PARTS for form in (one, quote(one, safe=""), json.dumps(one)[1:-1])}
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return [path for path in files if any(form in path.read_bytes() for form in forms)]


@pytest.fixture
def place(quickstart, tmp_path):
    return Place(quickstart, tmp_path)


def printed(done):
    return [one for part in PARTS for one in (part, quote(part, safe="")) if one in done.stdout + done.stderr]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_key_typed_into_an_address_is_refused_and_not_repeated(place, command):
    for kind, address in TYPED.items():
        done = place.run(command, address, env={"MY_KEY": KEY} if "variable" in kind else {}, code=2)
        assert printed(done) == [] and "key" in done.stderr, kind
    assert place.holding() == []


@contextmanager
def serving(status):
    """Run a server of chats and vectors that answers; or repeats, with `status`, the key that it was sent."""
    message = {"role": "assistant", "content": "| Name |\n|---|\n| x |"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    chat = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    chat |= {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.say(200, {"object": "list", "data": [{"id": "m", "object": "model"}]})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(self.headers["Authorization"])
            texts = range(len(body.get("input", ())))
            rows = [{"object": "embedding", "index": n, "embedding": [1.0, 2.0]} for n in texts]
            said = {"object": "list", "model": "m", "data": rows, "usage": {}} if "input" in body else chat
            refusal = {"error": {"message": f"no: {dict(self.headers)}, {asked[-1].split()[1]} is not known"}}
            self.say(status, said if status == 200 else refusal)

        def say(self, status, said):
            payload = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True).start()
        yield f"openai:m@http://127.0.0.1:{http.server_address[1]}/v1?api_key_env=MY_KEY&retries=0", asked
        http.shutdown()


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "embedder"])
def test_a_key_in_the_environment_is_used_and_kept_nowhere(place, command):
    """First the server refuses it, and says it; then, going on from there, it answers."""
    sent = set()
    for status in (401, 200):
        with serving(status) as (address, asked):
            done = place.run(command, address, env={"MY_KEY": KEY, "HF_TOKEN": TOKEN}, code=None)
        sent |= {*asked}
        assert printed(done) == [] and place.holding() == []
    assert sent == {f"Bearer {KEY}"}
    for path in [*(place.folder / "output").rglob("*"), place.folder / "log.jsonl"]:
        assert not path.is_file() or path.stat().st_mode & 0o077 == 0, path


def test_what_a_step_or_a_hook_says_in_other_ways_is_cleaned(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    log = tmp_path / "log.txt"
    log.write_bytes(f"before {KEY}\nAuthorization: Bearer abc\n".encode() + b"\xff\n")
    redact_file(log, 0)
    assert log.read_text() == "before …\nAuthorization: …\n\\xff\n"
    assert redacted_arguments(["--api-key", "abc", f"--set=a={quote(KEY, safe='')}"]) == ["--api-key", "…", "--set=a=…"]
    told = "build --token-budget=100 --max-tokens 20 openai:m@http://h:1/v1?api_key_env=MY_KEY hf://owner/name@v1"
    assert without_secrets(told) == told
