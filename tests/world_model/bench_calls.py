"""Transitions of the quickstart world as the bench has them, made of single calls."""

import asyncio
import json

from worldforge.core.json_lines import read_lines
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.models.chat import ToolCall
from worldforge.world.world import World
from worldforge.world_model.bench.harvest import RecordedSession, replay, snippet_limit, transition_of
from worldforge.world_model.bench.transitions import Transition, Truth


def read_truths(path):
    return [truth for _, truth in read_lines(path, Truth)]


class Caller:
    """Calls a world's tools, under controls or not, and returns transitions."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.n_sessions = 0
        self.environments = {"search": SearchEnvironment(world), "database": DatabaseEnvironment(world)}
        self.pages = world.pages.select(["url", "title", "kind"]).to_pylist()

    def search(self, *queries: str, **controls: object) -> Transition:
        return self.call("search", "web_search", {"queries": list(queries)}, **controls)

    def open(self, url: str, **controls: object) -> Transition:
        return self.call("search", "web_extractor", {"url": url}, **controls)

    def records(self, table: str, limit: int = 5, **controls: object) -> Transition:
        return self.call("database", "list_records", {"table": table, "limit": limit}, **controls)

    def call(self, kind: str, tool: str, arguments: dict, **controls: object) -> Transition:
        return self.session(kind, [(tool, arguments)], **controls)[-1]

    def session(self, kind: str, calls: list[tuple[str, dict]], **controls: object) -> list[Transition]:
        plan = ControlPlan.model_validate(controls) if controls else None
        made = tuple(ToolCall(str(n), name, json.dumps(given)) for n, (name, given) in enumerate(calls))

        def opened():
            return self.environments[kind].controls(plan).session("task/x", 1) if plan else None

        self.n_sessions += 1

        async def run() -> list[Transition]:
            session = self.environments[kind].session(controls=opened())
            seen = [(await session.step(call)).text for call in made]
            turns = tuple((call, text, False) for call, text in zip(made, seen, strict=True))
            told = RecordedSession("run", f"task/x#{self.n_sessions}", "task/x", 1, 0.0, turns)
            steps, _ = await replay(told, self.environments[kind], opened())
            most = snippet_limit(plan, 0.0) if plan else None
            return [transition_of(one, told, self.world, most, blind=False) for one in steps]

        return asyncio.run(run())
