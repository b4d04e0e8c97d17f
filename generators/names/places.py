"""Names of places and people: towns, regions, rivers, mountains, lakes, and persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import Language, culture_of
from generators.names.frames import ByLanguage, Frames, distinct_forms, distinct_names, framed, in_form
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

Forms = Mapping[Language, Sequence[str]]
_A_REGION = 12  # how many rows an invented region has of what is named after regions

TOWNS_AGAIN: Forms = {
    "en": (
        "New {}",
        "Upper {}",
        "Lower {}",
        "Port {}",
        "{} Bay",
        "{} Cross",
        "{} Ford",
        "{} Bridge",
        "{} Green",
    ),
    "zh": ("上{}", "下{}", "大{}", "小{}", "老{}", "东{}", "西{}", "南{}", "北{}", "新{}", "前{}", "后{}"),
}
REGIONS_AGAIN: Forms = {
    "en": (
        "Upper {}",
        "Lower {}",
        "Inner {}",
        "Outer {}",
        "{} Coast",
        "{} Highlands",
        "{} March",
        "{} Isles",
    ),
    "zh": ("上{}", "下{}", "内{}", "外{}", "东{}", "西{}", "南{}", "北{}", "前{}", "后{}"),
}


def town(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name towns: `Velomar`, 安溪市. Thousands of one word, then `New Velomar` and the like; no two the same."""
    return _of_a_kind(stream, rows, _towns(stream, rows, culture), culture_of(culture).town_kinds)


def region(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name regions and countries: `Brenania`, 云湘省. Thousands, then `Upper Brenania` and so on; no two alike."""
    chosen = culture_of(culture)
    names = distinct_names(stream, rows, [vocabulary(culture, "region")], REGIONS_AGAIN[chosen.language])
    return _of_a_kind(stream, rows, names, chosen.region_kinds)


def place(stream: Stream, rows: Rows, *, culture: str = "sarnese", form: str = "{}") -> Texts:
    """Name anything a place may lend its name to: `form: Lake {}` gives `Lake Velomar`. No two the same.

    Raises InputError for a form without exactly one `{}`.
    """
    if form.count("{}") != 1:
        raise InputError(f"`form` needs one {{}}, where the name goes: {form!r}", "write it as `Lake {}`")
    return in_form(_towns(stream, rows, culture), [form], np.zeros(len(rows), np.int64))


def after_town(stream: Stream, rows: Rows, town: pa.Array | str | None, culture: str, forms: Forms) -> pa.Array:
    """Name things after their towns (one a row, one for all, or invented), no two the same: `Velomar Rovers`.

    A town with more of them than there are forms has a founder's name added: `Velomar Barabesko Rovers`.
    """
    hosts = _bare(town, len(rows), culture)
    return _after(stream, rows, _towns(stream.child("town"), rows, culture) if hosts is None else hosts, culture, forms)


def after_region(stream: Stream, rows: Rows, region: pa.Array | str | None, culture: str, forms: Forms) -> pa.Array:
    """Name things after their regions or countries, as `after_town` does after towns; an invented one has several."""
    hosts = _bare(region, len(rows), culture)
    if hosts is None:
        again = REGIONS_AGAIN[culture_of(culture).language]
        hosts = distinct_names(stream.child("region"), rows // _A_REGION, [vocabulary(culture, "region")], again)
    return _after(stream, rows, hosts, culture, forms)


def _after(stream: Stream, rows: Rows, hosts: pa.Array, culture: str, forms: Forms) -> pa.Array:
    chosen = culture_of(culture)
    founders = vocabulary(culture, "family")
    return distinct_forms(stream, rows, hosts, forms[chosen.language], founders, space=chosen.space)


def _bare(hosts: pa.Array | str | None, n_rows: int, culture: str) -> pa.Array | None:
    """Return the places that are given, one a row, without what says what kind of place they are: 鹭湾市 is 鹭湾."""
    if hosts is None:
        return None
    column = pa.repeat(hosts, n_rows) if isinstance(hosts, str) else hosts
    chosen = culture_of(culture)
    kinds = "|".join(kind for kind in (*chosen.town_kinds, *chosen.region_kinds) if kind)
    return pc.replace_substring_regex(column, f"(..)(?:{kinds})$", r"\1") if kinds else column


def _towns(stream: Stream, rows: Rows, culture: str) -> pa.Array:
    """Name towns by their word alone, without what says that they are towns."""
    again = TOWNS_AGAIN[culture_of(culture).language]
    return distinct_names(stream, rows, [vocabulary(culture, "place")], again)


def _of_a_kind(stream: Stream, rows: Rows, names: pa.Array, kinds: Sequence[str]) -> pa.Array:
    """Put after each name what says what kind of place it is, where the culture does so."""
    if kinds == ("",):
        return names
    kind = pa.array(kinds).take(pa.array(stream.child("kind").integers(rows, 0, len(kinds) - 1)))
    return pc.binary_join_element_wise(names, kind, "")


_AGAIN = ("Upper {}", "Lower {}", "Little {}", "Great {}")
_AGAIN_ZH = ("小{}", "大{}", "东{}", "西{}")
RIVERS: ByLanguage = {
    "en": Frames(("River {place}", "{place} River", "{place} Brook", "{place} Water"), again=_AGAIN),
    "zh": Frames(("{place}河", "{place}江", "{place}溪"), again=_AGAIN_ZH),
}
MOUNTAINS: ByLanguage = {
    "en": Frames(("Mount {place}", "{place} Peak", "{place} Horn", "{family} Ridge", "{place} Fell"), again=_AGAIN),
    "zh": Frames(("{place}山", "{place}峰", "{place}岭"), again=_AGAIN_ZH),
}
LAKES: ByLanguage = {
    "en": Frames(("Lake {place}", "{place} Lake", "{place} Water", "{family} Lake", "{place} Lagoon"), again=_AGAIN),
    "zh": Frames(("{place}湖", "{place}池", "{place}泊"), again=_AGAIN_ZH),
}


def river(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name rivers: `River Velomar`, 鹭湾河. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, RIVERS)


def mountain(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name mountains: `Mount Velomar`, 鹭湾山. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, MOUNTAINS)


def lake(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name lakes: `Lake Velomar`, 鹭湾湖. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, LAKES)


def person(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name people: `Alvano Barabesko`, `Edwena Holtridge`, 陈维远. Millions, no two the same."""
    chosen = culture_of(culture)
    pools = [vocabulary(culture, sort) for sort in chosen.name_order]
    return distinct_names(stream, rows, pools, space=chosen.space)
