"""A world's search tools for verl (0.9): one entry of its tool configuration a tool; see docs/views.md.

    tools:
    - class_name: worldforge.serving.verl_tools.WorldTool
      config: {type: native, tool: web_search}
      tool_schema: null

Which world a call goes to is in the row: `extra_info.tools_kwargs`. verl makes and releases an instance for every call,
so a session, with the agent's notes, lives as long as the `agent_data` of its trajectory.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from worldforge.core.errors import InputError
from worldforge.environments.registry import dialect_named
from worldforge.environments.session import ToolSession, outcome_of
from worldforge.models.chat import ToolCall
from worldforge.serving.answer_reward import OUTCOME
from worldforge.serving.worlds import begin_session

try:
    from verl.tools.base_tool import BaseTool  # type: ignore[import-not-found]
    from verl.tools.schemas import (  # type: ignore[import-not-found]
        OpenAIFunctionParametersSchema,
        OpenAIFunctionPropertySchema,
        OpenAIFunctionSchema,
        OpenAIFunctionToolSchema,
        ToolResponse,
    )
except ImportError as error:
    raise InputError(f"verl's tools cannot be imported: {error}", "`pip install verl`, 0.9 or later") from error

_SESSIONS: WeakKeyDictionary[Any, dict[tuple[str, ...], ToolSession]] = WeakKeyDictionary()


class _Property(OpenAIFunctionPropertySchema, extra="allow"):  # type: ignore[misc, call-arg]
    """An argument; verl's class would drop item types and bounds."""


class _Parameters(OpenAIFunctionParametersSchema, extra="allow"):  # type: ignore[misc, call-arg]
    properties: dict[str, _Property]


class _Function(OpenAIFunctionSchema):  # type: ignore[misc]
    parameters: _Parameters


class _Tool(OpenAIFunctionToolSchema):  # type: ignore[misc]
    function: _Function


class WorldTool(BaseTool):  # type: ignore[misc]
    """The tool that `config["tool"]` names, in the dialect `config["dialect"]` (default: agentworld).

    A schema in the configuration is ignored: the dialect has one. Raises InputError for an unknown name.
    """

    def __init__(self, config: dict[str, Any], tool_schema: OpenAIFunctionToolSchema | None = None) -> None:
        self._dialect = dialect_named(config.get("dialect") or "")
        known, tool = {one["function"]["name"]: one for one in self._dialect.tools}, str(config.get("tool"))
        if tool not in known:
            raise InputError(
                f"verl's tool configuration: dialect {self._dialect.name} has no tool `{tool}`",
                f"`config.tool` is one of {', '.join(known)}",
            )
        super().__init__(config, _Tool.model_validate(known[tool]))
        self._places: dict[str, tuple[str, ...]] = {}

    async def create(self, instance_id: str | None = None, **kwargs: Any) -> tuple[str, ToolResponse]:
        """Remember the world and the task of this call. Raises InputError where the row names none."""
        given = kwargs.get("create_kwargs") or kwargs
        if not given.get("world"):
            raise InputError(
                f"tool `{self.name}`: the row names no world", "take rows of `rl_verl`: extra_info.tools_kwargs"
            )
        instance = instance_id or uuid4().hex
        names = (given["world"], given.get("world_digest"), self._dialect.name, given.get("task_id"))
        self._places[instance] = tuple(name or "" for name in names)
        return instance, ToolResponse()

    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, Any]]:
        """Call the tool; a faulty call returns an error message. The reward of a call is 0.

        Where the task has a goal, the outcome so far is left in the trajectory for `answer_reward.compute_score`.
        """
        trajectory = kwargs.get("agent_data")
        session = self._session(trajectory, self._places[instance_id])
        observation = await session.step(ToolCall(instance_id, self.name, json.dumps(parameters, ensure_ascii=False)))
        outcome = outcome_of(session)
        if outcome is not None and trajectory is not None:
            trajectory.extra_fields[OUTCOME] = outcome.to_json()
        return ToolResponse(text=observation.text), 0.0, {"error": observation.error}

    async def release(self, instance_id: str, **kwargs: Any) -> None:
        """Forget the call."""
        self._places.pop(instance_id, None)

    def _session(self, trajectory: Any, key: tuple[str, ...]) -> ToolSession:
        """Return the trajectory's session; one for this call alone where verl names no trajectory."""
        if trajectory is None:
            return begin_session(*key)
        sessions = _SESSIONS.setdefault(trajectory, {})
        if key not in sessions:
            sessions[key] = begin_session(*key)
        return sessions[key]
