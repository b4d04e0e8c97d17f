"""Names of places: towns, regions, and whatever else bears one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from generators.names.distinct import distinct_names, in_form
from generators.names.words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

TOWNS_AGAIN = (
    "New {}",
    "Upper {}",
    "Lower {}",
    "Port {}",
    "{} Bay",
    "{} Cross",
    "{} Ford",
    "{} Bridge",
    "{} Green",
)
REGIONS_AGAIN = (
    "Upper {}",
    "Lower {}",
    "Inner {}",
    "Outer {}",
    "{} Coast",
    "{} Highlands",
    "{} March",
    "{} Isles",
)


def town(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name towns: `Velomar`. Some 100,000 of one word, then `New Velomar` and the like; no two the same."""
    return distinct_names(stream, rows, [vocabulary(culture, "place")], TOWNS_AGAIN)


def region(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name regions and countries: `Brenania`. Some 3,000 of one word, then `Upper Brenania` and the like."""
    return distinct_names(stream, rows, [vocabulary(culture, "region")], REGIONS_AGAIN)


def place(stream: Stream, rows: Rows, *, culture: str = "sarnese", form: str = "{}") -> Texts:
    """Name anything a place may lend its name to: `form: Lake {}` gives `Lake Velomar`. No two the same.

    Raises InputError for a form without exactly one `{}`.
    """
    if form.count("{}") != 1:
        raise InputError(f"`form` needs one {{}}, where the name goes: {form!r}", "write it as `Lake {}`")
    names = distinct_names(stream, rows, [vocabulary(culture, "place")], TOWNS_AGAIN)
    return in_form(names, [form], np.zeros(len(rows), np.int64))


def host_towns(stream: Stream, rows: Rows, given: pa.Array | str | None, culture: str) -> pa.Array:
    """Return the towns that names are made after, one a row: those given, or invented ones."""
    if isinstance(given, str):
        return pa.repeat(given, len(rows))
    return town(stream, rows, culture=culture) if given is None else given
