"""The tools of a search environment: what each takes, as an agent is told (OpenAI schemas) and as calls are checked.

One record a tool: its docstring and its fields are the description that agents read.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

RESULTS_PER_QUERY = 10
MOST_QUERIES = 5


class Arguments(BaseModel):
    """The arguments of a call: closed to names that the tool does not know, types taken as they are."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class WebSearch(Arguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: str = Field("", description="What to look for, in words.")
    queries: list[str] = Field(
        default_factory=list,
        max_length=MOST_QUERIES,
        description=f"Several queries at once, at most {MOST_QUERIES}, in place of `query`.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> WebSearch:
        if bool(self.query) == bool(self.queries):
            raise ValueError("give either `query` or `queries`")
        return self

    @property
    def asked(self) -> list[str]:
        """The queries, however they were given."""
        return self.queries or [self.query]


class WebExtractor(Arguments):
    """Open a page and read it as Markdown. A long page comes in parts; its first lines say how many there are."""

    url: str = Field(description="The address of the page, as search results and links give it.")
    part: int = Field(1, description="Which part of a long page to read, from 1.")


class DictMemory(Arguments):
    """Keep notes under keys for the length of this task."""

    action: Literal["add", "update", "retrieve", "retrieve_all", "remove", "remove_all"] = Field(
        description="`add` a new key, `update` or `remove` or `retrieve` one that exists, or act on all of them."
    )
    key: str = Field(
        "", max_length=200, description="The note's key; for all actions but `retrieve_all` and `remove_all`."
    )
    value: str = Field("", description="The note; for `add` and `update`.")

    @model_validator(mode="after")
    def _complete(self) -> DictMemory:
        needed = {"add": {"key", "value"}, "update": {"key", "value"}, "retrieve": {"key"}, "remove": {"key"}}
        missing = sorted(needed.get(self.action, set()) - self.model_fields_set)
        if missing:
            raise ValueError(f"`{self.action}` needs `{'` and `'.join(missing)}`")
        return self


def explain(error: ValidationError) -> str:
    """Say what is wrong with a call's arguments, one clause a problem."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(_problem(problem["loc"], problem["msg"]) for problem in problems[:3])


def _problem(place: tuple[int | str, ...], message: str) -> str:
    path = ".".join(map(str, place))[:80]
    said = message.removeprefix("Value error, ")
    return f"`{path}`: {said}" if path else said


def _function(name: str, model: type[Arguments]) -> dict[str, Any]:
    schema = model.model_json_schema()
    properties = {
        field: {key: value for key, value in described.items() if key not in ("title", "default")}
        for field, described in schema["properties"].items()
    }
    parameters = {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }
    return {"name": name, "description": schema["description"], "parameters": parameters}


TOOLS: dict[str, type[WebSearch | WebExtractor | DictMemory]] = {
    "web_search": WebSearch,
    "web_extractor": WebExtractor,
    "dict_memory": DictMemory,
}

TOOL_SCHEMAS: list[dict[str, Any]] = [
    {"type": "function", "function": _function(name, model)} for name, model in TOOLS.items()
]
"""The tools as OpenAI function schemas."""
