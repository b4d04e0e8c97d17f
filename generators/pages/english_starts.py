"""How English texts begin."""

from __future__ import annotations


def capitalised(text: str) -> str:
    """Give a text a capital first letter."""
    return text[:1].upper() + text[1:]
