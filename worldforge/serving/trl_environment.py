"""A world's tools as an environment of TRL's GRPO (1.16), over rows of the view `rl_trl`. Imports no TRL.

    configure("output/quickstart")                    or WORLDFORGE_WORLDS=output/quickstart
    GRPOTrainer(model, train_dataset=rows, environment_factory=SearchTools, reward_funcs=item_f1)
    GRPOTrainer(model, train_dataset=rows, environment_factory=SearchAndAnswerTools)

TRL shows an environment no completion. So there are two: with `SearchTools` the final turn is the answer, as in
WorldForge's own rollouts, and a reward function scores it; `SearchAndAnswerTools` takes the answer by a tool and scores
it itself. TRL adds up all rewards: do not give both. Where a task has a goal, either scores the final state instead.

Tools of another environment are methods of a subclass of `TaskTools`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldforge.core.errors import InputError
from worldforge.serving.answer_reward import measures
from worldforge.serving.task_attempt import TaskAttempt

_HOW_TO_ANSWER = "\n\nGive the final table with the tool `answer`, once."


class TaskTools:
    """The base: every public method of a subclass is a tool of `dialect`. TRL reads signature and docstring."""

    dialect = "plain"

    def __init__(self) -> None:
        self._attempt: TaskAttempt | None = None

    def reset(self, **row: Any) -> str | None:
        """Begin anew with a row of `rl_trl`. Raises InputError for another row, and where its world is not found."""
        self._attempt = TaskAttempt(row)
        if row["dialect"] != self.dialect:
            raise InputError(
                f"the row's prompt speaks of the tools of dialect `{row['dialect']}`; here they are `{self.dialect}`'s",
                "take the rows of the view `rl_trl`",
            )
        return None

    def _call(self, tool: str, **arguments: Any) -> str:
        return self._started_attempt().call(tool, arguments)

    def _measures(self, answer: str) -> dict[str, float]:
        return self._started_attempt().measures(answer)

    def _started_attempt(self) -> TaskAttempt:
        if self._attempt is None:
            raise InputError("the environment was not reset", "call reset(**row) with a row of `rl_trl` first")
        return self._attempt


class SearchTools(TaskTools):
    """The tools `search` and `visit`."""

    def search(self, query: str, page: int = 1) -> str:
        """Search the web. Brings up to ten results: address, title, a snippet of the page, date.

        Args:
            query: What to look for, in words. May hold "an exact phrase", site:host for pages of one site, -word for
                pages without a word.
            page: Which page of the results to show, from 1.

        Returns:
            The results.
        """
        return self._call("search", query=query, page=page)

    def visit(self, url: str, part: int = 1) -> str:
        """Open a page and read its text. A long page comes in parts.

        Args:
            url: The address of the page, as search results and links give it.
            part: Which part of a long page to read, from 1.

        Returns:
            The text.
        """
        return self._call("visit", url=url, part=part)


class SearchAndAnswerTools(SearchTools):
    """The tools `search`, `visit` and `answer`, and the reward of what was answered: item F1, strict scorer."""

    def __init__(self) -> None:
        super().__init__()
        self._answer = ""

    def reset(self, **row: Any) -> str | None:
        """Begin anew; what it returns is appended to the prompt, and says how to answer here."""
        super().reset(**row)
        self._answer = ""
        return _HOW_TO_ANSWER

    def answer(self, table: str) -> str:
        """Give the final answer. The last one given counts.

        Args:
            table: One Markdown table with the columns that the question names.

        Returns:
            That it was taken.
        """
        self._started_attempt()
        self._answer = table
        return "The answer was taken."

    def get_reward(self) -> float:
        """Return the item F1 of the answer given; 0 where none was."""
        return self._measures(self._answer)["item_f1"]


def item_f1(completions: Sequence[Any], ground_truth: Sequence[str], **columns: Any) -> list[float]:
    """Score the last turn of each completion: item F1, strict scorer. A reward function of TRL's."""
    return _each("item_f1", completions, ground_truth, columns)


def row_f1(completions: Sequence[Any], ground_truth: Sequence[str], **columns: Any) -> list[float]:
    """Score by rows in place of cells."""
    return _each("row_f1", completions, ground_truth, columns)


def success(completions: Sequence[Any], ground_truth: Sequence[str], **columns: Any) -> list[float]:
    """Give 1 for a perfect table, or a goal that is reached, else 0."""
    return _each("success", completions, ground_truth, columns)


def _each(
    measure: str, completions: Sequence[Any], ground_truth: Sequence[str], columns: Mapping[str, Any]
) -> list[float]:
    """Score each completion, that of a task with a goal in its own environment: TRL passes these as `environments`."""
    environments = columns.get("environments") or [None] * len(completions)
    return [
        (tools._measures(answer) if isinstance(tools, TaskTools) else measures(answer, gold))[measure]
        for answer, gold, tools in zip(map(_last_turn, completions), ground_truth, environments, strict=True)
    ]


def _last_turn(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the final turn of a conversation; nothing where it ends in a tool call or its result."""
    if isinstance(completion, str):
        return completion
    last: Mapping[str, Any] = completion[-1] if completion else {}
    if last.get("role") != "assistant" or last.get("tool_calls"):
        return ""
    content = last.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
