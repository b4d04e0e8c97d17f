"""What an entry must keep to before a person sees it: its slots, its form, and that it says its fact and nothing else.

reason        the entry
form          is not one line of plain text of a sensible length, begun and ended as its kind is
slots         lacks the value, has it twice, has a slot that its kind does not have
figure        has figures, or numbers in words
language      is not in the book's language
name          has a capital letter in the midst of a sentence
negation      denies something
hedge         leaves open whether it holds
bound         makes the value mean another: `more than {value}`; but `over` and `under` are to
comparison    compares with others
instruction   speaks to a model that reads the page
unit          repeats the unit that the value is written with
known         is in the book already, or was just given
other fact    has more words of another attribute of the same type (`attribute_fit`)
reading       is read by questions as another condition, or as several (`condition_reading`)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from worldforge.builders.phrasebooks.attribute_fit import AttributeFit
from worldforge.builders.phrasebooks.condition_reading import OPERATORS, ConditionReader
from worldforge.builders.phrasebooks.coverage import FORM_KINDS, covered_columns, phrases_of_column
from worldforge.builders.phrasebooks.language_rules import LanguageRules, rules_of
from worldforge.schema.phrasebook import SLOT, AttributePhrases, Book, expanded
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo
from worldforge.schema.translations import is_in, labels_in_language
from worldforge.world.lexicon.english_lexicon import COMMON

KINDS = ("says", "sentences", "asides", "talk", "asks", "labels", "which", "over", "under")
"""Kinds of entries that are checked."""
_SENTENCES = ("sentences", "talk", "asks")
_LONGEST = {"labels": 48, "says": 120, "asides": 120, "which": 120, "over": 120, "under": 120}
_LONGEST_SENTENCE = 240
_REFERENCES = frozenset(("it", "its", "him", "name", "noun"))
_MARKUP = re.compile(r"[\[\]{}|<>*_`#~^=\\@()（）【】\"“”]|://|--|\.\.")
_HALF_WIDTH = re.compile(r"[\s,.;:?!]")
_DIGITS = re.compile(r"\d+|[^\W\d_A-Za-z]?[²³¹⁰-₉½¼¾Ⅰ-ↈ①-⓿]")
_FIGURES = ("integer", "number", "year", "date")


class EntryChecker:
    """Checks entries for one book of a spec. Immutable."""

    def __init__(self, spec: WorldSpec, book: Book, code_from: Path | None = None) -> None:
        self.rules: LanguageRules = rules_of(book.language)
        self._spec, self._language, self._book = spec, book.language, book
        spoken = labels_in_language(spec, book.language)
        tables = (*spec.types, *spec.relations)
        self.columns = {name: covered_columns(spoken, name, code_from) for name in tables}
        self._fit = {name: AttributeFit(self.rules, self._book, name, self.columns[name]) for name in tables}
        self._reader = ConditionReader(spec, book, code_from)

    def refusal(self, table: str, column: str, kind: str, text: object) -> str:
        """Say why an entry of a kind cannot stand for a column; empty where it can."""
        if not isinstance(text, str) or len(text) > _LONGEST_SENTENCE or not text.isprintable():
            return "form"
        if not self._is_in_language(SLOT.sub(" ", text)):
            return "language"
        if not self._is_formed(kind, text):
            return "form"
        if not self._has_slots(table, column, kind, text):
            return "slots"
        if reason := self._content(self.columns[table][column], kind, text):
            return reason
        if folded(text) in self._known(table, column, kind):
            return "known"
        return self.misreading(table, column, kind, text)

    def misreading(self, table: str, column: str, kind: str, text: str, *, known: bool = False) -> str:
        """Say how an entry could be taken for another fact than its column's; empty where it cannot.

        With `known` it is one of the book's entries.
        """
        if kind not in OPERATORS:
            return "other fact" if self._fit[table].better(column, text, known=known) else ""
        if table in self._spec.types and not self._reader.reads(table, column, kind, text):
            return "reading"
        return ""

    def _is_formed(self, kind: str, text: str) -> bool:
        """Say whether a text is one plain line, as long as its kind, begun and ended as that is."""
        bare = SLOT.sub("", text).replace("“”", "")  # a value in quotation marks is fine: a motto
        longest = _LONGEST.get(kind, _LONGEST_SENTENCE) // (1 if self.rules.spaced else 2)
        if text != text.strip() or not unicodedata.is_normalized("NFC", text):
            return False
        if not self.rules.spaced and _HALF_WIDTH.search(bare):
            return False
        if "  " in text or _MARKUP.search(bare) or not any(map(str.isalpha, text)) or len(text) > longest:
            return False
        first, last = text[0], text[-1]
        if kind in _SENTENCES:
            ends = self.rules.asks_end if kind == "asks" else self.rules.ends
            return last in ends and (first == "{" or not first.islower()) and (kind == "asks" or "?" not in bare)
        if last in ".!?,;:。！？，；：" or first.isupper():
            return False
        return self.rules.spaced or kind not in ("asides", *OPERATORS) or last == "的"

    def _has_slots(self, table: str, column: str, kind: str, text: str) -> bool:
        """Say whether a text has the slots of its kind: its value once where it has one, and references."""
        wanted = slot_of(self._phrases(table, column)) if kind not in ("asks", "labels") else ""
        allowed = _REFERENCES if table in self._spec.types and kind in _SENTENCES else frozenset()
        found = [match for match in SLOT.finditer(text) if match[2] is None]
        names = [match[1] for match in found]
        if any(match[4] for match in found) or names.count(wanted) != bool(wanted):
            return False
        agreeing = {match[1] for match in SLOT.finditer(text) if match[2] is not None}
        if not (set(names) - {wanted} <= allowed and agreeing <= ({"value"} if wanted == "value" else set())):
            return False
        return kind != "asks" or not allowed or bool({"it", "its", "name", "him"} & set(names))

    def _content(self, column: ColumnInfo, kind: str, text: str) -> str:
        """Say what a text says that no entry of its kind may say; empty where it says nothing of that.

        What the column's label has, entries may have: the latest founding year of a country, the end of a reign.
        """
        label = " ".join(self.rules.words_of(column.label)) if self.rules.spaced else column.label
        return self._addition(column, kind, text, label) or self._change(column, kind, text, label)

    def _addition(self, column: ColumnInfo, kind: str, text: str, label: str) -> str:
        """Say what a text adds to its fact; empty where it adds nothing."""
        rules, words = self.rules, SLOT.sub(" ", text)
        if set(_DIGITS.findall(words)) - set(_DIGITS.findall(column.label)):
            return "figure"
        if rules.has(text, rules.numbers, f"{rules.harmless} {label}"):
            return "figure"
        if rules.spaced and _has_name(text, is_sentence=kind in _SENTENCES):
            return "name"
        if _repeats_unit(text, "年" if column.kind == "year" and not rules.spaced else column.unit):
            return "unit"
        return "instruction" if rules.has(text, rules.instructions, label) else ""

    def _change(self, column: ColumnInfo, kind: str, text: str, label: str) -> str:
        """Say by what a text says something else than that the value is this; empty where it says that."""
        rules, is_bound = self.rules, kind in ("over", "under")
        stating = _clause(text) if kind == "talk" else text
        harmless = f"{rules.harmless_negations} {label} {rules.bounds_before if is_bound else ''}"
        if rules.has(stating, rules.negations, harmless, rules.negation_endings):
            return "negation"
        if rules.has(text, rules.hedges):
            return "hedge"
        if is_bound:
            return ""
        if column.kind in _FIGURES and not column.references and rules.is_bounded(text, label):
            return "bound"
        compared = " ".join(one for one in rules.comparisons.split() if rules.spaced or one not in label)
        harmless = f"{rules.no_comparisons} {label}"
        return "comparison" if rules.has(text, compared, harmless, rules.comparison_endings) else ""

    def _is_in_language(self, words: str) -> bool:
        """Say whether a text is written in the letters of the language, and in English has words known in it."""
        if not is_in(words, self._language):
            return False
        foreign = [sign for sign in words if sign.isalpha() and not re.match(f"[{self.rules.letters}]", sign)]
        return not foreign and (not self.rules.spaced or self._is_english(words))

    def _is_english(self, words: str) -> bool:
        own = self.rules.words_of(words)
        return len(own) < _SHORT or any(word in COMMON for word in own)

    def _phrases(self, table: str, column: str) -> AttributePhrases:
        return phrases_of_column(self._book, table, column)

    def _known(self, table: str, column: str, kind: str) -> set[str]:
        found = getattr(self._phrases(table, column), kind)
        texts = [text for own in found.values() for text in own] if isinstance(found, Mapping) else found
        return {folded(one) for text in texts for one in expanded(text)}


_CLAUSE = re.compile(r"[,.;:!?–—，。；：！？]\s*")
_SHORT = 4  # words that a text may have without any common one


def slot_of(phrases: AttributePhrases) -> str:
    """Return the slot that stands for a column's value: `worded` where its values have wordings of their own.

    Where only some of them have, such as a 0, it is `value`, as entries show that the book has.
    """
    of_numbers = all(value.isdigit() for value in phrases.values)
    is_written = any("{value}" in text for kind in FORM_KINDS for text in getattr(phrases, kind))
    return "value" if of_numbers or is_written else "worded"


def _repeats_unit(text: str, unit: str) -> bool:
    """Say whether the unit of a value, or its last word, stands right after the value."""
    after = text.partition("{value}")[2].lstrip().casefold()
    units = {unit.casefold(), unit.rpartition(" ")[2].casefold()} - {""}
    return any(re.match(rf"{re.escape(one)}(?![a-z])", after) for one in units)


def _clause(text: str) -> str:
    """Return the clause of a text that has its value."""
    return next((one for one in _CLAUSE.split(text) if SLOT.search(one)), text)


def folded(text: str) -> str:
    """Return a text as entries are compared: without case, and without its last sign."""
    return text.casefold().replace("’", "'").rstrip(".!?。！？")


def _has_name(text: str, *, is_sentence: bool) -> bool:
    """Say whether a word in the midst of a sentence begins with a capital letter; `I` does not count."""
    bare = SLOT.sub("it", text)
    for match in re.finditer(r"[A-ZÀ-Þ][\w’']*", bare):
        begins = is_sentence and re.search(r"(?:^|[.!?]\s+|[‘']\s*)$", bare[: match.start()])
        if not begins and not re.fullmatch(r"I(?:['’]\w+)?", match[0]):
            return True
    return False
