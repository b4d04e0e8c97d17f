"""The command in processes that have imported everything already: forked from one that did, and did nothing else.

Most of what short commands take is importing, and taking all of that apart at the end. Each still has a process, an
environment, a folder and an end of its own: threads are waited for, and what was registered for the end is done; but
memory is left as it is. What an environment says when modules are imported cannot be changed by then, nor the seed of
Python's hashes: who changes those starts an interpreter (`command.worldforge` does).
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path

from worldforge.cli.main import VERBS

COMMAND = "worldforge.cli.main"
IMPORTED = (
    "worldforge.build", "worldforge.rollout", "worldforge.export", "worldforge.rescore", "worldforge.score",
    "worldforge.bench", "worldforge.agents.model_agent", "worldforge.schema.json_schema",
    "worldforge.builders.populate.stage", "worldforge.builders.pages.stage", "worldforge.builders.tasks.stage",
    "worldforge.builders.report.page", "worldforge.observing.metrics", "worldforge.observing.stages",
    "generators.names", "generators.values", "generators.pages", "generators.questions",
    "pandas", "rensa", "tantivy", "asyncio", "rich.progress", "encodings.utf_8_sig", "encodings.idna",
    "pyarrow.dataset", "pyarrow.acero",
    "worldforge.cli.observed", *(f"worldforge.cli.{verb}" for verb in VERBS if verb not in ("push", "doctor")),
)  # fmt: skip


class Server:
    """A process that has imported what commands need, and forks one for each that it is asked for."""

    def __init__(self):
        self._one_at_a_time = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        atexit.register(self.end)

    def run(self, arguments, cwd, environment, kill_after_s=None):
        """Run a command to its end, or until it is killed then; return it as `subprocess.run` does."""
        with tempfile.TemporaryDirectory() as folder, self._one_at_a_time:
            out, err = Path(folder, "out"), Path(folder, "err")
            asked = {"arguments": arguments, "cwd": str(cwd or Path.cwd()), "environment": environment}
            asked |= {"out": str(out), "err": str(err), "kill_after_s": kill_after_s}
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())

    def end(self):
        """Let it end."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@cache
def server():
    """The server of this process."""
    return Server()


def serve():
    """Fork a command for each line that is read, and answer with its exit code; return what to run in the fork."""
    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what is here stays: to look through it would copy its pages into every fork
    asked, answers = sys.stdin, os.fdopen(os.dup(1), "w", buffering=1)
    while line := asked.readline():
        process_id = os.fork()
        if not process_id:
            answers.close()
            return json.loads(line)
        if (kill_after_s := json.loads(line)["kill_after_s"]) is not None:
            time.sleep(kill_after_s)
            os.kill(process_id, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1]), file=answers)
    return None


def become(asked):
    """Make this process the command, as `python -m` would."""
    for descriptor, path in enumerate((os.devnull, asked["out"], asked["err"])):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.path[0] = asked["cwd"]
    sys.argv = [COMMAND, *asked["arguments"]]
    sys.modules.pop(COMMAND, None)
    try:
        runpy.run_module(COMMAND, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        leave(end.code)


def leave(code):
    """End this process as `sys.exit(code)` does, in the order of Python's own end, but for taking memory apart."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    wanted = serve()
    if wanted is not None:
        become(wanted)
    leave(0)
