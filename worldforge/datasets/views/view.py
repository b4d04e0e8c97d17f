"""A view: what one kind of reader takes, made of trajectories or of the world. Each is a folder of a dataset.

    View("sft", "TRL, Axolotl, ms-swift, prime-rl", "trajectories", SCHEMA, COLUMNS, tables=_convert)

A view is asked for portions, and keeps nothing between them, so that memory does not grow with rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa

from worldforge.rollouts.run import RunSummary
from worldforge.scoring.recipe import Recipe
from worldforge.world.world import World

Takes = Literal["trajectories", "groups", "world"]
"""Trajectories in any portions; portions that are all chosen trajectories of one task each; the world alone."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a view may know beside the rows it is handed.

    `pass_rates` are, by task id, the share of its trajectories that succeeded; tasks nobody tried are not in it.
    `canary` marks the dataset's texts, so that who trains on them by mistake can find out.
    """

    world: World
    runs: Sequence[RunSummary]
    split: str
    canary: str
    recipe: Recipe
    pass_rates: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class View:
    """One view: its name, who reads it, what it takes, and how rows become its own.

    Parquet views have a `schema`, what each of its `columns` holds, and `tables`, which turns portions of the rows
    taken into tables of that schema (none come where it takes the world alone). Views of JSON lines have `lines`, which
    gives one line a row. Other views have `files`, which gives names, with their ending, contents, and how many of the
    view's rows each file holds: 0 for a file that goes with the rows of another.

    What an agent did in rows that are `imitated` is learnt as it is: by default they are of successes alone.
    `leaves_out` says what trajectories are like that were selected and have no row.
    """

    name: str
    readers: str
    takes: Takes
    schema: pa.Schema | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    tables: Callable[[Iterable[pa.Table], Context], Iterator[pa.Table]] | None = None
    lines: Callable[[Iterable[pa.Table], Context], Iterator[bytes]] | None = None
    files: Callable[[Iterable[pa.Table], Context], Iterator[tuple[str, bytes, int]]] | None = None
    imitated: bool = False
    leaves_out: str = ""
