"""How pages put things, a YAML file a language: `wordings("zh").news.headlines`.

A world uses a part of each list, chosen by its seed: `page_wordings(page).news.headlines`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from worldforge.core.chance import Draws, Stream
from worldforge.world.page_writer import Page

_SHARE, _LEAST = 0.2, 3
_WHOLE = ("sentences",)
"""What every world uses whole: its lists are short, and carry the facts of worlds without a phrasebook."""
_SEVERAL = (
    "motions", "moved", "votes", "remarks", "reporters", "compared", "hedges", "probes", "prompts", "quotations",
    "introduced", "turns",
)  # fmt: skip
"""Lists from which one page takes several texts: a world uses all of each."""


class Wordings:
    """Texts by name: one, a tuple of alternatives, or `Wordings` of their own. Raises AttributeError for others."""

    def __init__(self, entries: dict[str, Any]) -> None:
        for name, entry in entries.items():
            setattr(self, name, Wordings(entry) if isinstance(entry, dict) else _frozen(entry))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no wordings `{name}`: there are {', '.join(vars(self))}")


@cache
def wordings(language: str) -> Wordings:
    """Return the wordings of a language: `en`, `zh`."""
    text = files("generators.pages.wordings").joinpath(f"{language}.yaml").read_text(encoding="utf-8")
    return Wordings(yaml.load(text, yaml.CSafeLoader))


def page_wordings(page: Page) -> Wordings:
    """Return the wordings of a page's language that its world uses."""
    return world_wordings(page.language, page.seed)


@cache
def world_wordings(language: str, seed: int) -> Wordings:
    """Return the wordings of a language that the world of a seed uses: a share of each list, three texts at least."""
    every, stream = wordings(language), Stream(seed).child("wordings", language)
    found = {name: one if name in _WHOLE else _chosen(one, stream.child(name)) for name, one in vars(every).items()}
    return Wordings(found)


def _chosen(entry: Any, stream: Stream, share: float = _SHARE) -> Any:
    if isinstance(entry, Wordings):
        own = vars(entry).items()
        return Wordings(
            {name: _chosen(one, stream.child(name), 1.0 if name in _SEVERAL else _SHARE) for name, one in own}
        )
    if not isinstance(entry, tuple):
        return entry
    draws: Draws = stream.draws(np.arange(1))[0]
    return tuple(draws.shuffled(entry)[: max(_LEAST, round(share * len(entry)))])


def _frozen(entry: Any) -> Any:
    return tuple(entry) if isinstance(entry, list) else entry
