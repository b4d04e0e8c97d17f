"""What a culture is: how its words for people and places are put together, and the language of its forms.

A word is one part after another: `Vel` + `o` + `mar`. Each sort of word has parts of its own, so that a surname is not
taken for a town.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

Sort = Literal["given", "family", "place", "region"]
SORTS: tuple[Sort, ...] = get_args(Sort)
Language = Literal["en", "zh"]
_NONE = "_"


@dataclass(frozen=True, slots=True)
class Syllables:
    """The parts of a word: every choice of one part goes with every choice of the next."""

    parts: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Culture:
    """The words of a culture, by sort, each made by one table of syllables or by several.

    `borne` are the sorts that are not invented but commonly borne, as Chinese family names are. `town_kinds` and
    `region_kinds` follow the word for a town or a region: 安洲 is the town 安洲市.
    """

    given: tuple[Syllables, ...]
    family: tuple[Syllables, ...]
    place: tuple[Syllables, ...]
    region: tuple[Syllables, ...]
    language: Language = "en"
    borne: frozenset[Sort] = frozenset()
    town_kinds: tuple[str, ...] = ("",)
    region_kinds: tuple[str, ...] = ("",)

    @property
    def space(self) -> str:
        """What stands between words."""
        return "" if self.language == "zh" else " "

    @property
    def name_order(self) -> tuple[Sort, Sort]:
        """Which of a person's two names comes first."""
        return ("family", "given") if self.language == "zh" else ("given", "family")


def syllables(*parts: str) -> tuple[Syllables, ...]:
    """Read a table of syllables: one text a part, its choices apart by spaces; `_` is a choice of nothing."""
    choices = tuple(tuple("" if choice == _NONE else choice for choice in part.split()) for part in parts)
    return (Syllables(choices),)


def characters(*parts: str) -> tuple[Syllables, ...]:
    """Read a table of characters: one text a part, every character a choice."""
    return syllables(*(" ".join(chain(part)) for part in parts))
