"""Names of companies and other organisations."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa
from faker.providers.company import Provider

from generators.names.distinct import distinct_names
from generators.names.words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

TRADES = pa.array([
    "Brewing", "Carriage", "Ceramics", "Chemical", "Clockworks", "Electric", "Engineering", "Export",
    "Foundry", "Glass", "Insurance", "Joinery", "Lamp", "Leather", "Linen", "Mining", "Optics", "Paper",
    "Publishing", "Railway", "Salt", "Shipping", "Steel", "Telegraph", "Textile", "Timber", "Trading",
])  # fmt: skip


def organisation(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name companies after a family and a trade: `Barabesko Shipping Ltd`. Millions, no two the same."""
    return distinct_names(stream, rows, [vocabulary(culture, "family"), TRADES, _suffixes()])


@lru_cache
def _suffixes() -> pa.Array:
    """List what companies end their names with, from Faker."""
    return pa.array(sorted(set(Provider.company_suffixes)))
