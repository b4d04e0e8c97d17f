"""What a reading finds, and the tokens that it goes by."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["number", "unit", "bound", "date", "address", "name", "value", "negation", "word", "capital"]

_TOKEN = re.compile(r"\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+[²³]?|[%$€£¥₽₹°‰²³¹¼½¾]")


class Found(NamedTuple):
    """Something that looks like a fact: `text[start:end]`, and the one form in which it is compared."""

    kind: Kind
    canonical: str
    start: int
    end: int


class Token(NamedTuple):
    """A run of letters, a figure, or a sign; `low` is it in lower case."""

    low: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """Cut a text into runs of letters, figures and signs that stand beside figures."""
    return [Token(match.group().lower(), match.start(), match.end()) for match in _TOKEN.finditer(text)]
