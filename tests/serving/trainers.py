"""The least of verl and of SkyRL's gym that our classes stand on, where those packages are not installed.

Signatures and fields as in verl 0.9.1 (`verl/tools`) and skyrl-gym 0.4.0 (`skyrl_gym/envs/base_text_env.py`). Where a
package is there, it is used.
"""

import importlib.util
import sys
from types import ModuleType
from typing import Any, TypedDict

from pydantic import BaseModel, Field


class BaseTextEnvStepOutput(TypedDict):
    observations: list[dict[str, str]]
    reward: float
    done: bool
    metadata: dict[str, Any]


class BaseTextEnv:
    def __init__(self):
        self.turns = 0
        self.max_turns = 1

    def init(self, prompt):
        return prompt, {}


class OpenAIFunctionPropertySchema(BaseModel):
    type: str | list[str]
    description: str | None = None
    enum: list[Any] | None = None


class OpenAIFunctionParametersSchema(BaseModel):
    type: str
    properties: dict[str, OpenAIFunctionPropertySchema]
    required: list[str] = Field(default_factory=list)


class OpenAIFunctionSchema(BaseModel):
    name: str
    description: str
    parameters: OpenAIFunctionParametersSchema
    strict: bool = False


class OpenAIFunctionToolSchema(BaseModel):
    type: str
    function: OpenAIFunctionSchema


class ToolResponse(BaseModel):
    text: str | None = None


class BaseTool:
    def __init__(self, config, tool_schema):
        self.config = config
        self.tool_schema = tool_schema
        self.name = tool_schema.function.name


_SCHEMAS = (
    OpenAIFunctionPropertySchema,
    OpenAIFunctionParametersSchema,
    OpenAIFunctionSchema,
    OpenAIFunctionToolSchema,
    ToolResponse,
)
STAND_INS = {
    "verl.tools.base_tool": (BaseTool,),
    "verl.tools.schemas": _SCHEMAS,
    "skyrl_gym.envs.base_text_env": (BaseTextEnv, BaseTextEnvStepOutput),
}


def stand_in(package, monkeypatch):
    """Put the stand-ins for `package` where imports find them, unless it is installed."""
    if importlib.util.find_spec(package):
        return
    for name, members in STAND_INS.items():
        if not name.startswith(f"{package}."):
            continue
        module = ModuleType(name)
        for member in members:
            setattr(module, member.__name__, member)
        parents = name.split(".")[:-1]
        for depth in range(len(parents)):
            parent = ".".join(parents[: depth + 1])
            monkeypatch.setitem(sys.modules, parent, sys.modules.get(parent) or ModuleType(parent))
        monkeypatch.setitem(sys.modules, name, module)
