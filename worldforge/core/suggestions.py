"""Hints for a misspelt name: `did you mean `founded`?`"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_SHOWN = 12


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known name nearest to `word`; empty where none is near."""
    names = [name for name in known if name != word]
    near = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return near[0] if near else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint: the known name nearest to `word`, else the known names, shortened; empty where none is known."""
    names = list(known)
    near = nearest(word, names)
    if near:
        return f"did you mean `{near}`?"
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    if len(names) > _SHOWN:
        shown += f" and {len(names) - _SHOWN} more"
    return f"known are {shown}" if names else ""
