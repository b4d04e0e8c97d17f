"""The little English grammar that wordings need: articles, number, capitals."""

from __future__ import annotations

import re

_HEAD = re.compile(r"^(.*?)(?: (?:of|in|a|an|per|at|by|for|from|to|on|with|since) .*)?$")
_SAID_WITH_A = re.compile(r"^(uni|use|usu|uti|eu|one|once)")  # vowels that sound like consonants
_SAID_WITH_AN = re.compile(r"^(hour|heir|honest|honour|honor)")


def capitalised(text: str) -> str:
    """Give a text a capital first letter."""
    return text[:1].upper() + text[1:]


def with_article(noun: str) -> str:
    """Put `a` or `an` before a noun, by its sound as far as its spelling tells."""
    lower = noun.lower()
    vowel = lower[:1] in "aeiou" and not _SAID_WITH_A.match(lower)
    return f"{'an' if vowel or _SAID_WITH_AN.match(lower) else 'a'} {noun}"


def is_plural(noun: str) -> bool:
    """Tell whether a noun is in the plural by its head: `visitors a year` is, `number of towns` is not."""
    head = _head(noun)
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def be(noun: str) -> str:
    """Return the form of `to be` that a noun takes."""
    return "are" if is_plural(noun) else "is"


def singular(noun: str) -> str:
    """Return the singular of a regular plural, by its head: `visitor a year`."""
    head = _head(noun)
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("s", "")):
        if head.endswith(ending):
            return head[: -len(ending)] + instead + noun[len(head) :]
    return noun


def _head(noun: str) -> str:
    match = _HEAD.match(noun)
    return match[1] if match else noun
