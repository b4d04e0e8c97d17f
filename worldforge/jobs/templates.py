"""Texts with places to fill in: `seed: "{run_number}"`. Names are substituted, nothing is computed.

`{{name}}` stands for the text `{name}`; braces around anything but a small word are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}", re.ASCII)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put `values` into `text`. Raises KeyError with the name that has no value."""
    return _PLACE.sub(lambda place: "{" + place[1] + "}" if place[1] else values[place[2]], text)


def unknown_names(text: str, known: Mapping[str, str]) -> list[str]:
    """List the names in `text` that are not among `known`."""
    return [place[2] for place in _PLACE.finditer(text) if place[2] and place[2] not in known]
