"""Options of a rollout that is split among ranks: the command gets a `RankShard`, a `Merge` or None as `part`.

@rank_options
def command(part: Part | None, …) -> None: …
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldforge.cli.show import say
from worldforge.core.errors import InputError

if TYPE_CHECKING:
    from worldforge.core.rank_shards import MissingShard, Part

Command = TypeVar("Command", bound=Callable[..., Any])
_SHOWN = 20  # commands told one by one

_OPTIONS = (
    click.option(
        "--rank", type=click.IntRange(0), metavar="R", help="Do the share of rank R alone, from 0; with --of."
    ),
    click.option(
        "--of", type=click.IntRange(1, 1_000_000), metavar="N", help="How many ranks the work is split among."
    ),
    click.option("--merge", is_flag=True, help="Put together what all ranks have done; refuses gaps."),
)


def rank_options(command: Command) -> Command:
    """Add `--rank`, `--of` and `--merge`; the command gets what they say as `part`."""

    @functools.wraps(command)
    def with_part(*arguments: Any, rank: int | None, of: int | None, merge: bool, **given: Any) -> Any:
        return command(*arguments, part=_part(rank, of, merge), **given)

    decorated: Any = with_part
    for decorate in reversed(_OPTIONS):
        decorated = decorate(decorated)
    return decorated


def _part(rank: int | None, of: int | None, merge: bool) -> Part | None:
    from worldforge.core.rank_shards import Merge, RankShard

    if merge and rank is not None:
        raise InputError("`--rank` and `--merge` exclude each other", "merge when all ranks have finished")
    if merge:
        return Merge(of)
    if (rank is None) != (of is None):
        given, wanting = ("--of", "--rank") if rank is None else ("--rank", "--of")
        raise InputError(f"`{given}` needs `{wanting}` beside it", "`--rank 0 --of 4` is the first of four shares")
    return None if rank is None or of is None else RankShard(rank, of)


def describe_share(part: Part | None) -> bool:
    """Tell a person that a rank's share is whole, and what comes next; say whether it was one."""
    from worldforge.core.rank_shards import RankShard

    if not isinstance(part, RankShard):
        return False
    say(f"{part} is whole; when all are: the same command with `--merge` in place of `--rank {part.rank}`")
    return True


def commands_that_fill(gaps: Sequence[MissingShard], arguments: Sequence[str]) -> str:
    """Give the command for each gap, made of that which asked for the merge."""
    from worldforge.core.rank_shards import in_short

    rest = _without_merge(arguments)
    of = gaps[0].share.of
    commands = [
        shlex.join(["worldforge", *rest, "--rank", str(gap.share.rank), "--of", str(of)]) for gap in gaps[:_SHOWN]
    ]
    n_more = len(gaps) - len(commands)
    more = f"\n  and so on: --array={in_short([gap.share.rank for gap in gaps])} for Slurm" if n_more > 0 else ""
    return "fill the gaps, then merge again:\n" + "\n".join(f"  {command}" for command in commands) + more


def _without_merge(arguments: Sequence[str]) -> list[str]:
    rest: list[str] = []
    given = iter(arguments)
    for argument in given:
        if argument == "--of":
            next(given, None)
        elif argument != "--merge" and not argument.startswith("--of="):
            rest.append(argument)
    return rest
