"""A store room whose goals are predicates over its final state: an environment of one's own, in one file."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import pytest
from paper_world import linked, task_on_paper
from pydantic import Field

from worldforge.environments.dialect import Dialect, Domain
from worldforge.environments.environment import Environment, PlanStep
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import ErrorView, FactInText, TextView
from worldforge.world.table_files import TASKS, write_parquet
from worldforge.world.task import TaskMeasures, tasks_to_table


@dataclass(frozen=True, slots=True)
class LookRequest(ToolRequest):
    """Look at what is on the shelf and in the box."""

    kind: ClassVar[str] = "look"


@dataclass(frozen=True, slots=True)
class MoveRequest(ToolRequest):
    """Move items from the shelf into the box."""

    kind: ClassVar[str] = "move"
    controls: ClassVar[frozenset[str]] = frozenset()
    item: Annotated[str, Field(description="Which item.")]
    count: Annotated[int, Field(description="How many; a negative number takes them out.")]


DOMAIN = Domain("store", grounded=True, role="You keep a store room.", observations="Say what is where, in prose.")
SPOKEN = Dialect("spoken", DOMAIN, {"look": LookRequest, "move": MoveRequest})


class StoreBackend(SessionBackend):
    def __init__(self, seed):
        self._shelf, self._box = {"lamps": 5 + seed % 3, "ropes": 4}, {"lamps": 0, "ropes": 0}

    def answer(self, request):
        if isinstance(request, MoveRequest):
            if not self._shelf.get(request.item, -1) - request.count >= 0:
                return ErrorView("not_there", f"Error: there are not so many {request.item}.")
            self._shelf[request.item] -= request.count
            self._box[request.item] += request.count
        said = ", ".join(f"{count} {item}" for item, count in self._box.items())
        text = f"The box of the Torvik Rovers, founded in 1902, now holds {said}."
        return TextView(text, (FactInText("club/0001#founded", text.index("1902"), text.index("1902") + 4),))

    @property
    def state(self):
        return {"shelf": dict(self._shelf), "box": dict(self._box)}


class StoreRoom(Environment):
    name = "store"
    dialects: ClassVar = {"spoken": SPOKEN}

    def backend(self, task, seed):
        return StoreBackend(seed)

    @classmethod
    def plan(cls, task, dialect):
        """Look first, then put into the box what the goal asks for, until it is seen there."""
        yield PlanStep("Let me look.", dialect.ask(LookRequest()))
        for path, count in task.goal["state"].items():
            item = path.removeprefix("box/")
            for _ in range(9):
                (seen,) = yield PlanStep(f"I will pack {count} {item}.", dialect.ask(MoveRequest(item, count)))
                if not seen.error:
                    break
        return "Packed."


def store_task(number):
    goal = {"state": {"box/lamps": 1 + number % 3}, "may_change": ["shelf/lamps"]}
    asked = f"Put {1 + number % 3} lamps into the box, and touch nothing else."
    own = {"wording": asked, "columns": (), "gold": (), "facts": (), "evaluation": {"goal": goal}}
    return replace(
        task_on_paper(number),
        id=f"task/store-{number:04d}",
        family="store",
        measures=TaskMeasures(oracle_calls=2),
        **own,
    )


@pytest.fixture
def store_world(paper_files, tmp_path):
    world = linked(paper_files, tmp_path / "world")
    (world.path / "tasks.parquet").unlink()
    tasks = tasks_to_table([store_task(number) for number in range(12)])
    write_parquet(world.path / "tasks.parquet", [tasks], TASKS)
    return world
