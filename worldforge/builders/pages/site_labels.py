"""What a site calls columns: one of the phrasebook's labels, and another before its redesign."""

from __future__ import annotations

import datetime
from dataclasses import replace
from functools import lru_cache

import numpy as np

from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.core.chance import Stream
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.page_inputs import PageAttribute
from worldforge.world.phrases import NO_WORDINGS

_REDESIGNED = (60, 240)  # days before today
_EPOCH = datetime.date(1970, 1, 1)


def label_on(outline: Outline, pages: KindOutline, table: str, column: ColumnInfo, design: int = 0) -> str:
    """Return what pages of a kind call a column in a design: 0 is today's, 1 the one before.

    Kinds take turns with the labels, and the two designs have different ones.
    """
    phrases = outline.phrases.get(pages.page_language.language)
    if phrases is None:
        return column.label
    own = phrases.types if table in phrases.types else phrases.relations
    if table not in own:
        return column.label
    columns = phrases.types[table].attributes if table in phrases.types else phrases.relations[table].columns
    labels = columns.get(column.name, NO_WORDINGS).labels
    if not labels:
        return column.label
    return _ordered(labels, outline.spec.seed, table, column.name)[(_rank(outline, pages) + design) % len(labels)]


@lru_cache(maxsize=4096)
def _ordered(labels: tuple[str, ...], seed: int, table: str, column: str) -> list[str]:
    """Return the labels of a column in the order in which the kinds of a world take turns with them."""
    return Stream(seed).child("pages", "labels", table, column).draws(np.arange(1))[0].shuffled(labels)


def _rank(outline: Outline, pages: KindOutline) -> int:
    """Return how many kinds of page about the same stand before that of some pages in the spec."""
    rank = 0
    for key, kind in outline.spec.pages.items():
        if key == pages.worded_as:
            break
        rank += kind.about == pages.kind.about
    return rank


def before_redesign(
    outline: Outline, pages: KindOutline, table: str, attributes: tuple[PageAttribute, ...]
) -> tuple[PageAttribute, ...]:
    """Return attributes as the site called them before its redesign."""
    columns = pages.page_language.columns[table]
    return tuple(replace(one, label=label_on(outline, pages, table, columns[one.key], 1)) for one in attributes)


def redesigned_on(outline: Outline, pages: KindOutline) -> int:
    """Return the day (from 1970-01-01) on which the site of some pages was redesigned; 0 without a phrasebook."""
    if not outline.phrases:
        return 0
    today = (datetime.date.fromisoformat(outline.spec.as_of) - _EPOCH).days
    draws = Stream(outline.spec.seed).child("pages", "redesign", pages.site.host).draws(np.arange(1))[0]
    return today - draws.integer(*_REDESIGNED)
