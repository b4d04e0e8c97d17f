"""A real HTTP server on loopback that speaks `/v1/embeddings`: a text's vector is the bag of its words, hashed."""

import contextlib
import json
import re
import threading
import zlib
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

DIMENSION = 64


@cache
def _of_word(word):
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(DIMENSION)


def bag(text, salt=""):
    """A vector that is alike for texts with like words; another `salt` is another model."""
    vector = np.full(DIMENSION, 0.01)
    for word in re.findall(r"\w+", text.lower()):
        vector += _of_word(salt + word)
    return vector / np.linalg.norm(vector)


class EmbeddingServer:
    """`asked` are the texts of each request; `salt` says which model it is; from `fails_after` requests on it fails."""

    def __init__(self, embed=bag):
        self.asked, self.salt, self.fails_after, self.embed = [], "", None, embed
        self.lock = threading.Lock()

    @property
    def texts(self):
        return [text for texts in self.asked for text in texts]


@contextlib.contextmanager
def serving_embeddings():
    """Run an EmbeddingServer; give it, and the address of its model `bag`."""
    server = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with server.lock:
                fails = server.fails_after is not None and len(server.asked) >= server.fails_after
                server.asked.append(body["input"])
            rows = [server.embed(text, server.salt).tolist() for text in body["input"]]
            data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
            said = {"object": "list", "model": body["model"], "data": data, "usage": {}}
            self.say(*((400, {"error": {"message": "no room"}}) if fails else (200, said)))

        def say(self, status, said):
            payload = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield server, f"openai:bag@http://127.0.0.1:{http.server_port}/v1"
    finally:
        http.shutdown()
        http.server_close()
