"""What a team of searchers reaches beside a lone one, and how the calls divide. Prints a Markdown table.

    python -m benchmarks.searcher_team WORLD … [--limit 40] [--dialect agentworld+find_in_page]

WORLD is the folder of a world. For each a row: mean item F1 by the strict scorer of the lone searcher and of the team,
without a limit; calls of the lone one, of the lead, of all its sub-agents and of the busiest (what the team takes
where they work side by side); sub-agents and rounds; how many calls of all agents open an address or type a name that
the agent's own question and observations had not shown.
"""

import argparse
import statistics
from dataclasses import replace
from pathlib import Path

from benchmarks.searcher import n_unseen, names_of
from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import Episode, run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.agents.team import SubEpisode, TeamSession
from worldforge.core.run_async import run_sync
from worldforge.environments.environment import Plan, TeamPlan
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.searcher.planner import SearcherPlanner
from worldforge.rollouts.factories import TaskMentions
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.task import Task
from worldforge.world.world import World, open_world

COLUMNS = (
    "world", "tasks", "item F1, alone", "item F1, team", "calls, alone", "of the lead", "of sub-agents",
    "of the busiest", "sub-agents", "rounds", "unseen"
)  # fmt: skip
_LIMITS = EpisodeLimits(max_steps=1_000_000)


def row(world: World, dialect: str, limit: int) -> list[str]:
    """Play the first tasks of a world alone and by teams; return the cells of the row."""
    environment = SearchEnvironment(world, dialect_of(SearchEnvironment, dialect))
    planner, tasks, names = SearcherPlanner(SearchEnvironment, ""), world.tasks[:limit], names_of(world)
    mentions = TaskMentions(world, tasks)
    make, make_team = (
        prepare(world, mentions, environment.dialect) for prepare in (planner.prepare, planner.prepare_team)
    )
    alone = [_play(environment, task, make(task, 0)) for task in tasks]
    teams = [_play_team(environment, task, make_team(task, 0, 0)) for task in tasks]
    own = [[sub.episode.n_tool_calls for sub in subs if sub.episode] for _, subs in teams]
    n_calls = sum(lead.n_tool_calls for lead, _ in teams) + sum(map(sum, own))
    unseen = sum(
        n_unseen(task, lead, names)
        + sum(n_unseen(replace(task, wording=sub.prompt), sub.episode, names) for sub in subs if sub.episode)
        for task, (lead, subs) in zip(tasks, teams, strict=True)
    )
    return [
        world.name,
        str(len(tasks)),
        f"{_item_f1(world, tasks, alone):.3f}",
        f"{_item_f1(world, tasks, [lead for lead, _ in teams]):.3f}",
        f"{statistics.mean(one.n_tool_calls for one in alone):,.0f}",
        f"{statistics.mean(lead.n_tool_calls for lead, _ in teams):,.0f}",
        f"{statistics.mean(map(sum, own)):,.0f}",
        f"{statistics.mean(max(calls, default=0) for calls in own):,.0f}",
        f"{statistics.mean(map(len, own)):.1f}",
        f"{statistics.mean(len({sub.call_id for sub in subs}) for _, subs in teams):.1f}",
        f"{unseen:,} of {n_calls:,}",
    ]


def _play(environment: SearchEnvironment, task: Task, plan: Plan) -> Episode:
    return run_sync(run_episode(PlannedAgent(plan), environment.session(task), _LIMITS))


def _play_team(environment: SearchEnvironment, task: Task, plans: TeamPlan) -> tuple[Episode, list[SubEpisode]]:
    def start(prompt: str, number: int, _: EpisodeLimits) -> PlannedAgent:
        return PlannedAgent(plans.sub_plan(prompt, number))

    session = TeamSession(environment.session(task), start, _LIMITS)
    return run_sync(run_episode(PlannedAgent(plans.lead), session, _LIMITS)), session.sub_episodes


def _item_f1(world: World, tasks: list[Task], episodes: list[Episode]) -> float:
    return statistics.mean(
        score_strict(episode.answer, gold_with_aliases(world, task)).item_f1
        for task, episode in zip(tasks, episodes, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("worlds", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=40, help="tasks of each world")
    parser.add_argument("--dialect", default="agentworld+find_in_page")
    arguments = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + " --- |" * len(COLUMNS))
    for folder in arguments.worlds:
        print(f"| {' | '.join(row(open_world(folder), arguments.dialect, arguments.limit))} |", flush=True)


if __name__ == "__main__":
    main()
