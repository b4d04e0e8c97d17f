"""Make name generators from the patterns in `tables/`. There are four kinds of generator.

lake = by_pattern("places.lake", "lakes: `Lake Velomar`, 鹭湾湖")
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from generators.names.frames import framed, framed_by, frames_of, kinds_of
from generators.names.places import named_after
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

Generator = Callable[..., Texts]


def by_pattern(path: str, what: str) -> Generator:
    """Return a generator that draws names from the patterns at `path` in the tables."""

    def named(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
        return framed(stream, rows, culture, frames_of(path))

    return _described(named, path, what)


def by_field(path: str, what: str) -> Generator:
    """Return a generator that draws names from the patterns at `path` and the word list of a field."""

    def named(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
        return framed_by(stream, rows, culture, frames_of(path), kinds_of("academia.fields"), field, "field")

    return _described(named, path, what)


def after_town(path: str, what: str) -> Generator:
    """Return a generator of names that contain the name of a town (given or invented), in the forms at `path`."""

    def named(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
        return named_after(stream, rows, town, culture, path)

    return _described(named, path, what)


def after_region(path: str, what: str) -> Generator:
    """Return a generator of names that contain the name of a region or country; otherwise like `after_town`."""

    def named(stream: Stream, rows: Rows, *, region: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
        return named_after(stream, rows, region, culture, path, "region")

    return _described(named, path, what)


def _described(named: Generator, path: str, what: str) -> Generator:
    named.__name__ = named.__qualname__ = path.rpartition(".")[2]
    named.__doc__ = f"Draw names of {what}."
    return named
