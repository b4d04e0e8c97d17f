"""Options that choose trajectories, as one decorator: the command gets a `Selection` as `selection`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from worldforge.cli.options import NOT_NEGATIVE, POSITIVE, SEED, combined
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
    click.option("--successes/--failures", "success", default=None, help="Only perfect tables, or only the others."),
    click.option(
        "--any-outcome", is_flag=True, help="Let `sft` and the like take failures too, which they leave out by default."
    ),
    click.option("--min-item-f1", type=_SHARE, metavar="X", help="Least F1 over cells, strict scorer."),
    click.option("--max-item-f1", type=_SHARE, metavar="X", help="Most F1 over cells."),
    click.option("--min-coverage", type=_SHARE, metavar="X", help="Least share of the gold cells seen on the way."),
    click.option("--min-efficiency", type=click.FloatRange(0), metavar="X", help="Least gold cells seen a tool call."),
    click.option("--min-steps", "min_n_steps", type=NOT_NEGATIVE, metavar="N", help="Least turns of the agent."),
    click.option("--max-steps", "max_n_steps", type=NOT_NEGATIVE, metavar="N", help="Most turns of the agent."),
    click.option(
        "--max-tool-errors", "max_n_tool_errors", type=NOT_NEGATIVE, metavar="N", help="Most tool calls that failed."
    ),
    click.option("--ending", "endings", multiple=True, metavar="NAME", help="`answered`, `step_limit` …; repeatable."),
    click.option("--agent", "agents", multiple=True, metavar="NAME", help="An agent to take; repeatable."),
    click.option(
        "--with-control",
        "controls",
        multiple=True,
        metavar="NAME",
        help="Runs whose plan has this control (`errors`, `wrong_facts` …; `none`: without any); repeatable.",
    ),
    click.option(
        "--where",
        default="",
        metavar="CONDITION",
        help='A condition on a trajectory\'s columns: "item_f1 >= 0.5 and n_tool_calls < 20".',
    ),
    click.option(
        "--pass-rate",
        metavar="LOW..HIGH",
        callback=_range_of_shares,
        help="Tasks by the share of their trajectories that succeeded, before any filter: 0.1..0.9.",
    ),
    click.option("--accept", type=_SHARE, metavar="X", help="Rejection sampling: take what scores at least X."),
    click.option(
        "--accept-by",
        default="item_f1",
        show_default=True,
        help="The score that `--accept` looks at.",
        type=click.Choice(["item_f1", "row_f1", "coverage", "efficiency", "compat_item_f1", "compat_row_f1"]),
    ),
    click.option("--max-tokens", type=POSITIVE, metavar="N", help="Most tokens of a conversation, by `--tokenizer`."),
    click.option(
        "--dedupe",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SIMILARITY",
        help="Of near-duplicates keep the best: 0.8 is usual, 1 takes copies alone.",
    ),
    click.option("--best-of", type=POSITIVE, metavar="K", help="Keep the best K of each task."),
    click.option("--per-task", type=POSITIVE, metavar="K", help="Keep K of each task, drawn by chance."),
    click.option(
        "--order",
        type=click.Choice(["played", "curriculum", "shuffled"]),
        default="played",
        show_default=True,
        help="The order of rows; a curriculum begins with what is easy.",
    ),
    click.option(
        "--curriculum-by",
        type=click.Choice(["pass_rate", "n_cells", "n_tool_calls"]),
        default="pass_rate",
        show_default=True,
        help="What is hard.",
    ),
    click.option("--limit", type=POSITIVE, metavar="N", help="Keep the first N, in that order."),
    click.option(
        "--tokenizer",
        default="",
        metavar="NAME",
        help="Count tokens, into the column n_tokens: a tokenizer.json, a folder, a Hub name.",
    ),
    click.option("--seed", type=SEED, default=0, help="Seed of what is drawn.  [default: 0]"),
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
