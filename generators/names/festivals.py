"""Names of festivals."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from generators.names.distinct import distinct_forms
from generators.names.places import host_towns
from generators.names.words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

THEMES = (
    "Autumn", "Book", "Bread", "Chess", "Choir", "Cider", "Film", "Fire", "Garden", "Harbour", "Harvest",
    "Jazz", "Kite", "Lantern", "Marble", "Mask", "Midsummer", "Mountain", "Organ", "Pottery", "Puppet",
    "Sail", "Silver", "Spring", "Theatre", "Wine", "Winter", "Wool",
)  # fmt: skip
KINDS = ("Days", "Fair", "Festival", "Gathering", "Parade", "Week")
FORMS = tuple(f"{{}} {theme} {kind}" for theme, kind in product(THEMES, KINDS))


def festival(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name festivals after their towns (one a row, one for all, or invented): `Velomar Kite Fair`. No two the same.

    A town with more festivals than there are forms has a founder's name added.
    """
    towns = host_towns(stream.child("town"), rows, town, culture)
    return distinct_forms(stream, rows, towns, FORMS, vocabulary(culture, "family"))
