"""Options that choose trajectories, as one decorator: the command gets them as `selection`.

@selection_options
def command(selection: Selection, …) -> None: …
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldforge.core.errors import InputError

if TYPE_CHECKING:
    from worldforge.datasets.selection.selection_settings import Selection

Command = TypeVar("Command", bound=Callable[..., Any])
_SHARE = click.FloatRange(0, 1)
_COUNT = click.IntRange(1)


def _span(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float | None, float | None]:
    """Read `0.1..0.9`, `0.1..` or `..0.9`: shares of 1, either of which may be left out."""
    if value is None:
        return None, None
    low, between, high = value.partition("..")
    try:
        least, most = (float(end) if end.strip() else None for end in (low, high))
    except ValueError:
        least, most, between = None, None, ""
    if not between or not all(0 <= end <= 1 for end in (least, most) if end is not None):
        raise click.BadParameter(f"`{value}` is no span of shares: write `0.1..0.9`, `0.5..` or `..0.5`", ctx, param)
    if least is not None and most is not None and least > most:
        raise click.BadParameter(f"`{value}` begins above its end", ctx, param)
    return least, most


_OPTIONS = (
    click.option("--successes/--failures", "success", default=None, help="Only perfect tables, or only the others."),
    click.option(
        "--any-outcome", is_flag=True, help="Let `sft` and the like take failures too, which they leave out by default."
    ),
    click.option("--min-item-f1", type=_SHARE, metavar="X", help="Least F1 over cells, strict scorer."),
    click.option("--max-item-f1", type=_SHARE, metavar="X", help="Most F1 over cells."),
    click.option("--min-coverage", type=_SHARE, metavar="X", help="Least share of the gold cells seen on the way."),
    click.option("--min-efficiency", type=click.FloatRange(0), metavar="X", help="Least gold cells seen a tool call."),
    click.option("--min-steps", type=click.IntRange(0), metavar="N", help="Least turns of the agent."),
    click.option("--max-steps", type=click.IntRange(0), metavar="N", help="Most turns of the agent."),
    click.option("--max-tool-errors", type=click.IntRange(0), metavar="N", help="Most tool calls that failed."),
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
        callback=_span,
        help="Tasks by the share of their trajectories that succeeded, before any filter: 0.1..0.9.",
    ),
    click.option("--accept", type=_SHARE, metavar="X", help="Rejection sampling: take what scores at least X."),
    click.option(
        "--accept-by",
        type=click.Choice(["item_f1", "row_f1", "coverage", "efficiency", "compat_item_f1", "compat_row_f1"]),
        default="item_f1",
        show_default=True,
        help="The score that `--accept` looks at.",
    ),
    click.option("--max-tokens", type=_COUNT, metavar="N", help="Most tokens of a conversation, by `--tokenizer`."),
    click.option(
        "--dedupe",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SIMILARITY",
        help="Of near-duplicates keep the best: 0.8 is usual, 1 takes copies alone.",
    ),
    click.option("--best-of", type=_COUNT, metavar="K", help="Keep the best K of each task."),
    click.option("--per-task", type=_COUNT, metavar="K", help="Keep K of each task, drawn by chance."),
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
    click.option("--limit", type=_COUNT, metavar="N", help="Keep the first N, in that order."),
    click.option(
        "--tokenizer",
        default="",
        metavar="NAME",
        help="Count tokens, into the column n_tokens: a tokenizer.json, a folder, a Hub name.",
    ),
    click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, help="Seed of what is drawn.  [default: 0]"),
)
_NAMES = (
    "success", "any_outcome", "min_item_f1", "max_item_f1", "min_coverage", "min_efficiency", "min_steps", "max_steps",
    "max_tool_errors", "endings", "agents", "controls", "where", "pass_rate", "accept", "accept_by", "max_tokens",
    "dedupe", "best_of", "per_task", "order", "curriculum_by", "limit", "tokenizer", "seed",
)  # fmt: skip


def selection_options(command: Command) -> Command:
    """Add the options that choose trajectories; the command gets a `Selection` under that name."""

    @functools.wraps(command)
    def with_selection(*arguments: Any, **given: Any) -> Any:
        chosen = {name: given.pop(name) for name in _NAMES}
        return command(*arguments, selection=_selection(chosen), **given)

    decorated: Any = with_selection
    for decorate in reversed(_OPTIONS):
        decorated = decorate(decorated)
    return decorated


def _selection(given: dict[str, Any]) -> Selection:
    from pydantic import ValidationError

    from worldforge.datasets.selection.selection_settings import Selection

    bounds = {
        "item_f1": (given.pop("min_item_f1"), given.pop("max_item_f1")),
        "coverage": (given.pop("min_coverage"), None),
        "efficiency": (given.pop("min_efficiency"), None),
        "n_steps": (given.pop("min_steps"), given.pop("max_steps")),
        "n_tool_errors": (None, given.pop("max_tool_errors")),
        "pass_rate": given.pop("pass_rate"),
    }
    for name, (low, high) in bounds.items():
        if low is not None and high is not None and low > high:
            raise InputError(f"{name}: at least {low:g} and at most {high:g} leave nothing", "swap the two")
    lists = {name: list(given.pop(name)) for name in ("endings", "agents", "controls")}
    spans = {name: {"min": low, "max": high} for name, (low, high) in bounds.items()}
    try:
        return Selection.model_validate(given | lists | spans)
    except ValidationError as error:
        first = error.errors()[0]
        said = first["msg"].removeprefix("Value error, ")
        place = str(first["loc"][0]) if first["loc"] else "the selection"
        raise InputError(f"{place}: {said}", "see `--help`") from error
