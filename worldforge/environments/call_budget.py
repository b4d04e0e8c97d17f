"""Limits of tool calls: 50 an episode, as in WideSearch, and more for large tables.

    oracle_steps(task)     the oracle's limit: a task that needs more is not kept
    agent_steps(task)      an agent's limit with `by_task`

The oracle has room to search for a page for each row and to open it, and ten calls beside: 50 up to 20 rows. Where
columns lead to other entities, or rows are those of a relation, it has so for each entity.
"""

from __future__ import annotations

from worldforge.world.task import Task

LEAST_STEPS = 50
"""Tool calls of an episode at a table of up to 20 rows."""
_STEPS_AN_ENTITY = 2  # a search, and a page
_BESIDE = 10  # a broad search, lists, pages that conditions stand on
_OPENED = 0.7  # of the calls; searches take the rest
_ROOM = 2  # an agent that does not know the way may make so many times the calls of the oracle


def oracle_steps(task: Task) -> int:
    """Return the oracle's limit of tool calls for a task with `facts`."""
    return max(LEAST_STEPS, _STEPS_AN_ENTITY * _n_entities(task) + _BESIDE)


def _n_entities(task: Task) -> int:
    """Count the entities that cells are facts of; of groups, the groups; rows of a relation stand on their pages."""
    if task.shape.group:
        return len(task.facts)
    found = {fact.partition("#")[0] for fact in task.answer_facts}
    return sum(not one.startswith(f"{task.shape.rows}/") for one in found)


def oracle_pages(task: Task) -> int:
    """Return how many pages the oracle plans to open before it skips pages that only introduce names: 35 of 50."""
    return int(_OPENED * oracle_steps(task))


def agent_steps(task: Task) -> int:
    """Return an agent's limit of tool calls for a task: 50, or twice the oracle's calls if that is more."""
    return max(LEAST_STEPS, _ROOM * task.measures.n_tool_calls)
