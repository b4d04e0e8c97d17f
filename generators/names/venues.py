"""Names of stadiums, halls and grounds."""

from __future__ import annotations

import pyarrow as pa

from generators.names.distinct import distinct_names
from generators.names.words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

KINDS = pa.array([
    "Arena", "Bowl", "Common", "Court", "Dome", "Field", "Garden", "Gate", "Ground", "Lane", "Meadow",
    "Oval", "Park", "Place", "Road", "Row", "Stadium", "Terrace",
])  # fmt: skip
AGAIN = ("Old {}", "New {}", "Great {}", "Little {}", "North {}", "South {}", "East {}", "West {}")


def venue(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name venues after a family: `Barabesko Park`. Millions, no two the same."""
    return distinct_names(stream, rows, [vocabulary(culture, "family"), KINDS], AGAIN)
