"""Make generators of names from the patterns in `tables/`: a function each, of one of four sorts.

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
    """Make the generator of names by the patterns at `path` in the tables."""

    def named(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
        return framed(stream, rows, culture, frames_of(path))

    return _described(named, path, what)


def by_field(path: str, what: str) -> Generator:
    """Make the generator of names by the patterns at `path` and the words of a field (one for all, one a row, any)."""

    def named(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
        return framed_by(stream, rows, culture, frames_of(path), kinds_of("academia.fields"), field, "field")

    return _described(named, path, what)


def after_town(path: str, what: str) -> Generator:
    """Make the generator of names after towns (one a row, one for all, or invented) in the forms at `path`."""

    def named(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
        return named_after(stream, rows, town, culture, path)

    return _described(named, path, what)


def after_region(path: str, what: str) -> Generator:
    """Make the generator of names after regions or countries, as `after_town` does after towns."""

    def named(stream: Stream, rows: Rows, *, region: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
        return named_after(stream, rows, region, culture, path, "region")

    return _described(named, path, what)


def _described(named: Generator, path: str, what: str) -> Generator:
    named.__name__ = named.__qualname__ = path.rpartition(".")[2]
    named.__doc__ = f"Draw names of {what}."
    return named
