"""Draw one of several options, yes or no, or a word from one of Faker's lists.

Only the lists are Faker's, sorted and without repeats. Its random state, its people and its dates are never used."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa

from generators.values.distributions import Bound, real_column, refuse
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Booleans, Texts
from worldforge.core.errors import InputError


def choice(stream: Stream, rows: Rows, *, options: Sequence[str], weights: Sequence[float] | None = None) -> Texts:
    """Choose one of `options` a row, evenly or in proportion to `weights`.

    Raises InputError for no options, and for weights that are not one an option, are negative, or are all 0.
    """
    if not options or isinstance(options, str):
        raise InputError("`options` must list at least one option")
    shares = np.ones(len(options)) if weights is None else np.asarray(weights, np.float64)
    if len(shares) != len(options):
        raise InputError(f"{len(shares)} weights for {len(options)} options", "give one weight an option")
    if not np.all(np.isfinite(shares) & (shares >= 0)) or shares.sum() <= 0:
        raise InputError(f"weights must be at least 0, and not all 0: {shares.tolist()}")
    edges = np.cumsum(shares)
    chosen = np.searchsorted(edges, stream.uniform(rows) * edges[-1], side="right")
    last = int(np.flatnonzero(shares)[-1])
    return pa.array([str(option) for option in options]).take(pa.array(np.minimum(chosen, last)))


def boolean(stream: Stream, rows: Rows, *, share: Bound = 0.5) -> Booleans:
    """Draw true for `share` of the rows (0 to 1, for all rows or one a row)."""
    shares = real_column(share, "share", len(rows))
    refuse(~((shares >= 0) & (shares <= 1)), "`share` is not between 0 and 1")
    return pa.array(stream.uniform(rows) < shares)


def occupation(stream: Stream, rows: Rows, *, locale: str = "en_US") -> Texts:
    """Draw occupations: `Accountant`. Raises InputError for a locale without such a list."""
    return _drawn(stream, rows, _list_of("job", locale))


def colour(stream: Stream, rows: Rows, *, locale: str = "en_US") -> Texts:
    """Draw names of colours: `midnight blue`. Raises InputError for a locale without such a list."""
    return _drawn(stream, rows, _list_of("color", locale))


def _drawn(stream: Stream, rows: Rows, options: pa.Array) -> Texts:
    return options.take(pa.array(stream.integers(rows, 0, len(options) - 1)))


_CAPITAL_INSIDE = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache
def _list_of(kind: Literal["job", "color"], locale: str) -> pa.Array:
    """Read one of Faker's lists, such as `faker.providers.job.en_US`: sorted, without repeats.

    Occupations with a comma are those of an index, not of a sentence: they are left out.
    """
    package = importlib.import_module(f"faker.providers.{kind}")
    locales = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if "_" in module.name)
    if locale not in locales:
        raise InputError(f"no {kind} list for the locale `{locale}`", f"there is one for {', '.join(locales)}")
    provider = importlib.import_module(f"faker.providers.{kind}.{locale}").Provider
    if kind == "job":
        listed = {title for title in provider.jobs if "," not in title}
    else:
        listed = {_CAPITAL_INSIDE.sub(" ", name).lower() for name in provider.all_colors}
    return pa.array(sorted(listed))
