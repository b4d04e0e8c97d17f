"""A real HTTP server on loopback that speaks the OpenAI chat API, and misbehaves as it is told."""

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def completion(text="fine", **more):
    """What a server says that answers."""
    message = {"role": "assistant", "content": text, **more}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in more else "stop"}
        ],
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 3,
            "total_tokens": 14,
            "prompt_tokens_details": {"cached_tokens": 8},
        },
    }


class FaultServer:
    """Answers chat requests with `answers`, one after another, the last one from then on.

    An answer is (status, headers, body, seconds to wait first). `asked` are the requests' bodies, `headers` theirs,
    `times` when each came, `most` how many there were at once.
    """

    def __init__(self, *answers, models=None):
        self.answers = list(answers)
        self.models = {"data": [{"id": "m", "object": "model"}]} if models is None else models
        self.asked, self.headers, self.times, self.most = [], [], [], 0
        self.lock = threading.Lock()
        self.n_now = 0
        self.metrics = None
        self.break_off = False  # from then on connections are closed without an answer

    def take(self, body, headers):
        with self.lock:
            self.asked.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextlib.contextmanager
def serving_faults(*answers, models=None):
    """Run a FaultServer; give it, and its address."""
    server = FaultServer(*answers, models=models)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if self.path == "/metrics" and server.metrics is not None:
                self.say(200, {"Content-Type": "text/plain"}, server.metrics)
                return
            status, body = server.models if isinstance(server.models, tuple) else (200, server.models)
            self.say(status, {}, json.dumps(body))

        def do_POST(self):
            if server.break_off:
                self.close_connection = True
                return
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with server.lock:
                server.n_now += 1
                server.most = max(server.most, server.n_now)
            status, headers, said, wait_s = server.take(
                body, {name.lower(): value for name, value in self.headers.items()}
            )
            time.sleep(wait_s)
            with server.lock:
                server.n_now -= 1
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.say(status, headers, said if isinstance(said, str) else json.dumps(said))

        def say(self, status, headers, text):
            payload = text.encode()
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json", "Content-Length": len(payload)} | headers).items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *arguments):
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{listening.server_port}/v1"
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
