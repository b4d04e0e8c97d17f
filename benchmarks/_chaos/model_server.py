"""A model server on loopback that gives the same reply to the same request, until it is told to misbehave."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAYS = ("reset", "stall", "error", "garbage", "cut")
STALL_S = 2.5  # longer than the address of `rollout.model` lets a request take
_SEARCHES = 2


class ModelServer(ThreadingHTTPServer):
    """Answers chat requests. From the `after`-th on (counted from `misbehave`), `times` of them go wrong in `way`."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self._lock, self._way, self._after, self._times = threading.Lock(), "", 0, 0
        self.n_wrong = 0
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    def misbehave(self, way: str, after: int, times: int) -> None:
        """Let requests go wrong from now on."""
        with self._lock:
            self._way, self._after, self._times, self.n_wrong = way, after, times, 0

    def heal(self) -> None:
        """Answer all requests as they should be."""
        self.misbehave("", 0, 0)

    def take(self) -> str:
        """Count a request; return how it is to go wrong, or nothing."""
        with self._lock:
            self._after -= 1
            if not self._way or self._after > 0 or self.n_wrong >= self._times:
                return ""
            self.n_wrong += 1
            return self._way

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_GET(self) -> None:
        self._say({"data": [{"id": name, "object": "model"} for name in ("agent", "world")]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        way = self.server.take()
        with contextlib.suppress(OSError):
            if way == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True
            elif way == "stall":
                time.sleep(STALL_S)
                self.close_connection = True
            elif way == "error":
                self._say({"error": {"message": "the engine has died"}}, status=500)
            elif way == "garbage":
                self._say('{"choices": [{"mess')
            else:
                self._say(_completion(asked), cut=way == "cut")

    def _say(self, said: object, status: int = 200, *, cut: bool = False) -> None:
        payload = (said if isinstance(said, str) else json.dumps(said)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload[: len(payload) // 2] if cut else payload)
        self.close_connection = self.close_connection or cut

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def _completion(asked: dict[str, Any]) -> dict[str, Any]:
    """Reply as a model that searches twice and then answers; as one that words a world, with words of no use."""
    messages = asked["messages"]
    n_seen = sum(message["role"] == "tool" for message in messages)
    message: dict[str, Any] = {"role": "assistant", "content": "| name |\n| --- |\n| nobody |"}
    if asked.get("tools") and n_seen < _SEARCHES:
        tool = asked["tools"][0]["function"]
        words = " ".join(str(messages[-1]["content"]).split()[: 4 + n_seen])
        arguments = {name: _argument(form, words) for name, form in tool["parameters"]["properties"].items()}
        call = {"name": tool["name"], "arguments": json.dumps(arguments)}
        message = {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": f"call{n_seen}", "type": "function", "function": call}],
        }
    finish = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }


def _argument(form: dict[str, Any], words: str) -> object:
    kind = form.get("type")
    if kind == "array":
        return [_argument(form.get("items", {}), words)]
    return {"integer": 1, "number": 1, "boolean": False}.get(str(kind), words)
