"""The columns of trajectories, with their meanings."""

from __future__ import annotations

import pyarrow as pa

from worldforge.datasets.view import ViewColumn
from worldforge.rollouts.trajectory import TRAJECTORIES

MEANINGS = {
    "run": "name of the run; with `id` it says which trajectory this is",
    "id": "the task and the trial: `task/list-0007#0`; unique within a run",
    "episode": "digest of world, agent, configuration, seed, task and trial: the same wherever that episode is played",
    "world": "name of the world",
    "world_digest": "SHA-256 of the world's files: the same digest, the same world",
    "task": "id of the task in the world's `tasks.parquet`, where its gold table and SQL query are",
    "trial": "which attempt at the task, from 0",
    "seed": "the episode's own seed, derived from the seeds of world and run, the task and the trial",
    "run_seed": "the run's seed (`rollout --seed`)",
    "family": "family of the task: `list`, `filter`, …",
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
    "`facts` that a view without pages showed, gold cells whose values it showed (`gold_seen`: row * number of columns "
    "+ column)",
    "sub_agents": "what the sub-agents of a team did: the call that started each, its messages and observations",
    "answer": "text of the final turn; empty where there was none",
    "outcome": "where gold is a predicate over the final state, as JSON: its conditions and whether each holds, what "
    "changed beside it (`collateral`), the digest of the final state (`state`); empty where gold is a table",
    "ending": "`answered`; `step_limit` or `token_limit` where that cut it short; or `failed`",
    "error": "why the episode failed; empty otherwise",
    "n_steps": "turns of the agent",
    "n_tool_calls": "tool calls made",
    "n_tool_errors": "tool calls that brought an error",
    "n_pages_opened": "different pages opened; those seen only in lists of results do not count",
    "n_prompt_tokens": "tokens that the agent's model read, over all turns; 0 where no model acts",
    "n_completion_tokens": "tokens that it wrote",
    "item_f1": "F1 over cells, strict scorer (for rewards)",
    "item_precision": "precision over cells",
    "item_recall": "recall over cells",
    "row_f1": "F1 over rows",
    "row_precision": "precision over rows",
    "row_recall": "recall over rows",
    "row_order": "share of pairs of rows that stand in gold's order; 1 where the order of rows does not count",
    "success": "whether the table is perfect, or the goal reached and nothing else changed",
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
    "n_answer_characters": "length of the answer",
    "reward_version": "version of the reward components, from `coverage` on",
    "worldforge_version": "version of WorldForge that played the episode",
    "n_tokens": "tokens of the conversation, by the tokenizer that the manifest names; null where none was named",
    "canary": "the dataset's canary: a model that can complete it was trained on this",
}
"""What each column of a trajectory, and of a view of it, holds."""
_MORE = {"run": pa.string(), "n_tokens": pa.int32(), "canary": pa.string()}


def columns_of(*names: str) -> list[ViewColumn]:
    """Return columns of trajectories, each with its type and its meaning."""
    return [(name, _MORE.get(name) or TRAJECTORIES.field(name).type, MEANINGS[name]) for name in names]
