"""The dataset card: what a dataset of trajectories is, how it came about, how to load it, where its limits are.

Written from records and counts alone: the same dataset has the same card. The head is what the Hub reads; it names no
features, since readers take them from the Parquet files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa

from worldforge.datasets.shards import PATTERN
from worldforge.rollouts.config import VERSION
from worldforge.rollouts.run import RunSummary
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.world.world import World

CARD = "README.md"

COLUMNS = {
    "id": "the task and the trial: `task/list-0007#0`; unique within a run",
    "world": "name of the world",
    "world_digest": "SHA-256 of the world's files: the same digest, the same world",
    "task": "id of the task in the world's `tasks.parquet`, where its gold table and SQL query are",
    "trial": "which attempt at the task, from 0",
    "seed": "the episode's own seed, derived from the world's seed, the task and the trial",
    "family": "family of the task: `list`",
    "language": "language of the question",
    "agent": "who acted, and in which version: `oracle@1`",
    "environment": "where it acted, and the dialect of its tools: `search/agentworld`",
    "world_model": "the model that worded what tools brought; empty where the engine did",
    "controls": "what was done to observations on purpose, as JSON; empty where nothing was",
    "messages": "the conversation as chat models expect it: `role`, `content` (never null), "
    "`reasoning_content` where a model thought first, `tool_calls` with `arguments` as JSON strings, "
    "`tool_call_id` and `name` on tool messages; fields that do not apply are null",
    "tools": "the tools on offer, OpenAI function schemas as one JSON string",
    "observations": "one row a tool call, in order: its error, who worded it (`engine`, `model`, `fallback`) and what "
    "that took, the controls that touched it, facts shown wrong (`altered`), stretches of pages it disclosed, "
    "gold cells whose values it showed (`gold_seen`: row * number of columns + column)",
    "sub_agents": "what the sub-agents of a team did: the call that started each, its messages and observations",
    "answer": "text of the final turn; empty where there was none",
    "ending": "`answered`; `step_limit` or `token_limit` where that cut it short; or `failed`",
    "error": "why the episode failed; empty otherwise",
    "n_steps": "turns of the agent",
    "n_tool_calls": "tool calls made",
    "n_tool_errors": "tool calls that brought an error",
    "n_pages_opened": "different pages opened",
    "n_prompt_tokens": "tokens that the agent's model read, over all turns; 0 where no model acts",
    "n_completion_tokens": "tokens that it wrote",
    "item_f1": "F1 over cells, strict scorer (for rewards)",
    "item_precision": "precision over cells",
    "item_recall": "recall over cells",
    "row_f1": "F1 over rows",
    "row_precision": "precision over rows",
    "row_recall": "recall over rows",
    "success": "whether the table is perfect",
    "compat_item_f1": "the same as the WideSearch benchmark's own scorer gives it (for comparison)",
    "compat_item_precision": "likewise",
    "compat_item_recall": "likewise",
    "compat_row_f1": "likewise",
    "compat_row_precision": "likewise",
    "compat_row_recall": "likewise",
    "compat_success": "likewise",
    "strict_version": "version of the strict scorer",
    "compat_version": "version of the compatible scorer",
    "coverage": "share of the gold cells whose values some observation showed, 0 to 1",
    "efficiency": "gold cells seen, a tool call",
    "format_score": "1: the answer is one fenced Markdown table with the columns asked for; 0: it has no table",
    "n_redundant_calls": "tool calls that repeat one that had succeeded",
    "n_pages_visited": "different pages read; those seen only in lists of results do not count",
    "n_answer_characters": "length of the answer",
    "reward_version": "version of the reward components, from `coverage` on",
    "worldforge_version": "version of WorldForge that played the episode",
}
"""What each column of `TRAJECTORIES` holds."""

_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
_SIZE_NAMES = ("1K", "10K", "100K", "1M", "10M", "100M")


def write_card(world: World, runs: Sequence[RunSummary], n_rows: int) -> str:
    """Return the card of a dataset of `n_rows` trajectories from `runs` on `world`, as Markdown with a YAML head."""
    title = world.spec.title or world.name
    sections = (_head(world, title, n_rows), _summary(world, title, n_rows), _loading(), _making(world), _scores(runs))
    return "\n".join([*sections, _columns(), _LIMITS])


def _head(world: World, title: str, n_rows: int) -> str:
    return f"""\
---
license: {world.spec.export.license}
language: {json.dumps(world.spec.languages)}
pretty_name: {json.dumps(f"{title}: search trajectories", ensure_ascii=False)}
size_categories: [{size_category(n_rows)}]
task_categories: [question-answering, text-generation]
tags: [synthetic, agent, search-agent, tool-use, widesearch, worldforge]
configs:
- config_name: trajectories
  default: true
  data_files: [{{split: train, path: {PATTERN}}}]
---
"""


def _summary(world: World, title: str, n_rows: int) -> str:
    about = f"\n{world.spec.description}\n" if world.spec.description else ""
    return f"""\
# {title}: search trajectories

{n_rows:,} trajectories of agents that search the web of an invented world to fill in tables, as the WideSearch
benchmark asks for them. Each holds the whole conversation with its tool calls, and the scores of the answer against a
gold table that is known to be exact.
{about}"""


def _loading() -> str:
    return f"""\
## Loading

```python
from datasets import load_dataset

trajectories = load_dataset("parquet", data_files="{PATTERN}", split="train")
```

To fine-tune on what succeeded: `trajectories.filter(lambda row: row["success"])`, then `messages` and `tools`.
"""


def _making(world: World) -> str:
    counts = world.manifest["counts"]
    rows = {
        "world": f"`{world.name}`, seed {world.spec.seed}",
        "digest": f"`{world.digest}`",
        "entities": f"{sum(counts['entities'].values()):,} of {len(counts['entities'])} types",
        "pages": f"{counts['pages']:,}, which state {counts['mentions']:,} facts",
        "tasks": f"{counts['tasks']:,}",
        "made with": f"WorldForge {VERSION}",
    }
    return f"""\
## How it was made

The facts were drawn by keyed chance from a specification, the pages written from the facts, the questions posed as SQL
over them. A gold table is what SQL returns, confirmed by an independent walk over the world's graph.

{_table(("", ""), list(rows.items()))}
"""


def _scores(runs: Sequence[RunSummary]) -> str:
    header = ("run", "agent", "trajectories", "failed", "item F1", "row F1", "success", "compatible item F1")
    rows = [
        (
            run.run,
            run.config.agent,
            f"{run.tally.n_episodes:,}",
            f"{run.tally.n_failed:,}",
            *(f"{run.tally.scores[name]:.3f}" for name in ("item_f1", "row_f1", "success", "compat_item_f1")),
        )
        for run in runs
    ]
    return f"""\
## Scores

Means over all trajectories of a run, a failed one counting 0.

{_table(header, rows)}
"""


def _columns() -> str:
    rows = [(f"`{field.name}`", _type_name(field.name), COLUMNS[field.name]) for field in TRAJECTORIES]
    return f"""\
## Columns

{_table(("column", "type", "holds"), rows)}
"""


_LIMITS = """\
## Limits

- Everything here is invented: people, places, hosts and figures. Nothing in it is a fact about the real world.
- The agent `oracle` reads the plan of each task: it proves that the task can be solved with the tools, and shows a
  searcher who knows where to look. It does not show how to recover from a wrong turn.
- The pages are written from templates: their language is plainer and more regular than that of the real web.
"""


def size_category(n_rows: int) -> str:
    """Return the Hub's name for a dataset's size: `1K<n<10K`."""
    step = sum(n_rows >= size for size in _SIZES)
    if step == 0:
        return "n<1K"
    return f"{_SIZE_NAMES[step - 1]}<n<{_SIZE_NAMES[step]}" if step < len(_SIZES) else "n>100M"


def _type_name(column: str) -> str:
    kind = TRAJECTORIES.field(column).type
    return "list of records" if pa.types.is_list(kind) else str(kind)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
