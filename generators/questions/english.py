"""English questions: how phrases agree with labels. The form of an answer follows the WideSearch benchmark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from generators.questions.english_clauses import (
    PLACES,
    as_clause,
    between,
    denied,
    elided,
    follows_another,
    follows_place,
    in_past,
    is_clause,
    of_one,
    stands_before,
)
from generators.questions.grammar import Grammar, Templates, Verbs
from worldforge.core.english import article, head, is_plural, is_superlative, singular, takes_article
from worldforge.world.computed_cells import Measure
from worldforge.world.question_labels import ColumnLabels
from worldforge.world.task_terms import Operator

_PLACES = ("place", "rank", "ranking", "position")
_OF, _NUMBER_OF, _CURRENT = "'s ", "number of ", "current "
_BEST = {"year": ("latest", "earliest"), "date": ("latest", "earliest"), "number": ("highest", "lowest")}
_NARROWING = ("with ", "at ", "for ", "in ", "after ", "before ")
_WITH = ("with ", "without ")
_MANY = ("hundred ", "thousand ", "million ", "billion ")
_ARTICLE = re.compile(r"\ban?(?= \{value\})")
_COUNTED = re.compile(r"\{value\} ([a-z]+s)\b(?! (?:\w+ )?(?:are|were|have)\b)")
_THE, _BORN = "the ", "born "
_OFFICE = re.compile(r"(?:[A-Z]\w+ )+of ")
_WAS = {"is": "was", "are": "were"}
_BLANK, _JOINT = re.compile(" "), re.compile(r" (?:or|and) ")
_TIME_ITSELF = ("year", "date", "day")
_TIMES, _FIGURES = ("Earliest", "Latest"), ("Lowest", "Highest")


class EnglishGrammar(Grammar):
    """English. Labels that begin with one of `without_article` take none."""

    without_article: Templates

    def phrases_of(self, column: ColumnLabels, operator: Operator) -> Templates:
        """Return the phrases of a column: by what its label says that it is, else by its sort."""
        phrases = self.phrases.get(column.sort, {}).get(operator, ())
        if "." in column.path:
            return self.phrases["of_another"].get(operator, phrases)
        if column.sort == "number":
            if column.label.startswith(_NUMBER_OF):
                return self.phrases["counted"].get(operator, phrases)
            if column.label.startswith(_PLACES) and operator in self.phrases["ranked"]:
                return self.phrases["ranked"][operator]
        if operator in ("highest", "lowest"):
            best = self.best(column)[operator == "lowest"]
            return (f"with the {best} {{label}}",) if best else ()
        if is_plural(column.label):  # `with shares of more than …` nobody says
            return tuple(phrase for phrase in phrases if "{a}" not in phrase)
        return phrases

    def phrased(self, text: str, operator: Operator, sort: str, *, one: bool, person: bool) -> str:
        """Turn a phrasebook's modifier of a plural noun into one for `operator`, of one noun where `one` is true.

        Returns an empty text where English has no such form.

        `Richest in museums` is none: `with the most museums` is plainer.
        """
        if operator in ("highest", "lowest"):
            return f"that {'is' if one else 'are'} {text}" if stands_before(text) else ""
        if operator == "!=":
            return denied(text, one=one, person=person)
        phrase = as_clause(between(text, sort) if operator == "between" else text, person=person)
        return of_one(phrase, person=person) if one and phrase else phrase

    def stands_before(self, superlative: str) -> bool:
        """Return whether a superlative can stand before a noun: `most populous` can, `best served by air` cannot."""
        return stands_before(superlative)

    def is_clause(self, text: str) -> bool:
        """Return whether a condition is worded as a clause: `that date from 1923`, `whose ground …`."""
        return is_clause(text)

    def form(self, text: str) -> int:
        """Return 2 for a clause, 1 for what begins with `with`, 0 for other modifiers."""
        return 2 if is_clause(text) else int(text.startswith(_WITH))

    def begins(self, text: str) -> Sequence[int]:
        """Return possible lengths of the part before the values: those of whole words."""
        return [blank.end() for blank in _BLANK.finditer(text)]

    def ends(self, text: str) -> Sequence[int]:
        """Return from which character a condition may go on behind several values; nowhere behind an `or` or `and`."""
        return [] if _JOINT.search(text) else [blank.start() for blank in _BLANK.finditer(text)]

    def weight(self, text: str) -> int:
        """Return how late a condition comes: places first, what begins with `with` later, clauses at last."""
        return 3 if is_clause(text) else 2 if text.startswith(_WITH) else 1 - text.startswith(PLACES)

    def joins_directly(self, before: str, text: str) -> bool:
        """Return whether a condition may follow a lighter one without `and`: `in Velmar that date from 1923`."""
        return (
            is_clause(text) or (text.startswith(_WITH) and " with " not in f" {before}") or follows_place(before, text)
        )

    def elided(self, before: str, text: str) -> int:
        """Return how many characters a condition can lose behind another: the `with` of `with a beach and 3 towns`."""
        return elided(before, text)

    def joints_of_elided(self, before: str) -> Templates:
        """Return what may stand between two conditions where the second leaves out the first word that both share."""
        return (self.gap,) if follows_another(before.partition(" ")[0]) else super().joints_of_elided(before)

    def late(self, text: str, verbs: Verbs, *, person: bool) -> str:
        """Write a condition that is to come after others, as a clause: `that are made by that maker`."""
        if is_clause(text) or text.startswith(_WITH):
            return text
        be = _WAS[verbs["are"]] if text.startswith(_BORN) else verbs["are"]
        return f"{'who' if person else 'that'} {be} {text}"

    def in_past(self, link: str) -> str:
        """Return what is said of a relation as it is said of a time that is over: `who worked at {other}`."""
        return in_past(link)

    def narrowed(self, text: str) -> str:
        """Write a condition on rows of a relation behind what is said of them: `with more than 12 flights a week`."""
        return f" {text}" if text.startswith(_NARROWING) and not text.startswith("in which") else ""

    def inflected(self, label: str) -> Mapping[str, str]:
        """Return the words that go with a label: its verbs and its article, what it counts, whose it is."""
        owner, _, owned = label.rpartition(_OF)
        verbs = ("are", "exceed", "stay") if is_plural(label) else ("is", "exceeds", "stays")
        return dict(zip(("be", "exceed", "stay"), verbs, strict=True)) | {
            "a": self._article(label),
            "counted": label.removeprefix(_NUMBER_OF),
            "owner": owner,
            "owned": owned,
            "has": "have" if is_plural(owner) else "has",
        }

    def _article(self, label: str) -> str:
        """Write the indefinite article that a label takes; none where it begins with, or is, what stands without."""
        first = label.partition(" ")[0].lower()
        if head(label).endswith("ing") or first in self.without_article or is_superlative(label):
            return ""
        return f"{article(label)} "

    def best(self, column: ColumnLabels) -> tuple[str, str]:
        """Return the words for a ranking by a column, from the top and from the bottom."""
        if column.sort == "number" and is_plural(column.label):
            return ("most", "fewest")
        return _BEST.get(column.sort, ("", ""))

    def bound(self, column: ColumnLabels, operator: Operator) -> str:
        """Return the template of how much, in a row of a relation."""
        if column.sort in ("year", "date"):
            if column.label in _TIME_ITSELF:
                return f" {'after' if operator == '>' else 'before'} {{value}}"
            return f" with {{a}}{{label}} {'after' if operator == '>' else 'before'} {{value}}"
        if is_plural(column.label) and not column.unit:
            return f" with {'more' if operator == '>' else 'fewer'} than {{value}} {{label}}"
        return f" with {{a}}{{label}} {'above' if operator == '>' else 'below'} {{value}}"

    def in_sentence(self, label: str) -> str:
        """Write a label in the midst of a sentence: without its capital letter, if it has but one."""
        return label if label[1:2].isupper() else label[:1].lower() + label[1:]

    def named(self, name: str) -> str:
        """Write the name of an entity in a sentence: `the School of Lamonfena`, `the Dennenmarket Motor Show`."""
        return f"{_THE}{name}" if takes_article(name) else name

    def behind_article(self, text: str, at: int) -> int:
        """Return the offset of a name at `at` in `text`, after `the` if it has one."""
        return at + len(_THE) if text.startswith(_THE, at) else at

    def unit_of(self, value: str, column: ColumnLabels) -> str:
        """Write the unit of a column behind a value: `1 year`, `2 years`, `1 million crowns`."""
        counts = column.unit.endswith("s") and len(column.unit) > 2 and not column.unit.startswith(_MANY)
        return singular(column.unit) if value == "1" and counts else column.unit

    def with_articles(self, template: str, value: str = "") -> Templates:
        """Return a template with the article that fits a value, or with each that may: `a {value}`, `an {value}`."""
        if not _ARTICLE.search(template):
            return (template,)
        return tuple(_ARTICLE.sub(one, template) for one in ((article(value),) if value else ("a", "an")))

    def counting_one(self, template: str) -> str:
        """Make what a value counts agree with 1: `with more than {value} bed`, but `where {value} beds are free`."""
        return _COUNTED.sub(lambda noun: f"{{value}} {singular(noun[1])}", template)

    def whether(self, label: str) -> str:
        """Name a column of yes and no in a sentence: `whether there is a beach`."""
        label = self.in_sentence(label)
        return label if label.startswith("whether ") else f"whether there is {self._article(label)}{label}"

    def enumerated(self, labels: Sequence[str]) -> str:
        """Name columns in a sentence: `the number of clubs and the mean capacity`."""
        return _enumerated([f"the {self.in_sentence(label)}" for label in labels])

    def columns_in_sentence(self, labels: Sequence[str]) -> str:
        """Name columns of entities in a sentence, with one article for all; those with `whether` come last."""
        plain = [label for label in labels if not label.startswith("whether ")]
        last = [label for label in labels if label.startswith("whether ")]
        return ", and ".join(_enumerated(part) for part in (plain, last) if part)

    def according_to(self, title: str) -> str:
        """Return a format string for labels of figures by site: `{} according to the Office of Inns`."""
        return super().according_to(f"the {title}" if _OFFICE.match(title) else title)

    def is_named_in_sentence(self, label: str) -> bool:
        """Return whether a sentence can name a column: not `production studio's takings of all films`."""
        return _OF not in label and "(" not in label

    def measured(self, column: ColumnLabels, measure: Measure) -> str:
        """Name a computed column: `Mean capacity`, `Latest founding year`."""
        if column.label.partition(" ")[0].lower() in self.said_already:
            return ""
        things = is_plural(column.label) and not column.unit
        first, last = _TIMES if column.sort in ("year", "date") else _FIGURES
        label = f"{_NUMBER_OF}{column.label}" if things else column.label
        return self.measures[measure.name].format(label=label, first=first, last=last)

    def one_group(self, group: str) -> str:
        """Name one group: a home town, a club; an entry for colours, of which one group has several."""
        return f"entry for {group}" if is_plural(group) else group.removeprefix(_CURRENT)

    def adds_up(self, label: str) -> bool:
        """Return whether what a label names may be summed: numbers of things."""
        return is_plural(label) or label.startswith(_NUMBER_OF)

    def rounded(self, columns: Sequence[tuple[str, int]]) -> str:
        """Write to how many decimals columns are rounded."""
        phrases = [f"{label} to {self.numbers[n]} decimal{'s' if n > 1 else ''}" for label, n in columns]
        return f"Round {_enumerated(phrases)}, and no other number."

    def settled(self, rule: str, sites: Sequence[Sequence[str]]) -> str:
        """Write the rule by which conflicts between pages are settled."""
        named = [_enumerated([name or self.answer.own_sites for name in level]) for level in sites]
        return self.answer.settled[rule].format(sites="; then ".join(named))


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
