"""Fillers from Faker's word lists, in many languages: sorted, without repeats, and drawn by our own stream.

Only the lists are Faker's. Its random state, its people and its dates are never used.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import lru_cache
from typing import Any

import pyarrow as pa

from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

_CAPITAL_INSIDE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def occupation(stream: Stream, rows: Rows, *, locale: str = "en_US") -> Texts:
    """Draw what people do for a living: `Accountant`. Raises InputError for a locale without such a list."""
    return _drawn(stream, rows, _occupations(locale))


def colour(stream: Stream, rows: Rows, *, locale: str = "en_US") -> Texts:
    """Draw names of colours: `midnight blue`. Raises InputError for a locale without such a list."""
    return _drawn(stream, rows, _colours(locale))


def _drawn(stream: Stream, rows: Rows, options: pa.Array) -> Texts:
    return options.take(pa.array(stream.integers(rows, 0, len(options) - 1)))


@lru_cache
def _occupations(locale: str) -> pa.Array:
    """List the occupations of one word or several; those with a comma are an index's, not a sentence's."""
    return _sorted_list(title for title in _provider("job", locale).jobs if "," not in title)


@lru_cache
def _colours(locale: str) -> pa.Array:
    names = _provider("color", locale).all_colors
    return _sorted_list(_CAPITAL_INSIDE.sub(" ", name).lower() for name in names)


def _sorted_list(words: Any) -> pa.Array:
    return pa.array(sorted(set(words)))


def _provider(kind: str, locale: str) -> Any:
    """Return Faker's provider of a kind in a locale: `faker.providers.job.en_US.Provider`."""
    package = importlib.import_module(f"faker.providers.{kind}")
    locales = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if "_" in module.name)
    if locale not in locales:
        raise InputError(f"no {kind} list for the locale `{locale}`", f"there is one for {', '.join(locales)}")
    return importlib.import_module(f"faker.providers.{kind}.{locale}").Provider
