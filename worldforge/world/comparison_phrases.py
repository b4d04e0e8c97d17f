"""Predicates that state a fact relative to another entity's: `opened {time} after {other}`.

A book may have them. Others are made of its predicates: `was founded in {value}` becomes `was founded three years after
{other}`, and `was born in {value}` becomes `was born in the same town as {other}`. `{label}` is what the attribute is
called, `{kind}` what its value is (`town` of a reference to a town), `{own}` is `its`, `his` or `her`, `{n}` how
much more it is, `{time}` how much later (`three years`, `143 days`), `{counted}` the label where that is a
plural, and `{single}` where it is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from worldforge.schema.phrasebook import AttributePhrases, expanded
from worldforge.schema.spec_section import Language

Way = Literal["same", "later", "earlier", "more", "less"]

_PREPOSITION = "in|at|for|from|to|on|with|under|into|near|by|of|behind|against|through|within"
_MADE: Mapping[Language, Mapping[Way, tuple[tuple[str, str], ...]]] = {
    "en": {
        "same": ((rf"(.*\b(?:{_PREPOSITION})) \{{value\}}", r"\1 the same {kind} as {other}"),),
        "later": ((r"(.*) (?:in|on) \{value\}", r"\1 {time} after {other}"),),
        "earlier": ((r"(.*) (?:in|on) \{value\}", r"\1 {time} before {other}"),),
    },
    "zh": {
        "same": ((r"(.*[于在])\{value\}", r"与{other}\1同一{kind}"),),
        "later": (
            (r"([^，最]{2,})于\{value\}年?", r"比{other}晚{time}\1"),
            (r"[于在]\{value\}年?([^，最年]{2,})", r"比{other}晚{time}\1"),
        ),
        "earlier": (
            (r"([^，最]{2,})于\{value\}年?", r"比{other}早{time}\1"),
            (r"[于在]\{value\}年?([^，最年]{2,})", r"比{other}早{time}\1"),
        ),
    },
}
"""By language and way, patterns of whole predicates and what they become."""
_BY_LABEL: Mapping[Language, Mapping[Way, tuple[str, ...]]] = {
    "en": {
        "same": (
            "has the same {label} as {other}",
            "shares {own} {label} with {other}",
            "and {other} have the same {label}",
        ),
        "later": ("has a {label} that is {time} later than that of {other}",),
        "earlier": ("has a {label} that is {time} earlier than that of {other}",),
        "more": (
            "has {n} more {counted} than {other}",
            "has a {single} {n} higher than that of {other}",
            "has a {single} {n} above that of {other}",
            "is {n} ahead of {other} in {label}",
        ),
        "less": (
            "has {n} fewer {counted} than {other}",
            "has a {single} {n} lower than that of {other}",
            "has a {single} {n} below that of {other}",
            "is {n} behind {other} in {label}",
        ),
    },
    "zh": {
        "same": ("的{label}与{other}相同", "的{label}和{other}一样"),
        "later": ("的{label}比{other}晚{time}",),
        "earlier": ("的{label}比{other}早{time}",),
        "more": ("的{label}比{other}多{n}", "的{label}较{other}多出{n}"),
        "less": ("的{label}比{other}少{n}", "的{label}较{other}少{n}"),
    },
}
"""Predicates for attributes of any kind."""


def comparison_texts(language: Language, phrases: AttributePhrases, way: Way) -> list[str]:
    """Return the predicates that state an attribute relative to another entity's: a book's own, else made ones."""
    own: list[str] = getattr(phrases, way)
    if own:
        return own
    made = [
        re.sub(pattern, becomes, text)
        for entry in phrases.says
        for text in expanded(entry)
        for pattern, becomes in _MADE[language].get(way, ())
        if re.fullmatch(pattern, text)
    ]
    return [*made, *_BY_LABEL[language][way]] if way == "same" or not made else made
