"""Names of people."""

from __future__ import annotations

from generators.names.distinct import distinct_names
from generators.names.words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts


def person(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name people, given name and family name: `Alvano Barabesko`. Tens of millions, no two the same."""
    return distinct_names(stream, rows, [vocabulary(culture, "given"), vocabulary(culture, "family")])
