"""Worker processes: spawned, never forked; deaf to Ctrl-C, which their parent hears; gone when their parent is.

What a worker needs to begin with goes through a file: a process that dies before it has read a long argument would keep
its parent waiting for ever.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.util import Finalize
from pathlib import Path
from traceback import format_exception
from typing import Any, ClassVar, NoReturn, TypeVar

from worldforge.core.collector import collect_seldom
from worldforge.core.errors import WorldForgeError
from worldforge.core.events import log_as_told
from worldforge.core.files import naming
from worldforge.core.semaphores import name_semaphores
from worldforge.core.store_server import server_address, use_server

Item = TypeVar("Item")
Result = TypeVar("Result")
State = TypeVar("State")
_AHEAD = 2  # items at each process of a pool
_HELD = 16  # results of this process that are held while one before them is waited for
_SAFE_PATH = "PYTHONSAFEPATH"
_LAST = -1_000  # of what multiprocessing does at the end of a process


class RaisedInWorkerError(Exception):
    """Where in a worker an exception was raised: the cause of that exception in this process."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception on its way from a worker to its parent, with its traceback as text."""

    error: Exception
    traceback: str

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Make one of an exception; one that cannot be pickled is told by its name and message."""
        text = "".join(format_exception(error))
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301  just pickled
        except Exception:  # noqa: BLE001 - whatever a class's own way to pickle raises
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return cls(error, text)

    def reraise(self) -> NoReturn:
        """Raise the exception, with its traceback as the cause."""
        raise self.error from RaisedInWorkerError(self.traceback)


class SafeProcess(SpawnProcess):
    """A spawned process that imports nothing from the folder in which the command was typed.

    Its text stores are those of the process that starts it, or of that one's own server (`store_server`).
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._stores = server_address()

    def run(self) -> None:
        """Use the parent's stores, then do the work."""
        use_server(self._stores)
        super().run()

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - multiprocessing calls it so
        with safe_path():
            return SpawnProcess._Popen(process_obj)


class SafeContext(SpawnContext):
    """Multiprocessing's way to spawn, with safe processes; the one that tracks its semaphores is safe too."""

    Process = SafeProcess

    def __init__(self) -> None:
        super().__init__()
        name_semaphores()
        with safe_path():
            resource_tracker.ensure_running()


@contextmanager
def safe_path() -> Iterator[None]:
    """Let the Python processes that are begun meanwhile not put the current folder on `sys.path`, as `python -P`."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


class _Held:
    """What this process was given to begin with, and what was made of it."""

    given: Any = None
    made: ClassVar[dict[Callable[[Any], Any], Any]] = {}


@contextmanager
def pool(workers: int, given: Any, opens: Callable[[Any], Any] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of `workers` processes; what runs there finds `given` with `taken()`. Ends with all of them ended.

    What `opens` makes is there when it is first asked for (`opened`), or is being made.
    """
    spawn = SafeContext()
    with (
        in_file(pickle.dumps(given, protocol=5)) as path,
        ProcessPoolExecutor(workers, spawn, initializer=_begin, initargs=(path,)) as executor,
    ):
        for _ in range(workers):
            executor.submit(_ready, opens)  # begins a process: it imports and opens while work is made ready
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def in_file(content: bytes) -> Iterator[Path]:
    """Give a path at which other processes can read `content` as long as this one is alive.

    The file has no name where the system knows another way to it (Linux): a kill then leaves nothing on the disk.
    """
    nameless = Path("/proc/self/fd").is_dir()
    kind = tempfile.TemporaryFile if nameless else tempfile.NamedTemporaryFile
    with kind(prefix="worldforge-") as file:
        with naming(Path(tempfile.gettempdir())):
            file.write(content)
            file.flush()
        yield Path(f"/proc/{os.getpid()}/fd/{file.fileno()}" if nameless else file.name)


def taken() -> Any:
    """Return what the pool was opened with, in one of its workers. Raises what kept the worker from reading it."""
    if isinstance(_Held.given, Failure):
        _Held.given.reraise()
    return _Held.given


def opened(make: Callable[[Any], State]) -> State:
    """Return what `make` makes of what the pool was opened with: made when it is first asked for, once a worker."""
    if make not in _Held.made:
        _Held.made[make] = make(taken())
    state: State = _Held.made[make]
    return state


def take(given: Any) -> None:
    """Let this process be a worker that was given `given`."""
    _Held.given, _Held.made = given, {}


@contextmanager
def holding(given: Any) -> Iterator[None]:
    """Let this process be a worker that was given `given`, for as long as the block lasts."""
    before = _Held.given, _Held.made
    _Held.given, _Held.made = given, {}
    try:
        yield
    finally:
        _Held.given, _Held.made = before


@dataclass(frozen=True, slots=True)
class Pool:
    """A crew (`engine.Crew`) of `size` processes: those of a pool, and this one where it is `helped`."""

    executor: ProcessPoolExecutor
    size: int
    helped: bool = False

    def spread(
        self, function: Callable[[Item], Result], items: Iterable[Item], here: Callable[[Item], Result] | None = None
    ) -> Iterator[Result]:
        """Run `function` on every item in the pool's processes; results come in the order of the items.

        Each process has one item under way and the next at hand: it does not wait until a result before its own has
        been taken. Where all of them have, and the crew is helped, this process does an item by `here` (default:
        `function`). Raises WorldForgeError where a process ended before its work was done.
        """
        ahead: deque[Future[Result]] = deque()
        at_hand = (_AHEAD + self.helped) * (self.size - self.helped)
        most = at_hand + _HELD if self.helped else at_hand
        try:
            for item in items:
                if self.helped and sum(not future.done() for future in ahead) >= at_hand:
                    ahead.append(_done((here or function)(item)))
                else:
                    ahead.append(self.executor.submit(function, item))
                if len(ahead) >= most:
                    yield ahead.popleft().result()
                while self.helped and ahead and ahead[0].done():
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        except BrokenProcessPool as error:
            raise WorldForgeError(
                "a worker process was killed, or left, before its work was done",
                "memory may be short: try fewer `--workers`; a script of one's own needs `if __name__ == '__main__':`",
            ) from error
        finally:
            for future in ahead:
                future.cancel()


def _done(result: Result) -> Future[Result]:
    future: Future[Result] = Future()
    future.set_result(result)
    return future


def _ready(opens: Callable[[Any], Any] | None) -> None:
    if opens is not None:
        opened(opens)  # what it raises is raised again by the first item that asks for it


def _begin(path: Path) -> None:
    leave_at_the_end()
    collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    log_as_told()
    try:
        given = path.read_bytes()
    except FileNotFoundError:  # whoever began this process has failed meanwhile, and asks nothing more of it
        os._exit(1)
    try:
        take(pickle.loads(given))  # noqa: S301  written by the parent, a moment ago
    except Exception as error:  # noqa: BLE001 - told by `taken`: what a worker raises here, its parent never sees
        take(Failure.of(error))


def end_with_parent() -> None:
    """Let this process go as soon as its parent has gone, killed perhaps: nobody would ever read the results."""
    threading.Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def leave_at_the_end() -> None:
    """Let this worker, when it ends, do what was registered for the end, but not take its memory apart.

    The system does that at once; Python takes a third of a second, object by object.
    """
    Finalize(None, _leave, exitpriority=_LAST)


def _leave() -> None:
    if sys.exc_info()[1] is not None:
        return  # what ends this worker is told first
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


@contextmanager
def deaf_children() -> Iterator[None]:
    """Let the processes that this thread starts meanwhile be deaf to Ctrl-C, as long as they live; this one hears it.

    They inherit what this thread holds back. What it holds back, a thread beside it takes, and Python then tells this
    one, if it is the main thread, as ever.
    """
    with safe_path():
        resource_tracker.ensure_running()  # begun below, it would end by letting Ctrl-C through again
    over = threading.Event()
    hearing = threading.Thread(target=over.wait, daemon=True)
    hearing.start()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        over.set()
        hearing.join()


@contextmanager
def ending_with_this(pids: Iterable[int]) -> Iterator[None]:
    """See that the processes `pids` end when this one does, were it killed.

    For processes that others start, and that do not watch us: one more waits beside them for a pipe to close, which it
    does with this process, however that ends.
    """
    command = [sys.executable, "-I", "-S", "-c", _END_OTHERS, *map(str, pids)]
    waiting = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    try:
        yield
    finally:
        waiting.kill()
        waiting.communicate()


_END_OTHERS = """\
import contextlib, os, signal, sys
sys.stdin.read()
for pid in sys.argv[1:]:
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(pid), signal.SIGKILL)
"""
