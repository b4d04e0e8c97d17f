"""What entries of phrasebooks may say in a language, and how models are asked for them: read from a YAML file each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from worldforge.schema.phrasebook import SLOT
from worldforge.schema.spec_section import Language

_FILES: Mapping[Language, str] = {"en": "english.yaml", "zh": "chinese.yaml"}


class LanguageRules(BaseModel):
    """Word lists, separated by spaces (`at|least` is two words), and the texts that models are asked with.

    A field a key of the language's file. Chinese is not cut into words: its lists are looked for anywhere, after the
    words in `harmless` were taken out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    word: str
    letters: str
    numbers: str
    negations: str
    hedges: str
    bounds_before: str
    bounds_after: str
    comparisons: str
    instructions: str
    common: str
    ends: str
    asks_end: str
    system: str
    asked: str
    the_nouns: str
    the_unit: str
    the_others_none: str
    of_row: str
    among: str
    values: Mapping[str, str]
    slots_of_type: str
    slots_of_row: str
    worded: str
    kinds: Mapping[str, str]
    joint: str
    wanted: str
    such_as: str
    negation_endings: str = "$^"
    comparison_endings: str = "$^"
    no_comparisons: str = ""
    harmless: str = ""
    harmless_negations: str = ""

    @cached_property
    def spaced(self) -> bool:
        """Whether words are written apart."""
        return "+" in self.word

    def words_of(self, text: str) -> list[str]:
        """Return the words of a text in lower case, without its slots; in Chinese, its characters."""
        return re.findall(self.word, SLOT.sub(" ", text).lower().replace("’", "'"))

    def has(self, text: str, words: str, harmless: str = "", endings: str = "$^") -> bool:
        """Say whether a text has one of some words, or a word with one of some endings; `harmless` ones left out."""
        if not self.spaced:
            bare = SLOT.sub(" ", text)
            for one in harmless.split():
                bare = bare.replace(one, " ")
            return any(one in bare for one in words.split())
        wanted, spared = words.split(), set(harmless.split())
        own = [word for word in self.words_of(text) if word not in spared]
        spaced = f" {' '.join(own)} "
        return any(f" {one.replace('|', ' ')} " in spaced for one in wanted) or any(
            re.search(endings, word) for word in own
        )

    def is_bounded(self, text: str, harmless: str = "") -> bool:
        """Say whether what stands right beside the value makes it mean another: `more than {value}`.

        Words that `harmless` has do not.
        """
        before, value, after = text.partition("{value}")
        if not value:
            return False
        bounds = [
            [one.replace("|", " ") for one in words.split() if one not in harmless.split() and one != harmless]
            for words in (self.bounds_before, self.bounds_after)
        ]
        if not self.spaced:
            return before.strip().endswith(tuple(bounds[0])) or after.strip().startswith(tuple(bounds[1]))
        left, right = (f" {' '.join(self.words_of(one))} " for one in (before, after))
        return left.endswith(tuple(f" {one} " for one in bounds[0])) or right.startswith(
            tuple(f" {one} " for one in bounds[1])
        )


@cache
def rules_of(language: Language) -> LanguageRules:
    """Return the rules of a language."""
    text = Path(__file__).with_name(_FILES[language]).read_text(encoding="utf-8")
    return LanguageRules.model_validate(yaml.load(text, yaml.CSafeLoader))
