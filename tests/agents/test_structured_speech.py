"""The form of structured replies: bounded throughout, whichever tools there are, and the same for a whole episode."""

import json

import pytest

from worldforge.agents.tool_call_format import StructuredCallFormat
from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.search.dialects import SEARCH_DIALECTS
from worldforge.environments.team_tool import TEAM_TOOLS
from worldforge.models.chat import Reply, Sampling

TOOLS = {dialect.name: [*dialect.tools, *TEAM_TOOLS] for dialect in (*SEARCH_DIALECTS.values(), MCP)}
KNOWN = {
    "type", "enum", "anyOf", "properties", "required", "additionalProperties", "maxProperties", "items", "minItems",
    "maxItems", "minLength", "maxLength", "minimum", "maximum",
}  # fmt: skip


def forms(schema):
    """Give a schema and all schemas within it."""
    yield schema
    for key in ("anyOf",):
        for one in schema.get(key, []):
            yield from forms(one)
    for one in schema.get("properties", {}).values():
        yield from forms(one)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from forms(schema[key])


def form(tools, *, final=False, max_tokens=4_096):
    speech = StructuredCallFormat(tools, None, max_tokens)
    return speech.request((), Sampling(max_tokens=max_tokens), final=final).structure.form


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("max_tokens", [100, 4_096])
def test_nothing_in_it_can_run_on_for_ever(name, max_tokens):
    for schema in forms(form(TOOLS[name], max_tokens=max_tokens)):
        assert set(schema) <= KNOWN
        match schema.get("type"):
            case "string":
                assert "enum" in schema or 0 < schema["maxLength"] <= 4 * max_tokens
            case "array":
                assert schema["maxItems"] <= 5 and schema["minItems"] <= schema["maxItems"]
            case "object":
                assert schema["additionalProperties"] is False or schema["maxProperties"] <= 5
            case "integer":
                assert -(10**7) <= schema["minimum"] <= schema["maximum"] <= 10**7
            case kind:
                assert kind == "boolean" or "anyOf" in schema or "enum" in schema


@pytest.mark.parametrize("name", TOOLS)
def test_it_offers_every_tool_with_its_own_arguments(name):
    calls, _ = form(TOOLS[name])["anyOf"]
    offered = calls["properties"]["calls"]["items"]["anyOf"]
    functions = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS[name]}
    assert {one["properties"]["name"]["enum"][0] for one in offered} == set(functions)
    for one in offered:
        asked = functions[one["properties"]["name"]["enum"][0]]
        assert set(one["properties"]["arguments"]["properties"]) == set(asked["properties"])
        assert one["properties"]["arguments"]["required"] == asked["required"]


def test_a_grammar_is_needed_once_an_episode():
    speech = StructuredCallFormat(TOOLS["plain"], None, 100)
    first, second = (speech.request((), Sampling(max_tokens=n), final=False).structure for n in (100, 40))
    assert first == second


def test_a_final_answer_offers_no_calls():
    assert list(form(TOOLS["plain"], final=True)["properties"]) == ["thought", "answer"]


def test_arguments_come_as_they_were_written():
    arguments = {"query": ["é", "\ud800"], "page": 2}
    text = json.dumps({"thought": "Hm.", "calls": [{"name": "search", "arguments": arguments}]})
    said = StructuredCallFormat(TOOLS["plain"], None, 100).read(Reply(text))
    assert said.words == "Hm." and json.loads(said.calls[0].arguments)["page"] == 2
    said.calls[0].arguments.encode()
