"""What a reading finds, and the tokens that it goes by."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["number", "unit", "bound", "date", "address", "name", "value", "negation", "word", "capital"]

POINTED = r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+,\d{1,2}"
"""Figures whose thousands a point parts and whose decimals follow a comma: `12.400,5`, `1.250.000`, `0,75`."""
_TOKEN = re.compile(
    rf"(?:{POINTED})(?![.,]?\d)" r"|\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+[²³]?|[%$€£¥₽₹°‰²³¹¼½¾]"
)


class FactSpan(NamedTuple):
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
