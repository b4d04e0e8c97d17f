"""A folder for `PATH` with a `worldforge` and a `python` that fork from a process that has imported what they need.

Each command of a shell script would otherwise take a second to import it. `python -` is forked; any other `python` is
the usual interpreter.
"""

import contextlib
import json
import os
import socketserver
import sys
import tempfile
import threading
from pathlib import Path

from warm_commands import server

_PROGRAM = """\
#!{python} -IS
import json, os, socket, sys
arguments = sys.argv[1:]
reads = {reads}
if reads and arguments != ["-"]:
    os.execv({python!r}, [{python!r}, *arguments])
asked = {{"arguments": [] if reads else arguments, "cwd": os.getcwd(), "environment": dict(os.environ)}}
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({address!r})
    with connection.makefile("rw") as stream:
        print(json.dumps(asked | {{"script": sys.stdin.read() if reads else None}}), file=stream, flush=True)
        code, out, err = json.loads(stream.readline())
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
"""


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        asked = json.loads(self.rfile.readline())
        text = asked.pop("script")
        with contextlib.ExitStack() as stack:
            script = text and stack.enter_context(_script(asked["cwd"], text))
            done = server().start(**asked, script=script).wait()
        reply = [done.returncode if done.returncode >= 0 else 128 - done.returncode, done.stdout, done.stderr]
        self.wfile.write(json.dumps(reply).encode() + b"\n")


@contextlib.contextmanager
def _script(folder, text):
    """Write a script where it finds the modules beside it."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", dir=folder) as file:
        file.write(text)
        file.flush()
        yield file.name


@contextlib.contextmanager
def forked_path():
    """Yield a value for `PATH`, good for as long as the block lasts."""
    with tempfile.TemporaryDirectory() as folder:
        address = str(Path(folder, "socket"))
        for name, reads in (("worldforge", False), ("python", True)):
            program = Path(folder, name)
            program.write_text(_PROGRAM.format(python=sys.executable, reads=reads, address=address))
            program.chmod(0o755)
        with socketserver.ThreadingUnixStreamServer(address, _Handler) as commands:
            threading.Thread(target=commands.serve_forever, args=(0.05,), daemon=True).start()
            yield f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
            commands.shutdown()
