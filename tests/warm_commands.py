"""The command in processes that have imported everything already: forked from one that did, and read one spec.

Most of what short commands take is importing, and taking all of that apart at the end. Each still has a process, an
environment, a folder and an end of its own: threads are waited for, and what was registered for the end is done; but
memory is left as it is. What an environment says when modules are imported cannot be changed by then, nor the seed of
Python's hashes: who changes those starts an interpreter (`command.worldforge` does).
"""

import atexit
import contextlib
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

from worldforge.cli.verbs import VERBS

COMMAND = "worldforge.cli.main"
IMPORTED = (
    "worldforge.entry_points.build_world", "worldforge.entry_points.play_run", "worldforge.entry_points.export_dataset",
    "worldforge.entry_points.rescore_runs", "worldforge.entry_points.score_answers",
    "worldforge.entry_points.bench_model", "worldforge.agents.model_agent", "worldforge.schema.spec_json_schema",
    "worldforge.builders.populate.populate_stage", "worldforge.builders.pages.pages_stage",
    "worldforge.builders.tasks.tasks_stage",
    "worldforge.builders.report.page", "worldforge.observing.metrics", "worldforge.observing.stage_recorder",
    "generators.names", "generators.values", "generators.pages", "generators.questions",
    "pandas", "rensa", "tantivy", "asyncio", "rich.progress", "encodings.utf_8_sig", "encodings.idna",
    "pyarrow.dataset", "pyarrow.acero", "scipy.optimize",
    "worldforge.environments.search.environment", "worldforge.search.index_writer",
    "worldforge.builders.tasks.families.list", "inflect", "openai", "worldforge.models.openai_server",
    "faker.providers.company",
    *(f"worldforge.cli.{name}_commands" for name in set(VERBS.values()) - {"doctor"}),
)  # fmt: skip


class Started:
    """A command at work; killed at the end of a `with` block, were it not waited for before."""

    def __init__(self, process_id, ended):
        self.pid, self._ended, self._done = process_id, ended, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._done is None:
            self.send(signal.SIGKILL)
            self.wait()

    def send(self, what):
        """Send it a signal, if it is there."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, what)

    def works(self):
        """Whether it has not ended."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def wait(self):
        """Return it once it has ended, as `subprocess.run` does."""
        self._done = self._done or self._ended()
        return self._done


class Server:
    """A process that has imported what commands need, and `modules`, and forks one for each that it is asked for."""

    def __init__(self, *modules):
        self._one_at_a_time = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__, *modules], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        atexit.register(self.end)

    def start(self, arguments, cwd, environment, script=None):
        """Begin a command, or a script in its place; return it while it works. One at a time."""
        self._one_at_a_time.acquire()
        folder = tempfile.TemporaryDirectory()
        out, err = Path(folder.name, "out"), Path(folder.name, "err")
        asked = {"arguments": [*map(str, arguments)], "cwd": str(cwd or Path.cwd()), "environment": environment}
        asked |= {"out": str(out), "err": str(err), "script": script and str(script)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        process_id = int(self._process.stdout.readline())

        def ended():
            try:
                code = int(self._process.stdout.readline())
                said = [
                    file.read_text() if file.exists() else "" for file in (out, err)
                ]  # killed before it opened them
                return subprocess.CompletedProcess(arguments, code, *said)
            finally:
                folder.cleanup()
                self._one_at_a_time.release()

        return Started(process_id, ended)

    def run(self, arguments, cwd, environment, kill_after_s=None):
        """Run a command to its end, or until it is killed then; return it as `subprocess.run` does."""
        started = self.start(arguments, cwd, environment)
        if kill_after_s is not None:
            time.sleep(kill_after_s)
            started.send(signal.SIGKILL)
        return started.wait()

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
    for name in (*IMPORTED, *sys.argv[1:]):
        importlib.import_module(name)
    importlib.import_module("worldforge.schema.spec_loader").load_spec("quickstart")  # read, and so known to every fork
    gc.collect()
    gc.freeze()  # what is here stays: to look through it would copy its pages into every fork
    asked, answers = sys.stdin, os.fdopen(os.dup(1), "w", buffering=1)
    while line := asked.readline():
        process_id = os.fork()
        if not process_id:
            answers.close()
            return json.loads(line)
        print(process_id, file=answers)
        print(os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1]), file=answers)
    return None


def become(asked):
    """Make this process the command, as `python -m` would, or the script, as `python` would."""
    for descriptor, path in enumerate((os.devnull, asked["out"], asked["err"])):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    script = asked["script"]
    sys.path[0] = str(Path(script).parent) if script else asked["cwd"]
    sys.argv = [script or COMMAND, *asked["arguments"]]
    sys.modules.pop(COMMAND, None)
    try:
        if script:
            runpy.run_path(script, run_name="__main__")
        else:
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
