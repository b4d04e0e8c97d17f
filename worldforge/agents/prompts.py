"""What an agent is told before the question: its job, its tools, the shape of an answer. And what it is told later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldforge.environments.dialects.agentworld import AGENT_WORLD

_JOB = """\
You are a careful researcher. You answer a question about a world that you do not know beforehand, with the tools you \
are given."""

_MANNER = """\
Ask in several ways, look closely at what may hold what is asked, and follow up on what you find. A tool may fail, or \
show only a part: then try again, or go another way. Rely on what the tools have shown you and on nothing else."""

_TABLE = """\
When you have found everything, or cannot find more, stop calling tools and give the answer: one Markdown table inside \
a fenced block that opens with ```markdown, with the columns that the question names, in that order, and one row for \
each item. Leave a cell empty where you did not find its value."""

_REPORT = """\
When you have found what you were asked for, or cannot find more, stop calling tools and report what you found, in \
full and in few words. Nobody but you has seen what the tools showed you."""

FINAL_TABLE = """\
Stop calling tools now, and give the final answer with what you have found: one Markdown table inside a fenced block \
that opens with ```markdown, with the columns that the question names. Leave a cell empty where you did not find its \
value."""

FINAL_REPORT = "Stop calling tools now, and report what you have found, in full and in few words."


def system_prompt(tools: Sequence[Mapping[str, Any]]) -> str:
    """Tell an agent that answers with a table what it is to do with `tools` (OpenAI function schemas)."""
    return "\n\n".join([_JOB, _tools(tools), _MANNER, _TABLE])


def sub_agent_prompt(tools: Sequence[Mapping[str, Any]]) -> str:
    """Tell an agent that works for another what it is to do with `tools`."""
    return "\n\n".join([_JOB, _tools(tools), _MANNER, _REPORT])


def calls_left(n_calls: int) -> str:
    """Say how many tool calls an agent may still make."""
    return f"You can make {n_calls} more tool calls." if n_calls != 1 else "You can make one more tool call."


def _tools(tools: Sequence[Mapping[str, Any]]) -> str:
    functions = [tool["function"] for tool in tools]
    lines = [f"- `{function['name']}`: {_first_sentence(function.get('description', ''))}" for function in functions]
    return "\n".join(["Your tools:", *lines])


def _first_sentence(text: str) -> str:
    sentence, stop, _ = " ".join(text.split()).partition(". ")
    return sentence + stop.strip()


SEARCH = system_prompt(AGENT_WORLD.tools)
"""What a searcher is told in Qwen-AgentWorld's dialect."""
