"""Names of sports clubs."""

from __future__ import annotations

import pyarrow as pa

from generators.names.distinct import distinct_forms
from generators.names.places import host_towns
from generators.names.words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

FORMS = (
    "{} Academicals", "{} Albion", "{} Argonauts", "{} Athletic", "{} Casuals", "{} City",
    "{} Corinthians", "{} County", "{} Crusaders", "{} Harriers", "{} Mariners", "{} Olympic",
    "{} Orient", "{} Pilgrims", "{} Rangers", "{} Rovers", "{} Swifts", "{} Thistle", "{} Town",
    "{} Union", "{} United", "{} Victoria", "{} Wanderers", "AC {}", "Dynamo {}", "FC {}", "Fortuna {}",
    "Olympia {}", "Racing {}", "Sporting {}", "Unity {}",
)  # fmt: skip


def club(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name clubs after their towns (one a row, one for all, or invented): `Velomar Rovers`. No two the same.

    A town with more clubs than there are forms has a founder's name added: `Velomar Barabesko Rovers`.
    """
    towns = host_towns(stream.child("town"), rows, town, culture)
    return distinct_forms(stream, rows, towns, FORMS, vocabulary(culture, "family"))
