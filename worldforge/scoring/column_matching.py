"""Match the columns of an answer to those of the gold table by their labels.

    places_of([("Football club", True), ("Area (km²)", False)], ["Name", "Area:"])      ->  [[0], [1]]

A label that is gold's own, but for markup, is taken first. What is left over on both sides is compared without signs,
then without a unit in brackets, in singular or plural; and a key's column may be called what every key is: `Name`.
Nothing is taken that could be two of gold's columns, or that two of the answer's could be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldforge.scoring.cell_text import loose_text, same_text

_NAMES = ("name", "names", "title", "名称", "名字", "名")
_OF_NAMES = ("{}name", "nameof{}", "nameofthe{}", "{}sname", "{}名称", "{}名", "{}的名称")
_UNIT = re.compile(r"[(（][^()（）]*[)）]$")
_SIGNS = re.compile(r"[\W_]+")


def match_columns(columns: Sequence[tuple[str, bool]], labels: Sequence[str]) -> list[list[int]]:
    """Return for each of gold's columns, given by label and whether it is a key, where it stands among `labels`."""
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(same_text(label), []).append(place)
    found = [list(places.get(same_text(label), ())) for label, _ in columns]
    if all(found):
        return found
    used = {place for one in found for place in one}
    left = {place: _label_forms(label) for place, label in enumerate(labels) if place not in used}
    wanted = {index: _gold_forms(*columns[index]) for index, one in enumerate(found) if not one}
    for tier in (0, 1):
        pairs = [
            (index, place)
            for index, tiers in wanted.items()
            for place, given in left.items()
            if not found[index] and not tiers[tier].isdisjoint(given)
        ]
        for index, place in pairs:
            if [i for i, _ in pairs].count(index) == 1 and [p for _, p in pairs].count(place) == 1:
                found[index] = [place]
                del left[place]
    return found


def _label_forms(label: str) -> set[str]:
    """Give the ways to compare a label of the answer: without signs, and, with `()` behind, without its unit."""
    text = loose_text(label)
    whole, bare = _SIGNS.sub("", text), _SIGNS.sub("", _UNIT.sub("", text))
    return {whole, f"{bare}()"} - {"", "()"}


def _gold_forms(label: str, is_key: bool) -> tuple[set[str], set[str]]:
    """Give the forms in which a label of gold's is met, and those that do where no label is met by the first.

    A unit may be left out, or added; another unit is another column.
    """
    text = same_text(label)
    whole, bare = _SIGNS.sub("", text), _SIGNS.sub("", _UNIT.sub("", text))
    forms = {form for one in (whole, bare) if one for form in (one, *_other_numbers(one))}
    if is_key:
        forms |= {*_NAMES, *(form.format(one) for form in _OF_NAMES for one in (whole, bare) if one)}
    if whole == bare:
        forms |= {f"{form}()" for form in forms}
    return {whole} - {""}, forms


def _other_numbers(word: str) -> Iterator[str]:
    """Give a label in the plural, and in the singular where it may be a plural."""
    if not word.isascii():
        return
    yield f"{word}s"
    yield f"{word}es"
    if word.endswith("y"):
        yield f"{word[:-1]}ies"
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
    if word.endswith("s"):
        yield word[:-1]
    if word.endswith("es"):
        yield word[:-2]
