"""A world as a taskset of `verifiers` (v1 API, 0.4): its tasks, its tools as an MCP server, its strict scorer.

verifiers finds a taskset by the name of a top-level module. Put these two lines into a file `wf_search.py` on the path,

    from worldforge.serving.verifiers_taskset import WorldTaskset
    __all__ = ["WorldTaskset"]

and run (the runtime is a sandbox elsewhere, and results are uploaded, unless told otherwise):

    vf-eval wf-search -m MODEL --no-push --env.taskset.world output/quickstart --env.agent.harness.id null \\
        --env.agent.runtime.type subprocess

One tool server serves all rollouts of a worker; each rollout has a session, and so notes, of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from worldforge.agents.agent_prompts import system_prompt
from worldforge.core.errors import InputError
from worldforge.environments.goals import Outcome
from worldforge.environments.registry import dialect_named, environment_speaking
from worldforge.environments.session import ToolSession, outcome_of
from worldforge.models.chat import ToolCall
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.serving.answer_reward import measures, write_ground_truth
from worldforge.world.world import open_world

try:
    import verifiers.v1 as vf  # type: ignore[import-not-found]
    from mcp.server.mcpserver import MCPServer  # type: ignore[import-not-found, unused-ignore]
    from mcp.types import CallToolResult, TextContent, Tool  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    raise InputError(f"verifiers cannot be imported: {error}", "`pip install verifiers`, 0.4 or later") from error

__all__ = ["WorldTaskset"]
_SESSIONS_KEPT = 1_024
"""Rollouts that one tool server keeps in mind; past it, the one that called longest ago begins with empty notes."""


class WorldToolsetConfig(vf.SharedToolsetConfig):  # type: ignore[misc]
    """Where the tool server runs; the taskset fills in the rest."""

    world: str = ""
    dialect: str = dialect_named().name


class WorldTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """`--env.taskset.world`: the world's folder, which has to be given. `--env.taskset.dialect`: of its tools."""

    world: str = ""
    dialect: str = dialect_named().name
    tools: WorldToolsetConfig = WorldToolsetConfig()


class SearchState(vf.State):  # type: ignore[misc]
    """What tool server and task share of a rollout: session, task, calls and errors, the outcome so far of a goal."""

    session: str = ""
    task_id: str = ""
    outcome: dict[str, Any] | None = None
    n_calls: int = 0
    n_errors: int = 0


class SearchData(vf.TaskData):  # type: ignore[misc]
    """A question, and the gold table that its answer is scored by; of a goal, the outcome of doing nothing."""

    task_id: str
    ground_truth: str
    initial_outcome: dict[str, Any] | None = None


class SearchTask(vf.Task[SearchData, SearchState, vf.TaskConfig]):  # type: ignore[misc]
    """One task of the world. The last reply is the answer."""

    @property
    def key(self) -> str:
        """The task's id in the world."""
        return str(self.data.task_id)

    async def setup(self, trace: Any, runtime: Any) -> None:
        """Name the rollout's session and task."""
        trace.state.session, trace.state.task_id = trace.id, self.data.task_id

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def item_f1(self, trace: Any) -> float:
        """Return F1 over cells, strict scorer."""
        return self._measures(trace)["item_f1"]

    @vf.metric  # type: ignore[untyped-decorator]
    async def strict_scores(self, trace: Any) -> dict[str, float]:
        """Return the strict scorer's other measures, and how many tool calls were made and went wrong."""
        others = {name: value for name, value in self._measures(trace).items() if name != "item_f1"}
        calls = {"n_tool_calls": float(trace.state.n_calls), "n_tool_errors": float(trace.state.n_errors)}
        return others | calls

    def _measures(self, trace: Any) -> dict[str, float]:
        if self.data.initial_outcome is not None:
            return Outcome.from_json(trace.state.outcome or self.data.initial_outcome).measures
        last = trace.assistant_messages[-1:]
        answered = bool(last) and not last[0].tool_calls
        return measures(trace.last_reply if answered else "", self.data.ground_truth)


class WorldToolset(vf.Toolset[WorldToolsetConfig, SearchState]):  # type: ignore[misc]
    """The tools of a dialect, under their own names and with their own schemas."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        """Open the world's index."""
        environment, dialect = environment_speaking(self.config.dialect), dialect_named(self.config.dialect)
        self._environment = environment(open_world(self.config.world), dialect)
        self._session = lru_cache(_SESSIONS_KEPT)(self._new_session)

    def register(self, mcp: MCPServer) -> None:
        """Hand the dialect's tools to the server, which would take only functions with a signature of their own."""
        server: Any = mcp
        server.list_tools = self.list_tools
        server.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        """List the tools."""
        functions = (tool["function"] for tool in self._environment.dialect.tools)
        return [Tool(name=f["name"], description=f["description"], input_schema=f["parameters"]) for f in functions]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:
        """Call a tool in the rollout's session. What is wrong with a call comes back as words, as in any session."""
        state = self.state
        call = ToolCall(f"call_{state.n_calls}", name, json.dumps(arguments, ensure_ascii=False))
        new = self._session if state.session else self._new_session
        session = new(state.session, state.task_id)
        observation = await session.step(call)
        state.n_calls += 1
        state.n_errors += bool(observation.error)
        outcome = outcome_of(session)
        state.outcome = outcome.to_json() if outcome is not None else None
        return CallToolResult(content=[TextContent(type="text", text=observation.text)], is_error=False)

    def _new_session(self, rollout: str, task: str) -> ToolSession:
        return self._environment.session(self._environment.world.task(task) if task else None)


class WorldTaskset(vf.Taskset[SearchTask, WorldTasksetConfig]):  # type: ignore[misc]
    """The tasks of the world in `config.world`, in the order of their ids."""

    @classmethod
    def toolsets(cls, config: WorldTasksetConfig) -> list[vf.Toolset]:
        """Give the one tool server; it runs in a folder of its own, so the world's is named in full."""
        place = {"world": str(_folder(config)), "dialect": config.dialect}
        return [WorldToolset(config.tools.model_copy(update=place))]

    def load(self) -> Iterator[SearchTask]:
        """Give a task for each of the world's. Raises InputError where there is no world, or no such dialect."""
        world, dialect = open_world(_folder(self.config)), dialect_named(self.config.dialect)
        environment = environment_speaking(dialect.name)(world, dialect)
        for task in world.tasks:
            outcome = outcome_of(environment.session(task))
            data = SearchData(
                name=task.id,
                prompt=task.wording,
                system_prompt=system_prompt(dialect.tools, task.language),
                task_id=task.id,
                ground_truth=write_ground_truth(gold_with_aliases(world, task) if outcome is None else None),
                initial_outcome=outcome.to_json() if outcome is not None else None,
            )
            yield SearchTask(data, self.config.task)


def _folder(config: WorldTasksetConfig) -> Path:
    if not config.world:
        raise InputError("the taskset was given no world", "`--env.taskset.world FOLDER`")
    return Path(config.world).expanduser().resolve()


if __name__ == "__main__":
    WorldToolset.run()
