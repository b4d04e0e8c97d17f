"""The command in processes that have imported everything already: forked from one that did, and did nothing else.

A third of what short commands take is importing. Each still has a process, an environment, a folder and an end of its
own. What an environment says when modules are imported cannot be changed by then, nor the seed of Python's hashes: who
changes those starts an interpreter (`command.worldforge` does).
"""

import atexit
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

COMMAND = "worldforge.cli.main"
IMPORTED = (
    "worldforge.build", "worldforge.rollout", "worldforge.export", "worldforge.rescore", "worldforge.score",
    "worldforge.bench", "worldforge.agents.model_agent", "worldforge.builders.report.page",
    "generators.names", "generators.values", "generators.pages", "generators.questions",
    "pandas", "scipy.special", "rensa", "pyarrow.dataset", "tantivy", "asyncio", "rich.progress",
    *(f"worldforge.cli.{verb}" for verb in ("build", "audit", "rollout", "export", "run", "search", "explain", "plan")),
)  # fmt: skip


class Server:
    """A process that has imported what commands need, and forks one for each that it is asked for."""

    def __init__(self):
        self._one_at_a_time = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        atexit.register(self.end)

    def run(self, arguments, cwd, environment):
        """Run a command to its end; return it as `subprocess.run` does."""
        with tempfile.TemporaryDirectory() as folder, self._one_at_a_time:
            out, err = Path(folder, "out"), Path(folder, "err")
            asked = {"arguments": arguments, "cwd": str(cwd or Path.cwd()), "environment": environment}
            self._process.stdin.write(json.dumps({**asked, "out": str(out), "err": str(err)}) + "\n")
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
    asked, answers = sys.stdin, os.fdopen(os.dup(1), "w", buffering=1)
    while line := asked.readline():
        process_id = os.fork()
        if not process_id:
            answers.close()
            return json.loads(line)
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
    runpy.run_module(COMMAND, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    wanted = serve()
    if wanted is not None:
        become(wanted)
