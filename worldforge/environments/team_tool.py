"""The tool by which the main agent of a team starts sub-agents, and the form in which it brings their answers.

    {"sub_agents": [{"index": 1, "prompt": "List the clubs of Irmorolonia with their founding years."}]}
    read_reports("Sub-agent 1:\\nThere are three: …")           {1: "There are three: …"}

`agents/team.py` has the session that answers it; scripted agents that lead a team write and read these texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from worldforge.environments.arguments import Arguments, schemas

MOST_SUB_AGENTS = 10  # started by one call
CREATE_SUB_AGENTS = "create_sub_agents"
_BEGIN = re.compile(r"(?:\A|\n\n)Sub-agent (\d+)(:\n| failed: | gave no answer \()")


class SubAgentOrder(BaseModel):
    """A sub-agent to start."""

    model_config = Arguments.model_config

    index: int = Field(description="A number of your choice, which its answer will carry.")
    prompt: str = Field(
        min_length=1, description="What it is to do. It knows nothing else of your task: be complete and clear."
    )


_Inlined = Annotated[SubAgentOrder, WithJsonSchema(SubAgentOrder.model_json_schema())]  # and not by `$ref`


class CreateSubAgents(Arguments):
    """Start sub-agents, which work at the same time and have your tools. Brings their final answers."""

    sub_agents: list[_Inlined] = Field(
        min_length=1, max_length=MOST_SUB_AGENTS, description=f"The sub-agents, at most {MOST_SUB_AGENTS}."
    )


TOOLS: Mapping[str, type[Arguments]] = {CREATE_SUB_AGENTS: CreateSubAgents}
TEAM_TOOLS = schemas(TOOLS)
"""The tool that a team's main agent has beside the session's own."""


def write_report(index: int, answer: str) -> str:
    """Write the answer of a sub-agent as the main agent reads it."""
    return f"Sub-agent {index}:\n{answer}"


def write_failure(index: int, error: str) -> str:
    """Write that a sub-agent failed."""
    return f"Sub-agent {index} failed: {error}"


def write_silence(index: int, ending: str) -> str:
    """Write that a sub-agent ended without an answer."""
    return f"Sub-agent {index} gave no answer ({ending})."


def join_reports(reports: list[str]) -> str:
    """Put the texts of several sub-agents together."""
    return "\n\n".join(reports)


def read_reports(text: str) -> dict[int, str]:
    """Read the answers of sub-agents by their index; those that failed or were silent are left out."""
    begun = list(_BEGIN.finditer(text))
    ends = [match.start() for match in begun[1:]] + [len(text)]
    return {int(match[1]): text[match.end() : end] for match, end in zip(begun, ends, strict=True) if match[2] == ":\n"}
