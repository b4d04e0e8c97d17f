"""What pages call columns: kinds of page, and pages of a kind, take turns with the labels of the phrasebook."""

from __future__ import annotations

import datetime
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.page_inputs import PageAttribute
from worldforge.world.phrases import NO_WORDINGS

_REDESIGNED = (60, 240)  # days before today
_TURNS = 12  # after as many entities, columns of up to four labels are called as at first
_EPOCH = datetime.date(1970, 1, 1)


def label_on(outline: Outline, pages: KindOutline, table: str, column: ColumnInfo, design: int = 0) -> str:
    """Return what pages of a kind call a column in a design: 0 is today's, 1 the one before.

    Kinds take turns with the labels, and the two designs have different ones.
    """
    labels = _labels_on(outline, pages, table, column)
    return labels[design % len(labels)]


def _labels_on(outline: Outline, pages: KindOutline, table: str, column: ColumnInfo) -> list[str]:
    """Return the labels of a column in the order in which designs and pages of a kind take turns with them."""
    phrases = outline.phrases.get(pages.page_language.language)
    if phrases is None:
        return [column.label]
    own = phrases.types if table in phrases.types else phrases.relations
    if table not in own:
        return [column.label]
    columns = phrases.types[table].attributes if table in phrases.types else phrases.relations[table].columns
    labels = columns.get(column.name, NO_WORDINGS).labels
    if not labels:
        return [column.label]
    ordered, first = _ordered(labels, outline.spec.seed, table, column.name), _rank(outline, pages) % len(labels)
    return ordered[first:] + ordered[:first]


@lru_cache(maxsize=4096)
def _ordered(labels: tuple[str, ...], seed: int, table: str, column: str) -> list[str]:
    """Return the labels of a column in the order in which the kinds of a world take turns with them."""
    return Stream(seed).child("pages", "labels", table, column).draws(np.arange(1))[0].shuffled(labels)


def _rank(outline: Outline, pages: KindOutline) -> int:
    """Return how many kinds of page about the same stand before that of some pages in the spec."""
    rank, worded_as, about = 0, pages.worded_as, pages.kind.about
    for key, kind in outline.spec.pages.items():
        if key == worded_as:
            break
        rank += kind.about == about
    return rank


def before_redesign(
    outline: Outline, pages: KindOutline, table: str, attributes: tuple[PageAttribute, ...]
) -> tuple[PageAttribute, ...]:
    """Return attributes as the site called them before its redesign."""
    columns = pages.page_language.columns[table]
    return tuple(replace(one, label=label_on(outline, pages, table, columns[one.key], 1)) for one in attributes)


def label_turns(outline: Outline) -> dict[str, dict[str, npt.NDArray[np.int8]]]:
    """Return a number below `_TURNS` for each entity: how far along a column's labels its pages call it.

    By type, and by column that tables may state.

    Entities whose fact some page states as it is take turns.
    """
    homes, found = outline.kinds[0].homes, dict[str, dict[str, npt.NDArray[np.int8]]]()
    for name in outline.spec.types:
        table, relative = outline.written.tables[name], outline.relative.get(name, {})
        rows = np.arange(table.n_rows)
        for key, column in table.columns.items():
            if homes.is_open(name, key):
                stated = outline.written.values(column.code, rows).is_valid().to_numpy(zero_copy_only=False)
                if key in relative:
                    stated &= relative[key].others < 0
                found.setdefault(name, {})[key] = (np.cumsum(stated) % _TURNS).astype(np.int8)
    return found


def called_on(
    outline: Outline,
    pages: KindOutline,
    table: str,
    attributes: tuple[PageAttribute, ...],
    rows: Integers,
    days: Integers,
) -> list[tuple[PageAttribute, ...]]:
    """Return attributes as the pages that state those of `rows`, on `days`, call them.

    Pages about one entity take turns with labels. Those of lists go by design, as lists go on over pages.
    """
    if pages.lists is not None:
        old, redesigned = before_redesign(outline, pages, table, attributes), redesigned_on(outline, pages)
        return [attributes if day >= redesigned else old for day in days.tolist()]
    columns, turns, first = pages.page_language.columns[table], outline.turns.get(table, {}), pages.archived is not None
    called = list[list[PageAttribute]]()
    for one in attributes:
        if one.key in turns:
            forms = [replace(one, label=label) for label in _labels_on(outline, pages, table, columns[one.key])]
            called.append([forms[(first + turn) % len(forms)] for turn in turns[one.key][rows].tolist()])
        else:
            called.append([one] * len(rows))
    return list(zip(*called, strict=True)) if called else [()] * len(rows)


def redesigned_on(outline: Outline, pages: KindOutline) -> int:
    """Return the day (from 1970-01-01) on which the site of some pages was redesigned; 0 without a phrasebook."""
    if not outline.phrases:
        return 0
    today = (datetime.date.fromisoformat(outline.spec.as_of) - _EPOCH).days
    draws = Stream(outline.spec.seed).child("pages", "redesign", pages.site.host).draws(np.arange(1))[0]
    return today - draws.integer(*_REDESIGNED)
