"""What pages say where they are out of date or mistaken, and when they were published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from worldforge.core.arrays import Integers

Mask = npt.NDArray[np.bool_]
Place = tuple[str, str, int]
"""A column as one kind of page states it: the kind's key, the column's code, and between them from which end of its
relation the rows are listed (`source`, `target`), or nothing for a column of the entities themselves."""


@dataclass(frozen=True, slots=True)
class ColumnOverride:
    """One column as one kind of page states it, a row of its table each.

    `codes` says under which code the cell is written, -1 where the page leaves it out; `targets`, of a reference, the
    row that the page says it refers to.
    """

    codes: Integers
    targets: Integers | None


@dataclass(frozen=True, slots=True)
class PageOverrides:
    """All that pages say otherwise. Kinds and columns that are not named say what the tables say."""

    columns: Mapping[tuple[str, str, int], ColumnOverride] = field(default_factory=dict)
    """By place: see `Place`."""
    known: Mapping[tuple[str, str, str], Mask] = field(default_factory=dict)
    """By kind, end and relation: which of its rows the kind's pages can know of."""
    published: Mapping[str, Integers] = field(default_factory=dict)
    """By kind: the day of each page, counted from 1 January 1970; none where its generator is free to choose."""
    earliest: Mapping[str, Integers] = field(default_factory=dict)
    """By kind: the earliest day of each page, that of the latest thing it tells of; none where nothing has a day."""


NO_OVERRIDES = PageOverrides()
