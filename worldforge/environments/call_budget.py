"""How many tool calls an episode may take: 50, as in WideSearch, or more where the table asked for is larger.

    oracle_steps(task)     what the oracle may make before a task counts as too wide to be kept
    agent_steps(task)      what an agent may make where its limit follows the task

The oracle has room to search for a page for each row and to open it, and ten calls beside: 50 up to 20 rows.
"""

from __future__ import annotations

from worldforge.world.task import Task

LEAST_STEPS = 50
"""Tool calls of an episode at a table of up to 20 rows."""
_STEPS_A_ROW = 2  # a search, and a page
_BESIDE = 10  # a broad search, lists, pages that conditions stand on
_OPENED = 0.7  # of the calls; searches take the rest
_ROOM = 2  # an agent that does not know the way may make so many times the calls of the oracle


def oracle_steps(task: Task) -> int:
    """Return how many tool calls the oracle may make at a task, whose `facts` must be there."""
    return max(LEAST_STEPS, _STEPS_A_ROW * len(task.facts) + _BESIDE)


def oracle_pages(task: Task) -> int:
    """Return how many pages the oracle plans to open at most before it leaves out what only names others: 35 of 50."""
    return int(_OPENED * oracle_steps(task))


def agent_steps(task: Task) -> int:
    """Return how many tool calls an agent may make at a task: 50, or twice the oracle's where these are more."""
    return max(LEAST_STEPS, _ROOM * task.n_tool_calls)
