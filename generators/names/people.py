"""Names of people."""

from __future__ import annotations

from generators.names.cultures import culture_of
from generators.names.distinct import distinct_names
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts


def person(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name people: `Alvano Barabesko`, `Edwena Holtridge`, 陈维远. Millions, no two the same."""
    chosen = culture_of(culture)
    pools = [vocabulary(culture, sort) for sort in chosen.name_order]
    return distinct_names(stream, rows, pools, space=chosen.space)
