import json

import pytest
from read_action import read_action

from worldforge.core.errors import InputError
from worldforge.environments.arguments import read_arguments, schemas
from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.database.requests import GetRequest
from worldforge.environments.registry import dialect_named
from worldforge.environments.search.dialects import SEARCH_DIALECTS
from worldforge.environments.search.requests import OpenRequest, SearchRequest
from worldforge.environments.views import ErrorView
from worldforge.world_model.domains import DOMAINS, domain_named
from worldforge.world_model.prompt import read_observation, system_prompt, write_action, write_observation

EACH = pytest.mark.parametrize("domain", DOMAINS.values(), ids=lambda domain: domain.name)
UNGROUNDED = [domain for domain in DOMAINS.values() if not domain.grounded]


def test_the_seven_domains_have_names():
    assert list(DOMAINS) == ["search", "mcp", "terminal", "swe", "web", "android", "os"]
    assert [name for name, domain in DOMAINS.items() if domain.grounded] == ["search", "mcp"]
    assert domain_named("os") is DOMAINS["os"]
    with pytest.raises(InputError, match="no domain `desktop`") as caught:
        domain_named("desktop")
    assert "terminal, swe" in caught.value.hint


@EACH
def test_examples_are_turns_as_they_should_go(domain):
    assert domain.examples
    for example in domain.examples:
        assert read_action(write_action(1, example.call))[1].name == example.call.name
        assert read_observation(write_observation(example.observation)) == example.observation
        assert domain.in_form(example.observation)
        assert bool(example.disclosed) == domain.grounded
        if not domain.grounded:
            assert not isinstance(read_arguments(example.call, domain.tools), ErrorView)


def test_examples_of_grounded_domains_are_in_their_dialects_words():
    spoken = dialect_named("agentworld")
    found, opened = DOMAINS["search"].examples
    for example, request in [(found, SearchRequest(("harbour town Orrin",))), (opened, OpenRequest("https://t"))]:
        before, after = spoken.parse(request, example.disclosed), spoken.parse(request, example.observation)
        assert before != after and type(before) is type(after) is not ErrorView
    (record,) = DOMAINS["mcp"].examples
    assert MCP.read(record.call) == GetRequest("ship", ("ship/0007",))
    assert MCP.parse(MCP.read(record.call), record.observation).records[0]["built"] == 1903


@pytest.mark.parametrize("domain", UNGROUNDED, ids=lambda domain: domain.name)
def test_what_is_cut_or_chatted_is_out_of_form(domain):
    for example in domain.examples:
        assert not domain.in_form(example.observation[:12])
        assert not domain.in_form(f"Sure! Here is what happens:\n\n{example.observation}!")
    assert not domain.in_form("")


@pytest.mark.parametrize("domain", UNGROUNDED, ids=lambda domain: domain.name)
def test_tools_are_told_and_checked(domain):
    for schema in domain.schemas:
        function = schema["function"]
        assert function["description"]
        assert all(described["description"] for described in function["parameters"]["properties"].values())
    assert domain.schemas == schemas(domain.tools)


@EACH
def test_a_prompt_holds_what_it_is_given_in_the_published_order(domain):
    tools = domain.schemas or SEARCH_DIALECTS["plain"].tools
    text = system_prompt(domain, tools, instruction="Fail now and then.", initial_state="A quiet evening.")
    order = [domain.role, json.dumps(tools[0]), domain.observations, domain.examples[0].observation]
    places = [text.index(part) for part in [*order, "A quiet evening.", "Fail now and then."]]
    assert places == sorted(places)
    bare = system_prompt(domain, tools)
    assert "# Instruction" not in bare and "# Initial state" not in bare and text.startswith(bare)


@EACH
def test_grounded_domains_alone_speak_of_what_is_disclosed(domain):
    text = system_prompt(domain, domain.schemas)
    assert ("**Disclosed:**" in text) is domain.grounded
    assert ("make this environment up" in text) is not domain.grounded
