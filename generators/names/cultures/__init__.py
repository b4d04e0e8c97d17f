"""Invented cultures: the syllables of their names of people and places, one YAML file per culture.

A word is one part after another: `Vel` + `o` + `mar`. Each sort of word has parts of its own, so that a surname is not
taken for a town. In the files a part's choices stand apart by spaces; `_` is a choice of nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias, get_args

import yaml

from worldforge.core.errors import InputError

Sort = Literal["given", "family", "place", "region"]
SORTS: tuple[Sort, ...] = get_args(Sort)
Language = Literal["en", "zh"]
CULTURES = ("chinese", "english", "keldric", "ombari", "sarnese")
Syllables: TypeAlias = tuple[tuple[str, ...], ...]
"""The parts of a word: every choice of one part goes with every choice of the next."""


@dataclass(frozen=True, slots=True)
class Culture:
    """The syllable tables of a culture, by kind of word (family name, town, …).

    `borne` are the sorts that are not invented but commonly borne, as Chinese family names are. `town_kinds` and
    `region_kinds` follow the word for a town or a region: 安洲 is the town 安洲市.
    """

    words: dict[Sort, tuple[Syllables, ...]]
    language: Language
    borne: frozenset[Sort]
    town_kinds: tuple[str, ...]
    region_kinds: tuple[str, ...]

    @property
    def space(self) -> str:
        """What stands between words."""
        return "" if self.language == "zh" else " "

    @property
    def name_order(self) -> tuple[Sort, Sort]:
        """Which of a person's two names comes first."""
        return ("family", "given") if self.language == "zh" else ("given", "family")


@lru_cache
def culture_of(name: str) -> Culture:
    """Return a culture by its name. Raises InputError for one that is not shipped."""
    if name not in CULTURES:
        raise InputError(f"unknown culture `{name}`", f"choose among {', '.join(CULTURES)}")
    file = files("generators.names").joinpath("cultures", f"{name}.yaml")
    table: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return Culture(
        {sort: tuple(tuple(map(_choices, parts)) for parts in table[sort]) for sort in SORTS},
        table.get("language", "en"),
        frozenset(table.get("borne", ())),
        tuple(table.get("town_kinds", ("",))),
        tuple(table.get("region_kinds", ("",))),
    )


def _choices(part: str) -> tuple[str, ...]:
    return tuple("" if choice == "_" else choice for choice in part.split())
