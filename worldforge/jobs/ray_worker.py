"""What runs in an actor: takes its place on a node, then does items, and tells of each as it is done."""

from __future__ import annotations

import os
import platform
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from worldforge.builders.stage_records import code_digest
from worldforge.core import processes
from worldforge.core.errors import InputError
from worldforge.core.events import log_as_told
from worldforge.core.loops import run_to_end
from worldforge.core.store_server import ServerAddress, use_server

_OURS = "WORLDFORGE_"


@dataclass(frozen=True, slots=True)
class Place:
    """Where whoever shares out the work is: what a worker must find as well, to do what that one would have done."""

    folder: Path
    path: tuple[str, ...]
    environment: Mapping[str, str]
    sees: Path | None
    code: str

    @classmethod
    def here(cls, sees: Path | None, code: str) -> Place:
        """Describe this process. Of its environment, what is WorldForge's goes along, and nothing else: no keys."""
        ours = {name: value for name, value in os.environ.items() if name.startswith(_OURS)}
        return cls(Path.cwd(), tuple(sys.path), ours, sees and sees.absolute(), code)

    def take(self) -> None:
        """Make this process one that works for the other. Raises InputError where its node lacks code or files."""
        node = platform.node()
        if not self.folder.is_dir() or (self.sees is not None and not self.sees.exists()):
            unseen = self.folder if not self.folder.is_dir() else self.sees
            raise InputError(
                f"node {node} of the Ray cluster does not see {unseen}",
                "put the world into a folder that all nodes share under the same path, and run the command there",
            )
        sys.path.extend(path for path in self.path if path not in sys.path)
        os.environ.update(self.environment)
        os.chdir(self.folder)
        log_as_told()
        if code_digest() != self.code:
            raise InputError(
                f"node {node} of the Ray cluster has another worldforge than the machine that asks it",
                "install the same version on every node: only the same code gives the same bytes",
            )


class Worker:
    """An actor: begun once, then given items by calls of `each` or `share`. Its values travel by Ray."""

    def __init__(self) -> None:
        self._work: Any = None
        self._stop = threading.Event()

    def begin(self, place: Place, stores: ServerAddress, fetch: Callable[[Any], Any], given: list[Any]) -> None:
        """Take place, then fetch what is given: to be read, it may need code that is found only now."""
        place.take()
        use_server(stores)
        self._work = fetch(given[0])
        processes.take(self._work)

    def stop(self) -> None:
        """Begin no further item."""
        self._stop.set()

    def each(self, function: Callable[[Any], Any], items: Sequence[tuple[Any, Any]]) -> Iterator[list[tuple[Any, Any]]]:
        """Run `function` on items that come with their keys; give keys and results."""
        for key, item in items:
            result = function(item)
            yield [(key, result)]

    def share(self, items: Sequence[Any]) -> Iterator[list[tuple[Any, Any]]]:
        """Do a share of the work that was given; give keys and results, as they come."""
        told: SimpleQueue[Any] = SimpleQueue()

        def work() -> None:
            try:
                run_to_end(self._work(items, lambda key, result: told.put((key, result)), self._stop.is_set))
                told.put(None)
            except BaseException as error:  # noqa: BLE001 - raised below, in the thread that Ray listens to
                told.put(error)

        threading.Thread(target=work, daemon=True).start()
        while True:
            batch = [told.get()]
            while not told.empty():
                batch.append(told.get())
            last = batch[-1]
            ended = last is None or isinstance(last, BaseException)
            if done := batch[:-1] if ended else batch:
                yield done
            if isinstance(last, BaseException):
                raise last
            if ended:
                return
