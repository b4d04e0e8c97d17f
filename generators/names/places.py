"""Generate names of people, towns and regions, and names of things that contain the name of a town or region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import culture_of
from generators.names.frames import distinct_forms, distinct_names, forms_of, in_form
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

_A_REGION = 12  # how many rows an invented region has of what is named after regions


def town(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Draw names of towns: `Velomar`, 安溪市. Thousands of one word, then `New Velomar` and the like."""
    return _with_kind(stream, rows, _invented(stream, rows, "town", culture), culture_of(culture).town_kinds)


def region(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Draw names of regions and countries: `Brenania`, 云湘省. Thousands, then `Upper Brenania` and the like."""
    return _with_kind(stream, rows, _invented(stream, rows, "region", culture), culture_of(culture).region_kinds)


def place(stream: Stream, rows: Rows, *, culture: str = "sarnese", form: str = "{}") -> Texts:
    """Draw names of anything that is named after a place: `form: Lake {}` gives `Lake Velomar`.

    Raises InputError for a form without exactly one `{}`.
    """
    if form.count("{}") != 1:
        raise InputError(f"`form` needs one {{}}, where the name goes: {form!r}", "write it as `Lake {}`")
    return in_form(_invented(stream, rows, "town", culture), [form], np.zeros(len(rows), np.int64))


def person(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Draw names of people: `Alvano Barabesko`, `Edwena Holtridge`, 陈维远. A culture has millions of them."""
    chosen = culture_of(culture)
    pools = [vocabulary(culture, sort) for sort in chosen.name_order]
    return distinct_names(stream, rows, pools, space=chosen.space)


def named_after(
    stream: Stream,
    rows: Rows,
    hosts: pa.Array | str | None,
    culture: str,
    forms: str,
    sort: Literal["town", "region"] = "town",
) -> pa.Array:
    """Name things after their towns or regions (one a row, one for all, or invented): `Velomar Rovers`.

    `forms` says of what kind they are: `sport.club`. A place with more of them than there are forms has a founder's
    name added: `Velomar Barabesko Rovers`. An invented region has several of them.
    """
    chosen = culture_of(culture)
    if hosts is None:
        hosts = _invented(stream.child(sort), rows if sort == "town" else rows // _A_REGION, sort, culture)
    else:
        column = pa.repeat(hosts, len(rows)) if isinstance(hosts, str) else hosts
        kinds = "|".join(kind for kind in (*chosen.town_kinds, *chosen.region_kinds) if kind)
        hosts = pc.replace_substring_regex(column, f"(..)(?:{kinds})$", r"\1") if kinds else column  # 鹭湾市 is 鹭湾
    founders = vocabulary(culture, "family")
    return distinct_forms(stream, rows, hosts, forms_of(forms, chosen.language), founders, space=chosen.space)


def _invented(stream: Stream, rows: Rows, sort: Literal["town", "region"], culture: str) -> pa.Array:
    """Name towns or regions by their word alone, without the word for their kind."""
    again = forms_of(f"places.{sort}", culture_of(culture).language)
    return distinct_names(stream, rows, [vocabulary(culture, "place" if sort == "town" else "region")], again)


def _with_kind(stream: Stream, rows: Rows, names: pa.Array, kinds: Sequence[str]) -> pa.Array:
    """Add the word for its kind of place to each name, where the culture has such words."""
    if kinds == ("",):
        return names
    kind = pa.array(kinds).take(pa.array(stream.child("kind").integers(rows, 0, len(kinds) - 1)))
    return pc.binary_join_element_wise(names, kind, "")
