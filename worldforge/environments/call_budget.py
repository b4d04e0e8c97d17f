"""Limits of tool calls: 50 an episode, as in WideSearch, and more for large tables.

    oracle_steps(task)     the oracle's limit: a task that needs more is not kept
    agent_steps(task)      an agent's limit with `by_task`

The oracle has 50 calls for up to 100 cells. For more it has room to search for a page of each entity that it needs
facts of, in the answer or to show that it is the answer, to open it and one more, and ten calls beside.
"""

from __future__ import annotations

from worldforge.world.task import Task

LEAST_STEPS = 50
"""Tool calls of an episode at a table of up to 100 cells."""
_SMALL = 100  # cells
_STEPS_AN_ENTITY = 3  # a search, a page, and a further part of it or page
_BESIDE = 10  # a broad search, lists, pages that conditions stand on
_OPENED = 0.7  # of the calls; searches take the rest
_ROOM = 2  # an agent may make so many times the calls of the scripted one


def oracle_steps(task: Task) -> int:
    """Return the oracle's limit of tool calls for a task with `facts`."""
    if len(task.facts) * len(task.columns) <= _SMALL:
        return LEAST_STEPS
    entities = {fact.partition("#")[0] for fact in task.needed_facts}
    return max(LEAST_STEPS, _STEPS_AN_ENTITY * len(entities) + _BESIDE)


def oracle_pages(task: Task) -> int:
    """Return how many pages the oracle plans to open before it skips pages that only introduce names: 35 of 50."""
    return int(_OPENED * oracle_steps(task))


def agent_steps(task: Task) -> int:
    """Return an agent's limit of tool calls for a task: 50, or twice the searcher's calls if that is more.

    Where the searcher did not play, twice the oracle's.
    """
    measures = task.measures
    return max(LEAST_STEPS, _ROOM * (measures.searcher_calls or measures.oracle_calls))
