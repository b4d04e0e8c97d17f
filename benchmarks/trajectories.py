"""Whole trajectories of the searcher for the docs: of each topic a narrow task and a medium one, to be read.

    python -m benchmarks.trajectories [film sports …] [--worlds DIR] [--out docs/trajectories] [--whole]

Builds small worlds of each topic, in English and in Chinese, with tasks of few cells, and lets the searcher play them,
those with fewest cells first. Of the episodes of 12 to 45 calls that are short enough to print it takes the first of
one language, and of the other the first of at least 16 calls; topics take turns in which language is which. Scores
play no part in the choice. Addresses of links are shortened, and of a medium
episode's observations the first 800 characters are printed, unless `--whole` asks for all, which takes some 4 MB. A
world that stands in the folder already is not built again. Writes a page a topic, and
an index.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import Episode, run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.run_async import run_sync
from worldforge.entry_points.build_world import build
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.thoughts import Thoughts
from worldforge.schema.problems import SpecError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import shipped_specs
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.answer_score import Score
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.task import Task
from worldforge.world.world import World, open_world

DIALECT = "agentworld+find_in_page"
SCALES = (0.1, 0.2, 0.3, 0.4, 0.5, 1)
"""The first at which a spec can be built is taken."""
FEW_TASKS = 10
CELLS = {"low": 6, "mean": 20, "high": 60}
CALLS = range(12, 46)
LEAST_CALLS = {"narrow": 12, "medium": 16}
MOST_BYTES = {"narrow": 60_000, "medium": 80_000}  # of the observations
MEDIUM_SHOWN = 800  # characters of an observation of a medium episode
LINK = re.compile(r"\]\(https?://[^\s)]*?/([^\s)/]*)/?\)")
NOT_PRINTED = "quickstart"
INDEX = f"""# Trajectories to read

Two episodes of the [searcher](../agents.md#searcher) a topic: each thought, each call, and what came back (folded).
They are of small worlds with tasks of few cells, in the dialect `{DIALECT}`: the first of 12 to 45 calls that prints
short, with observations whole, and in the other language one of more calls, with the first 800 characters of each.
Addresses of links are shortened. Scores play no part in the choice. `python -m benchmarks.trajectories` writes the
pages; `--whole` prints all of every observation.
"""


class Played(NamedTuple):
    """An episode of a task, with its score and the size of what it observed in bytes."""

    task: Task
    episode: Episode
    score: Score
    n_bytes: int


def play(world: World, tasks: Sequence[Task]) -> Iterator[Played]:
    """Yield the finished episodes of 12 to 45 calls."""
    environment, reader = SearchEnvironment(world, dialect_of(SearchEnvironment, DIALECT)), PageReader(world)
    for task in tasks:
        thoughts = Thoughts(task.language, 0, "long")
        plan = ScriptedSearcher(world.spec, task, reader, environment.dialect, thoughts).play()
        agent, limits = PlannedAgent(plan, max_steps=CALLS.stop), EpisodeLimits(max_steps=CALLS.stop)
        episode = run_sync(run_episode(agent, environment.session(task), limits))
        if episode.n_tool_calls in CALLS and episode.ending != "step_limit":
            n_bytes = sum(len(seen.text.encode()) for turn in episode.turns for seen in turn.observations)
            yield Played(task, episode, score_strict(episode.answer, gold_with_aliases(world, task)), n_bytes)


def choose(world: World, width: str) -> Played | None:
    """Return the first episode that has calls enough and is short enough; else the shortest."""
    played = []
    for one in play(world, sorted(world.tasks, key=lambda task: (task.n_cells, task.id))):
        if one.n_bytes <= MOST_BYTES[width] and one.episode.n_tool_calls >= LEAST_CALLS[width]:
            return one
        played.append(one)
    return min(played, key=lambda one: one.n_bytes, default=None)


def trajectory_page(topic: str, chosen: Sequence[tuple[str, World, Played]], *, whole: bool) -> str:
    """Write the page of a topic; of medium episodes the beginnings of observations, unless they are to be `whole`."""
    parts = [f"# Trajectories: {topic}", "*Written by `python -m benchmarks.trajectories`.*"]
    for width, world, one in chosen:
        shown = 0 if whole or width == "narrow" else MEDIUM_SHOWN
        parts += [f"## A {width} task of `{world.name}`", *_episode(one, shown)]
    return "\n\n".join(parts) + "\n"


def _episode(one: Played, most_shown: int) -> Iterator[str]:
    yield f"`{one.task.id}`, {one.task.n_cells} cells, {one.episode.n_tool_calls} calls, {_scores(one.score)}"
    yield _quoted(one.task.wording)
    for number, turn in enumerate(one.episode.turns[:-1], 1):
        yield f"**{number}.** {_plain(turn.action.reasoning)}"
        for call, seen in zip(turn.action.tool_calls, turn.observations, strict=True):
            yield f"<details><summary><code>{_call(call.name, call.arguments)}</code></summary>"
            yield f"<pre>\n{_observed(seen.text, most_shown)}\n</pre>"
            yield "</details>"
    yield f"**Answer.** {_plain(one.episode.turns[-1].action.reasoning)}"
    yield one.episode.answer.replace("```markdown\n", "").replace("\n```", "").strip()


def _observed(text: str, most_shown: int) -> str:
    """Write an observation, with the addresses of its links shortened: its beginning, or all of it with 0."""
    short = LINK.sub(r"](…/\1)", text)
    if not most_shown or len(short) <= most_shown:
        return html.escape(short, quote=False)
    return html.escape(f"{short[:most_shown]}\n… and {len(short) - most_shown:,} characters more", quote=False)


def _call(name: str, arguments: str) -> str:
    given = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in json.loads(arguments).items())
    return html.escape(f"{name}({given})", quote=False)


def _scores(score: Score) -> str:
    return f"item F1 {score.item_f1:.3f}, row F1 {score.row_f1:.3f}"


def _plain(text: str) -> str:
    """Keep what Markdown would take for markup."""
    escaped = html.escape(text, quote=False)
    return "".join(f"\\{sign}" if sign in "*_`[]#" else sign for sign in escaped)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in _plain(text).split("\n"))


def index_page(rows: Sequence[Sequence[str]]) -> str:
    """Write the index: a row a trajectory."""
    head = ("topic", "world", "task", "cells", "calls", "item F1")
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
    return "\n".join([INDEX, *lines, ""])


def topics() -> list[str]:
    """List the topics that ship."""
    return [name for name in sorted(shipped_specs()) if "_" not in name and name != NOT_PRINTED]


def world_of(name: str, folder: Path) -> World:
    """Open the small world of a spec, which is built where it is not there, at the smallest scale that it allows."""
    for scale in SCALES[:-1]:
        with contextlib.suppress(SpecError):
            build(small_spec(name, scale), folder / name)
            return open_world(folder / name)
    build(small_spec(name, SCALES[-1]), folder / name)
    return open_world(folder / name)


def small_spec(name: str, scale: float) -> WorldSpec:
    """Load a spec with few narrow tasks."""
    asked = [f"scale={scale}"]
    for family, task in load_spec(name).tasks.items():
        asked.append(f"tasks.{family}.count={FEW_TASKS}")
        if task.family in ("list", "relation_rows"):
            asked += [f"tasks.{family}.cells.{key}={n}" for key, n in CELLS.items()]
    return load_spec(name, asked)


def write(topic: str, number: int, worlds: Path, out: Path, *, whole: bool) -> list[list[str]]:
    """Write the page of a topic; return its rows of the index."""
    names = [topic, f"{topic}_zh"] if f"{topic}_zh" in shipped_specs() else [topic, topic]
    chosen = []
    for width, name in zip(("narrow", "medium"), names if number % 2 == 0 else names[::-1], strict=True):
        world = world_of(name, worlds)
        one = choose(world, width)
        if one is not None:
            chosen.append((width, world, one))
    (out / f"{topic}.md").write_text(trajectory_page(topic, chosen, whole=whole), encoding="utf-8")
    return [
        [
            f"[{topic}]({topic}.md)", f"`{world.name}`", f"`{one.task.family}`", str(one.task.n_cells),
            str(one.episode.n_tool_calls), f"{one.score.item_f1:.3f}",
        ]
        for _, world, one in chosen
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topics", nargs="*", help="default: all; the index is written of all only")
    parser.add_argument("--worlds", type=Path, help="where worlds are built and kept; default: a temporary folder")
    parser.add_argument("--out", type=Path, default=Path("docs/trajectories"))
    parser.add_argument("--whole", action="store_true", help="print all of every observation")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    folder, rows = arguments.worlds or Path(tempfile.mkdtemp()), []
    for number, topic in enumerate(topics()):
        if topic in (arguments.topics or topics()):
            rows += write(topic, number, folder, arguments.out, whole=arguments.whole)
            print("\n".join(" | ".join(row) for row in rows[-2:]), flush=True)
    if not arguments.topics:
        (arguments.out / "index.md").write_text(index_page(rows), encoding="utf-8")
    if not arguments.worlds:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
