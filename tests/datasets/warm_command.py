"""The command, in processes that have imported everything already: forked from a server that did, to be killed at will.

Their waits are short; how long they would have been is told. `datasets` is not asked to load what is pushed: the tests
that are about that run the command itself.
"""

import contextlib
import io
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass
from multiprocessing import forkserver

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    [
        "worldforge.entry_points.push_dataset",
        "worldforge.cli.dataset_commands",
        "worldforge.schema.spec_loader",
        "worldforge.datasets.view",
        "huggingface_hub.hf_api",
        "huggingface_hub.hf_file_system",
        "sqlglot.dialects.duckdb",
    ]
)
_LONGEST_WAIT_S = 0.02


@dataclass
class Done:
    """What came of a command; `waits` are in seconds, as they were asked for."""

    code: int
    out: str
    err: str
    waits: list


class Running:
    """A command under way."""

    def __init__(self, *arguments, env):
        self._reader, writer = _context.Pipe(duplex=False)
        self._process = _context.Process(target=_run, args=([str(a) for a in arguments], env, writer))
        with _environment(env):  # of the server as well, were it lost and started anew
            self._process.start()
        writer.close()

    def kill(self):
        """End it as a power cut would."""
        os.kill(self._process.pid, signal.SIGKILL)

    def wait(self):
        """Return what came of it; None where it was killed."""
        try:
            return Done(*self._reader.recv())
        except EOFError:
            return None
        finally:
            self._process.join()


def warm_up(env):
    """Start the server that commands are forked from, in an environment of its own."""
    with _environment(env):
        forkserver.ensure_running()


@contextlib.contextmanager
def _environment(env):
    before = dict(os.environ)
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(arguments, env, writer):
    os.environ.update(env)
    import worldforge.entry_points.push_dataset
    from worldforge.cli.main import run

    waits, sleep = [], time.sleep

    def wait(seconds):
        waits.append(seconds)
        sleep(min(seconds, _LONGEST_WAIT_S))

    time.sleep = wait
    worldforge.entry_points.push_dataset.check_loads = lambda *_, **__: None
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    writer.send((code, out.getvalue(), err.getvalue(), waits))
