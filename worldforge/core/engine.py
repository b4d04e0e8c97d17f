"""What runs work for others: processes of this machine, or whatever else can. The same results, whoever runs it.

    with engine.crew(given) as crew:
        for result in crew.spread(function, items): ...       # in the order of the items

    engine.share_out(work, items, told)                       # told(key, result), as they finish

Functions are found by their name where they run, and what goes there and back pickles. In a crew, `taken()` is what it
was given, and `opened(make)` what `make` made of that, once a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from worldforge.core import processes, shares
from worldforge.core.processes import opened, taken
from worldforge.core.store_server import serving_stores

__all__ = ["Crew", "Engine", "LocalEngine", "Stopping", "Tell", "Work", "opened", "taken"]

Item = TypeVar("Item")
Key = TypeVar("Key")
Result = TypeVar("Result")

Stopping = Callable[[], bool]
"""Says whether no further item is to begin."""

Tell = Callable[[Any, Any], None]
"""Is told the key and the result of an item that is done; or None and a report, while items are under way."""

Work = Callable[[Sequence[Any], Tell, Stopping], Coroutine[Any, Any, None]]
"""Does a share of items in a worker's event loop: `await work(items, tell, stopping)` tells of each as it ends."""


class Crew(Protocol):
    """Workers that have been given something to begin with."""

    @property
    def size(self) -> int:
        """How many workers there are; 1 may be this process."""

    def spread(
        self, function: Callable[[Item], Result], items: Iterable[Item], here: Callable[[Item], Result] | None = None
    ) -> Iterator[Result]:
        """Run `function` on every item. Results come in the order of the items, which are taken a few ahead.

        `here` does the same in this process, where it helps: with what it has at hand, and workers would have to open.
        Raises what `function` raises, and WorldForgeError where workers are lost and none can take their place.
        """


class Engine(Protocol):
    """Runs work by so many workers."""

    @property
    def name(self) -> str:
        """What it is called: `local`."""

    @property
    def workers(self) -> int:
        """How many workers it has at most."""

    @property
    def holds_models(self) -> bool:
        """Whether each worker may load a model of its own."""

    def crew(
        self,
        given: Any,
        *,
        most: int | None = None,
        sees: Path | None = None,
        gpus: int = 0,
        helped: bool = False,
        opens: Callable[[Any], Any] | None = None,
    ) -> AbstractContextManager[Crew]:
        """Open a crew of `most` workers (default: all), each given `given`. Ends with all of them gone.

        One that is `helped` may have this process as one of them: it does an item where it would wait for others.
        What workers will have `opened` with `opens`, they may open before there is work for them.
        `sees` is a file that every worker must find where this process does; `gpus` are those that a worker's models
        take, where there are any.
        """

    def share_out(
        self,
        work: Work,
        items: Mapping[Key, Any],
        told: Callable[[Key, Any], None],
        stopping: Stopping = lambda: False,
        *,
        meanwhile: Callable[[], None] = lambda: None,
        sees: Path | None = None,
        gpus: int = 0,
    ) -> None:
        """Let workers do `items`, each a share of them by one call of `work`; tell here of each as it finishes.

        No key is told of twice, but for None: `told(None, report)` passes on what `work` reports on the way. Where
        workers are processes of this machine, this one is the first of them.
        `meanwhile` is called here before any item is given out, as far as can be while workers begin: it makes ready
        what they share. When `stopping` says so, workers end what they have begun, and no more. Raises what `work`,
        `told` and `meanwhile` raise, and WorldForgeError where workers are lost and none can take their place; ends
        with all of them gone.
        """


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """So many processes of this machine; one is this process itself."""

    workers: int = 1

    @property
    def name(self) -> str:
        """`local`."""
        return "local"

    @property
    def holds_models(self) -> bool:
        """Whether there is one process: several would each take the machine's memory."""
        return self.workers == 1

    @contextmanager
    def crew(
        self,
        given: Any,
        *,
        most: int | None = None,
        sees: Path | None = None,
        gpus: int = 0,
        helped: bool = False,
        opens: Callable[[Any], Any] | None = None,
    ) -> Iterator[Crew]:
        """Open processes, or let this one do it all. All of this machine sees the same files and GPUs."""
        size = self.workers if most is None else max(1, min(self.workers, most))
        if size == 1:
            with processes.holding(given):
                yield _Here()
            return
        with (
            serving_stores(),
            processes.pool(size - helped, given, opens) as executor,
            processes.holding(given if helped else None),
        ):
            yield processes.Pool(executor, size, helped)

    def share_out(
        self,
        work: Work,
        items: Mapping[Key, Any],
        told: Callable[[Key, Any], None],
        stopping: Stopping = lambda: False,
        *,
        meanwhile: Callable[[], None] = lambda: None,
        sees: Path | None = None,
        gpus: int = 0,
    ) -> None:
        """Give every n-th item to each of n processes, the first share to this one."""
        with serving_stores() if self.workers > 1 else nullcontext():
            shares.share_out(work, list(items.values()), told, self.workers, stopping, meanwhile)


class _Here:
    """A crew of this process alone."""

    size = 1

    def spread(
        self, function: Callable[[Item], Result], items: Iterable[Item], here: Callable[[Item], Result] | None = None
    ) -> Iterator[Result]:
        return map(here or function, items)
