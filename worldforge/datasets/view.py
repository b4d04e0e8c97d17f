"""A dataset view: the data in the format of one kind of reader, in a folder of its own.

    VIEW = DatasetView("answers", "us", "trajectories", columns=[("task", pa.string(), "the task's id")], tables=make)

A shipped view is one file in `views/`; a view of your own is named `module:attribute` (docs/how-to/own-view.md).
A view reads portions of rows and keeps nothing between them, so that memory does not grow with rows.
"""

from __future__ import annotations

import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple, SupportsIndex, cast

import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, load_own, shipped_views
from worldforge.core.suggestions import did_you_mean
from worldforge.rollouts.run import RunSummary
from worldforge.scoring.reward_recipe import DEFAULT, Recipe
from worldforge.world.world import World

ALL = "all"
REPOSITORY = "owner/name"
"""Stands in loading snippets for the dataset's name on the Hub, or its folder."""

Takes = Literal["trajectories", "groups", "world"]
"""Trajectories in any portions; portions that hold all chosen trajectories of one task each; the world alone."""

ViewColumn = tuple[str, pa.DataType, str]
"""A column: its name, its Arrow type, what it holds."""

_EMPTY = pa.schema([])
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Snippet(NamedTuple):
    """Code with which a reader loads a view: the reader, the language, the code (with `REPOSITORY`)."""

    reader: str
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class ExportContext:
    """What a view may read besides its rows.

    `pass_rates` are, by task id, the share of its trajectories that succeeded; untried tasks are not in it. `canary`
    marks the dataset's texts: a model that can complete it was trained on them. Files hold at most `rows_per_file`.
    """

    world: World
    runs: Sequence[RunSummary]
    canary: str
    recipe: Recipe = DEFAULT
    pass_rates: Mapping[str, float] = field(default_factory=dict)
    rows_per_file: int = 10_000


@dataclass(frozen=True, slots=True)
class DatasetView:
    """One view: its name, who reads it, what it takes, and one function that makes its rows.

    Give `columns` and `tables` for Parquet: `tables` turns portions of rows into tables of these columns (a view of
    the world alone gets no portions). Give `lines` for JSON lines, one a row. Give `files` for anything else: file
    names, contents, and how many of the view's rows each file holds.

    Rows that are `imitated` are learnt as they are, so by default they come from successes alone, and from agents that
    knew no more than they were shown. `leaves_out` says
    which selected trajectories have no row. `loading` is shown on the dataset's card. In another process the view is
    found by its `reference`, imported from the folder `code_from`.
    """

    name: str
    readers: str
    takes: Takes
    columns: Sequence[ViewColumn] = ()
    tables: Callable[[Iterable[pa.Table], ExportContext], Iterator[pa.Table]] | None = None
    lines: Callable[[Iterable[pa.Table], ExportContext], Iterator[bytes]] | None = None
    files: Callable[[Iterable[pa.Table], ExportContext], Iterator[tuple[str, bytes, int]]] | None = None
    imitated: bool = False
    leaves_out: str = ""
    loading: Sequence[Snippet] = ()
    reference: str = ""
    code_from: Path | None = None

    def __post_init__(self) -> None:
        """Raise InputError for a name that is no folder's, and where not exactly one function makes the rows."""
        if not _NAME.fullmatch(self.name):
            raise InputError(f"a view cannot be called `{self.name}`", "use lower case letters, digits and `_`")
        makers = [make for make in (self.tables, self.lines, self.files) if make is not None]
        if len(makers) != 1 or bool(self.columns) != (self.tables is not None):
            raise InputError(f"view `{self.name}` needs `columns` and `tables`, or `lines`, or `files`")

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickle by the reference: the functions of a view cannot be found by name elsewhere."""
        return (_load, (self.reference, self.code_from)) if self.reference else object.__reduce_ex__(self, protocol)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of its tables; empty for a view without columns."""
        return pa.schema([(name, kind) for name, kind, _ in self.columns])


def shipped_view(name: str, readers: str, takes: Takes, schema: pa.Schema = _EMPTY, **about: Any) -> DatasetView:
    """Make a shipped view: the meanings of its columns and its snippets are in `views/columns.toml`, `loading.toml`."""
    snippets = tuple(Snippet(**one) for one in _texts("loading.toml").get(name, ()))
    return DatasetView(name, readers, takes, described(schema, name), loading=snippets, reference=name, **about)


def described(schema: pa.Schema, view: str) -> list[ViewColumn]:
    """Return the columns of a shipped view, each with its meaning in `views/columns.toml`."""
    texts = _texts("columns.toml")
    shared = ("rl", "tasks") if view.startswith("rl_") else ()
    meanings = ChainMap(*(texts.get(section, {}) for section in (view, *shared, "trajectories")))
    return [(field.name, field.type, meanings[field.name]) for field in schema]


@cache
def _texts(file: str) -> dict[str, Any]:
    return tomllib.loads(files("worldforge").joinpath("datasets", "views", file).read_text(encoding="utf-8"))


def load_views(views: Sequence[str | DatasetView], code_from: Path | None = None) -> list[DatasetView]:
    """Return views by name, each once, sorted by name; `all` stands for every shipped one.

    A shipped view is named by its file in `views/`, a view of the user's own as `module:attribute`, imported from the
    folder `code_from`. Raises InputError for an unknown name, for none at all, for code that was not allowed (there is
    no `code_from`), and where two views have one name.
    """
    if not views:
        raise InputError("no view is named", "`--view sft`, or `--view all`")
    found: dict[str, DatasetView] = {}
    for one in (name for given in views for name in (shipped_views() if given == ALL else (given,))):
        view = one if isinstance(one, DatasetView) else _load(one, code_from)
        if found.setdefault(view.name, view) != view:
            raise InputError(f"two views are called `{view.name}`", f"give the one of `{view.reference}` another name")
    return [found[name] for name in sorted(found)]


def _load(reference: str, code_from: Path | None) -> DatasetView:
    if not is_own(reference):
        if reference not in shipped_views():
            raise InputError(f"unknown view `{reference}`", did_you_mean(reference, [*shipped_views(), ALL]))
        return cast(DatasetView, import_module(f"worldforge.datasets.views.{reference}").VIEW)
    view = load_own(reference, code_from)
    if not isinstance(view, DatasetView):
        raise InputError(f"`{reference}` is no DatasetView", "see docs/how-to/own-view.md")
    if view.name in shipped_views():
        raise InputError(f"`{reference}` is called `{view.name}`, as a shipped view is", "give it another name")
    return replace(view, reference=reference, code_from=code_from)
