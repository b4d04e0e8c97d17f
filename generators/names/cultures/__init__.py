"""How invented cultures sound, one file a culture: tables of syllables for what they call people and places."""

from __future__ import annotations

from generators.names.cultures.chinese_names import CHINESE
from generators.names.cultures.culture import SORTS, Culture, Language, Sort, Syllables
from generators.names.cultures.english_names import ENGLISH
from generators.names.cultures.keldric import KELDRIC
from generators.names.cultures.ombari import OMBARI
from generators.names.cultures.sarnese import SARNESE
from worldforge.core.errors import InputError

__all__ = ["CULTURES", "SORTS", "Culture", "Language", "Sort", "Syllables", "culture_of"]

CULTURES = {"sarnese": SARNESE, "keldric": KELDRIC, "ombari": OMBARI, "english": ENGLISH, "chinese": CHINESE}


def culture_of(name: str) -> Culture:
    """Return a culture by its name. Raises InputError for one that is not shipped."""
    if name not in CULTURES:
        raise InputError(f"unknown culture `{name}`", f"choose among {', '.join(sorted(CULTURES))}")
    return CULTURES[name]
