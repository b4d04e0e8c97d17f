"""Options that choose trajectories, as one decorator: the command gets a `Selection` as `selection`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from worldforge.cli.options import FLAG, NOT_NEGATIVE, POSITIVE, RATIO, SEED, combined, option
from worldforge.core.errors import InputError

Command = TypeVar("Command", bound=Callable[..., Any])
_SHARE = click.FloatRange(0, 1)


def _range_of_shares(context: click.Context, option: click.Parameter, text: str | None) -> dict[str, float]:
    """Parse `0.1..0.9`, `0.1..` or `..0.9`: shares of 1, either of which may be left out."""
    if text is None:
        return {}
    low, dots, high = text.partition("..")
    try:
        shares = {name: float(end) for name, end in (("min", low), ("max", high)) if end.strip()}
    except ValueError:
        dots, shares = "", {}
    if not dots or not all(0 <= share <= 1 for share in shares.values()):
        raise click.BadParameter(
            f"`{text}` is no range of shares: write `0.1..0.9`, `0.5..` or `..0.5`", context, option
        )
    return shares


# Names of parameters are those of fields of `Selection`; `min_` and `max_` before one are its bounds.
_OPTIONS = (
    option("--successes/--failures success", "Only perfect tables, or only the others.", default=None),
    option("--any-outcome", "Let `sft` and the like take failures too, which they leave out by default.", FLAG),
    option(
        "--clairvoyant/--no-clairvoyant clairvoyant",
        "Only agents that knew what they had not been shown (oracles), whose trajectories `sft` and the like leave out "
        "by default; or only the others.",
        default=None,
    ),
    option("--min-item-f1", "Least F1 over cells, strict scorer.", _SHARE, metavar="X"),
    option("--max-item-f1", "Most F1 over cells.", _SHARE, metavar="X"),
    option("--min-coverage", "Least share of the gold cells seen on the way.", _SHARE, metavar="X"),
    option("--min-efficiency", "Least gold cells seen a tool call.", click.FloatRange(0), metavar="X"),
    option("--min-steps min_n_steps", "Least turns of the agent.", NOT_NEGATIVE, metavar="N"),
    option("--max-steps max_n_steps", "Most turns of the agent.", NOT_NEGATIVE, metavar="N"),
    option("--max-tool-errors max_n_tool_errors", "Most tool calls that failed.", NOT_NEGATIVE, metavar="N"),
    option("--ending endings", "`answered`, `step_limit` …; repeatable.", multiple=True, metavar="NAME"),
    option("--agent agents", "An agent to take; repeatable.", multiple=True, metavar="NAME"),
    option(
        "--with-control controls",
        "Runs whose plan has this control (`errors`, `wrong_facts` …; `none`: without any); repeatable.",
        multiple=True,
        metavar="NAME",
    ),
    option(
        "--where",
        'A condition on a trajectory\'s columns: "item_f1 >= 0.5 and n_tool_calls < 20".',
        default="",
        metavar="CONDITION",
    ),
    option(
        "--pass-rate",
        "Tasks by the share of their trajectories that succeeded, before any filter: 0.1..0.9.",
        metavar="LOW..HIGH",
        callback=_range_of_shares,
    ),
    option("--accept", "Rejection sampling: take what scores at least X.", _SHARE, metavar="X"),
    option(
        "--accept-by",
        "The score that `--accept` looks at.",
        click.Choice(["item_f1", "row_f1", "coverage", "efficiency", "compat_item_f1", "compat_row_f1"]),
        default="item_f1",
    ),
    option("--max-tokens", "Most tokens of a conversation, by `--tokenizer`.", POSITIVE, metavar="N"),
    option(
        "--dedupe", "Of near-duplicates keep the best: 0.8 is usual, 1 takes copies alone.", RATIO, metavar="SIMILARITY"
    ),
    option("--best-of", "Keep the best K of each task.", POSITIVE, metavar="K"),
    option("--per-task", "Keep K of each task, drawn by chance.", POSITIVE, metavar="K"),
    option(
        "--order",
        "The order of rows; a curriculum begins with what is easy.",
        click.Choice(["played", "curriculum", "shuffled"]),
        default="played",
    ),
    option(
        "--curriculum-by",
        "What is hard.",
        click.Choice(["searcher_calls", "pass_rate", "n_cells", "n_tool_calls"]),
        default="searcher_calls",
    ),
    option("--limit", "Keep the first N, in that order.", POSITIVE, metavar="N"),
    option(
        "--tokenizer",
        "Count tokens, into the column n_tokens: a tokenizer.json, a folder, a Hub name.",
        default="",
        metavar="NAME",
    ),
    option("--seed", "Seed of what is drawn.  [default: 0]", SEED, default=0),
)


def selection_options(command: Command) -> Command:
    """Add the options that choose trajectories; the command gets a `Selection` under that name."""

    @functools.wraps(command)
    def with_selection(*arguments: Any, **given: Any) -> Any:
        from pydantic import ValidationError

        from worldforge.datasets.selection.selection_settings import Selection

        fields: dict[str, Any] = {}
        for name in list(given):
            bound, _, field = name.partition("_")
            if name in Selection.model_fields:
                value = given.pop(name)
                fields[name] = list(value) if isinstance(value, tuple) else value
            elif bound in ("min", "max") and field in Selection.model_fields:
                fields.setdefault(field, {})[bound] = given.pop(name)
        try:
            selection = Selection.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            place = str(first["loc"][0]) if first["loc"] else "the selection"
            raise InputError(f"{place}: {first['msg'].removeprefix('Value error, ')}", "see `--help`") from error
        return command(*arguments, selection=selection, **given)

    decorated: Any = combined(*_OPTIONS)(with_selection)
    return decorated
