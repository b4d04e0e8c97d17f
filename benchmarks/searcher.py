"""What the searcher reaches with few calls, many, and as many as it likes. Prints a Markdown table.

    python -m benchmarks.searcher WORLD … [--budgets 25 50 100 400 0] [--limit 40] [--dialect agentworld+find_in_page]

WORLD is the folder of a world. For each world and budget of tool calls (0: none) a row: mean item F1 by the strict
scorer, perfect tables, calls (mean, and the share of episodes of over 100), CPU seconds an episode (with the last
column's), and how many calls open an address or type a name that neither question nor observation had shown.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import Episode, run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.run_async import run_sync
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.evidence_plan import urls_in
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.thoughts import Thoughts
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.task import Task
from worldforge.world.world import World, open_world

COLUMNS = (
    "world", "tasks", "cells, mean", "calls at most", "item F1", "perfect", "calls, mean", "over 100", "CPU s",
    "unseen"
)  # fmt: skip
_ANY = 1_000_000
_LONG = 100  # calls


def row(world: World, reader: PageReader, budget: int, dialect: str, limit: int) -> list[str]:
    """Play the first tasks of a world with `budget` calls each; return the cells of the row."""
    environment = SearchEnvironment(world, dialect_of(SearchEnvironment, dialect))
    tasks = world.tasks[:limit]
    names = names_of(world)
    scores, calls, unseen, began = [], [], 0, time.process_time()
    for task in tasks:
        episode = played(world, reader, environment, task, budget)
        scores.append(score_strict(episode.answer, gold_with_aliases(world, task)))
        calls.append(episode.n_tool_calls)
        unseen += n_unseen(task, episode, names)
    seconds = (time.process_time() - began) / len(tasks)
    return [
        world.name,
        str(len(tasks)),
        f"{statistics.mean(task.n_cells for task in tasks):,.0f}",
        f"{budget:,}" if budget else "any number",
        f"{statistics.mean(score.item_f1 for score in scores):.3f}",
        f"{statistics.mean(score.success for score in scores):.0%}",
        f"{statistics.mean(calls):,.0f}",
        f"{statistics.mean(n > _LONG for n in calls):.0%}",
        f"{seconds:.1f}",
        f"{unseen:,} of {sum(calls):,}",
    ]


def played(world: World, reader: PageReader, environment: SearchEnvironment, task: Task, budget: int = 0) -> Episode:
    """Let the searcher play a task with `budget` calls; 0: with as many as it likes."""
    plan = ScriptedSearcher(world.spec, task, reader, environment.dialect, Thoughts(task.language, 0, "long")).play()
    agent, limits = PlannedAgent(plan, max_steps=budget), EpisodeLimits(max_steps=budget or _ANY)
    return run_sync(run_episode(agent, environment.session(task), limits))


def names_of(world: World) -> set[str]:
    """Return all names of a world's entities, aliases too."""
    tables = [world.entities(name) for name in world.spec.types]
    aliases = {alias for table in tables for own in table["aliases"].to_pylist() for alias in own or ()}
    return aliases | {name for table in tables for name in table["name"].to_pylist()}


def n_unseen(task: Task, episode: Episode, names: set[str]) -> int:
    """Count the calls that open an address, or type a name, which neither question nor observation has shown."""
    n, shown = 0, task.wording
    for turn in episode.turns:
        for call in turn.action.tool_calls:
            typed = typed_in(call.arguments)
            n += any(url not in shown for url in urls_in(typed)) or any(
                name in typed and name not in shown for name in names
            )
        shown = "\n".join([shown, *(seen.text for seen in turn.observations)])
    return n


def typed_in(arguments: str) -> str:
    """Return the words and addresses in a call's arguments, a line each; arguments that are no JSON as they stand."""
    try:
        given = json.loads(arguments)
    except json.JSONDecodeError:
        return arguments.replace('"', " ")
    return "\n".join(str(part) for value in given.values() for part in (value if isinstance(value, list) else [value]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("worlds", nargs="+", type=Path)
    parser.add_argument("--budgets", nargs="+", type=int, default=[25, 50, 100, 400, 0])
    parser.add_argument("--limit", type=int, default=40, help="tasks of each world")
    parser.add_argument("--dialect", default="agentworld+find_in_page")
    arguments = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + " --- |" * len(COLUMNS))
    for folder in arguments.worlds:
        world = open_world(folder)
        reader = PageReader(world)
        for budget in arguments.budgets:
            cells = row(world, reader, budget, arguments.dialect, arguments.limit)
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
