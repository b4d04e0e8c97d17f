"""Chooses and fills wordings that state a fact relative to another entity's: see `world.comparison_phrases`."""

from __future__ import annotations

from collections.abc import Iterable

from worldforge.core.english import is_plural, number_in_words, unit_of_one
from worldforge.world.page_inputs import FactComparison, PageAttribute, Value
from worldforge.world.phrases import AttributeWordings
from worldforge.world.wording import Wordings

_NUMBER_OF = "number of "
_SPELLED = 10  # differences below are written as words, where they have no unit
_NO_NOUN = (" in", " on", " at", " by", " from", " for", " of", " as", " to", " since", " under", "于", "自")
"""Ends of labels that are no nouns, such as `born in`: no sentence says `its born in`."""
_OWN = {"it": "its", "he": "his", "she": "her"}


def comparing(own: AttributeWordings, one: FactComparison) -> Wordings:
    """Return the wordings of an attribute that say what a comparison does: same, later, earlier, more or less."""
    if one.difference is None:
        return own.same
    if one.attribute.kind in ("year", "date"):
        return own.later if one.difference > 0 else own.earlier
    return own.more if one.difference > 0 else own.less


def compared(
    attribute: PageAttribute, own: Value, theirs: Value | None, other: str, space: str, labels: Iterable[str] = ()
) -> FactComparison | None:
    """Compare two values of an attribute, `theirs` of the entity called `other`; None where there is no saying how.

    Counts and years are compared, other texts only where they are the same. Ranks and line numbers are not: a larger
    rank is the worse, and those of two groups say nothing of one another. `space` stands before a unit. `labels` are
    what else the attribute is called.
    """
    if theirs is None or not attribute.is_amount:
        return None
    difference = None
    if attribute.kind in ("year", "integer"):
        values = [one.text.replace(",", "") for one in (own, theirs)]
        if not all(text.isdecimal() for text in values):
            return None
        difference = int(values[0]) - int(values[1]) or None
    elif attribute.kind != "text" or own.text != theirs.text:
        return None
    unit = f"{space}{attribute.unit}" if attribute.unit else ""
    return FactComparison(attribute, Value(other), difference, _noun((attribute.label, *labels)), unit, "")


def _noun(labels: tuple[str, ...]) -> str:
    """Return the first label that says `number of`, else the first that is a noun, else the first."""
    nouns = [one for one in labels if not one.endswith(_NO_NOUN)] or labels[:1]
    return next((one for one in nouns if one.startswith(_NUMBER_OF)), nouns[0])


def comparison_slots(one: FactComparison, language: str, pronoun: str) -> dict[str, Value]:
    """Return the texts for the slots of a comparison's wordings; a wording with any other slot does not fit."""
    slots = {"label": one.label, "own": _OWN[pronoun]}
    if one.noun:
        slots["kind"] = one.noun
    if one.difference is not None:
        n = abs(one.difference)
        spelled = language != "zh" and not one.unit and n == int(n) and n < _SPELLED
        written = number_in_words(int(n)) if spelled else f"{n:,.6f}".rstrip("0").rstrip(".")
        points = "个百分点" if language == "zh" else " percentage points"
        unit = points if one.unit.strip() == "%" else unit_of_one(one.unit) if n == 1 and language == "en" else one.unit
        slots["n"] = f"{written}{unit}"
        if one.attribute.kind in ("year", "date"):
            slots |= _times(int(n), one.attribute.kind, language)
        counted = one.label.removeprefix(_NUMBER_OF)
        if n > 1 and n == int(n) and not one.unit and (counted != one.label or is_plural(counted)):
            slots["counted"] = counted
        if not is_plural(one.label):
            slots["single"] = one.label
    return {"other": one.other, **{name: Value(text) for name, text in slots.items()}}


def _times(n: int, kind: str, language: str) -> dict[str, str]:
    """Return the slots that say how much later a year or a date is."""
    if language == "zh":
        return {"years": str(n), "time": f"{n}年"} if kind == "year" else {"time": f"{n}天"}
    words, noun = number_in_words(n), "year" if kind == "year" else "day"
    time = f"{words} {noun}" if n == 1 else f"{words} {noun}s"
    return {"years": words, "time": time} if kind == "year" else {"time": time}
