"""Prompts of agents: the system prompt, the demand for a final answer, the number of calls left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentPrompts:
    """The prompts in one language: the job, how to work, and how to answer with a table or a report.

    `final_table` and `final_report` demand the answer; `one_call` and `some_calls` say how many may still be made.
    """

    job: str
    tools: str
    manner: str
    table: str
    report: str
    final_table: str
    final_report: str
    one_call: str
    some_calls: str


ENGLISH = AgentPrompts(
    job="""\
You are a careful researcher. You answer a question about a world that you do not know beforehand, with the tools you \
are given.""",
    tools="Your tools:",
    manner="""\
Ask in several ways, look closely at what may hold what is asked, and follow up on what you find. A tool may fail, or \
show only a part: then try again, or go another way. Rely on what the tools have shown you and on nothing else.""",
    table="""\
When you have found everything, or cannot find more, stop calling tools and give the answer: one Markdown table inside \
a fenced block that opens with ```markdown, with the columns that the question names, in that order, and one row for \
each item. Leave a cell empty where you did not find its value.""",
    report="""\
When you have found what you were asked for, or cannot find more, stop calling tools and report what you found, in \
full and in few words. Nobody but you has seen what the tools showed you.""",
    final_table="""\
Stop calling tools now, and give the final answer with what you have found: one Markdown table inside a fenced block \
that opens with ```markdown, with the columns that the question names. Leave a cell empty where you did not find its \
value.""",
    final_report="Stop calling tools now, and report what you have found, in full and in few words.",
    one_call="You can make one more tool call.",
    some_calls="You can make {n} more tool calls.",
)
CHINESE = AgentPrompts(
    job="你是一名细致的研究人员，要用给你的工具，回答一个关于你事先并不了解的世界的问题。",
    tools="你的工具：",
    manner="""\
请换几种方式提问，仔细查看可能含有所求内容的地方，并顺着查到的线索继续追查。工具可能出错，也可能只显示一部分内容：\
遇到这种情况，请重试或另寻途径。只依据工具给你看到的内容作答，不要依据其他任何东西。""",
    table="""\
全部查到之后，或再也查不到更多内容时，请停止调用工具并给出答案：一个Markdown表格，放在以```markdown开头的代码块中，\
列名及其顺序与问题所列一致，每项占一行。没有查到的值，相应的单元格留空。""",
    report="""\
查到所求的内容之后，或再也查不到更多内容时，请停止调用工具，用简练的语言完整地报告你查到的内容。\
工具显示的内容只有你看到过。""",
    final_table="""\
请立即停止调用工具，用已经查到的内容给出最终答案：一个Markdown表格，放在以```markdown开头的代码块中，列名与问题所列一致。\
没有查到的值，相应的单元格留空。""",
    final_report="请立即停止调用工具，用简练的语言完整地报告你已经查到的内容。",
    one_call="你还可以调用一次工具。",
    some_calls="你还可以调用{n}次工具。",
)
PROMPTS: Mapping[str, AgentPrompts] = {"en": ENGLISH, "zh": CHINESE}
"""What agents are told, by the language of the task."""


def system_prompt(tools: Sequence[Mapping[str, Any]], language: str = "en") -> str:
    """Write the system prompt of an agent that answers with a table; `tools` are OpenAI function schemas.

    `language` is the task's. What tools say of themselves stays as it is.
    """
    told = PROMPTS[language]
    return "\n\n".join([told.job, _tools(told, tools), told.manner, told.table])


def sub_agent_prompt(tools: Sequence[Mapping[str, Any]], language: str = "en") -> str:
    """Write the system prompt of a sub-agent, which answers with a report."""
    told = PROMPTS[language]
    return "\n\n".join([told.job, _tools(told, tools), told.manner, told.report])


def final_demand(language: str, *, wants_table: bool) -> str:
    """Write the demand for the final answer."""
    told = PROMPTS[language]
    return told.final_table if wants_table else told.final_report


def calls_left(n_calls: int, language: str = "en") -> str:
    """Write how many tool calls an agent may still make."""
    told = PROMPTS[language]
    return told.some_calls.format(n=n_calls) if n_calls != 1 else told.one_call


def _tools(told: AgentPrompts, tools: Sequence[Mapping[str, Any]]) -> str:
    functions = [tool["function"] for tool in tools]
    lines = [f"- `{function['name']}`: {_first_sentence(function.get('description', ''))}" for function in functions]
    return "\n".join([told.tools, *lines])


def _first_sentence(text: str) -> str:
    sentence, stop, _ = " ".join(text.split()).partition(". ")
    return sentence + stop.strip()
