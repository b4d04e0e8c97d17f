"""Work on Ray: workers are actors, on a cluster that is there (`RAY_ADDRESS`) or on one of this machine, begun for it.

    with RayEngine() as engine:
        build("quickstart", engine=engine)

Ray places the workers, carries what they are given and what they give back, and tells when one is lost, or its node.
What a lost worker had not done is then another's, and what it had done is not taken twice. The cluster is
`ray_cluster`'s matter, its actors are `ray_team`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from worldforge.builders.stage_records import code_digest
from worldforge.core.engine import Crew, Stopping, Work
from worldforge.jobs.ray_cluster import Cluster, Demand
from worldforge.jobs.ray_team import Lot, Team, hired
from worldforge.jobs.ray_worker import Place

Item = TypeVar("Item")
Key = TypeVar("Key")
Result = TypeVar("Result")

_QUEUED = 2  # items of a crew at a worker: one under way, and the next


class RayEngine:
    """Runs work by actors of a Ray cluster: `workers` of them, or as many as the cluster has room for.

    Connects when it is first needed, and lets go at the end of the block; a cluster that it has begun ends then.
    `tell` is told, in words, when there is nothing to do but wait for others to leave the cluster.
    """

    def __init__(self, workers: int | None = None, tell: Callable[[str], None] = lambda _text: None) -> None:
        self._cluster, self._tell = Cluster(workers), tell

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cluster.leave()

    @property
    def name(self) -> str:
        """`ray`."""
        return "ray"

    @property
    def holds_models(self) -> bool:
        """Each worker may: Ray gives it GPUs of its own."""
        return True

    @property
    def workers(self) -> int:
        """How many workers of a CPU each: as many as were asked for, or fit. Raises InputError where there are none."""
        return self._cluster.room_for(Demand())

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
        """Open a crew of actors, `helped` or not: this process may be on another machine than they.

        They open what they need when they first need it. Raises InputError where no node has the room, or one lacks
        code or files.
        """
        demand = self._cluster.demand(gpus)
        room = self._cluster.room_for(demand)
        size = min(room, most or room)
        with self._team(size, demand, sees, given) as team:
            yield _Crew(team, size)

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
        """Give every n-th item to each of n actors, and what one leaves undone to others."""
        demand, keyed = self._cluster.demand(gpus), list(items.items())
        size = min(self._cluster.room_for(demand), len(keyed))
        lots = (Lot(dict(keyed[first::size])) for first in range(size))
        with self._team(size, demand, sees, work) as team:
            meanwhile()
            for key, result in team.run(
                lambda worker, share: worker.share.remote(share), lambda: next(lots, None), stopping
            ):
                told(key, result)

    def _team(self, size: int, demand: Demand, sees: Path | None, given: Any) -> AbstractContextManager[Team]:
        return hired(size, demand, Place.here(sees, code_digest()), given, self._tell)


@dataclass(frozen=True, slots=True)
class _Crew:
    """Actors that were given something."""

    team: Team
    size: int

    def spread(
        self, function: Callable[[Item], Result], items: Iterable[Item], here: Callable[[Item], Result] | None = None
    ) -> Iterator[Result]:
        """Run `function` on every item, none of them here; results in the order of the items."""
        numbers, iterator = count(), iter(items)
        held: dict[int, Result] = {}
        due = drawn = 0

        def draw() -> Lot | None:
            nonlocal drawn
            if drawn - due >= _QUEUED * self.size:
                return None
            for item in iterator:
                drawn += 1
                number = next(numbers)
                return Lot({number: (number, item)})
            return None

        for number, result in self.team.run(
            lambda worker, lot: worker.each.remote(function, lot), draw, queued=_QUEUED
        ):
            held[number] = result
            while due in held:
                due += 1
                yield held.pop(due - 1)
