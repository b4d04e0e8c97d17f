"""Prompts of agents: the system prompt, the demand for a final answer, the number of calls left.

The texts are in prompts.toml, by the language of the task.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

PROMPTS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8")
)


def system_prompt(
    tools: Sequence[Mapping[str, Any]], language: str = "en", answer: Literal["table", "report"] = "table"
) -> str:
    """Write the system prompt of an agent that answers with a table, or of a sub-agent, which answers with a report.

    `tools` are OpenAI function schemas, whose descriptions stay as they are. `language` is the task's.
    """
    texts = PROMPTS[language]
    functions = [tool["function"] for tool in tools]
    lines = [f"- `{function['name']}`: {_first_sentence(function.get('description', ''))}" for function in functions]
    return "\n\n".join([texts["job"], "\n".join([texts["tools"], *lines]), texts["manner"], texts[answer]])


def final_demand(language: str, *, wants_table: bool) -> str:
    """Write the demand for the final answer."""
    return PROMPTS[language]["final_table" if wants_table else "final_report"]


def calls_left(n_calls: int, language: str = "en") -> str:
    """Write how many tool calls an agent may still make."""
    return PROMPTS[language]["one_call" if n_calls == 1 else "some_calls"].format(n=n_calls)


def _first_sentence(text: str) -> str:
    sentence, stop, _ = " ".join(text.split()).partition(". ")
    return sentence + stop.strip()
