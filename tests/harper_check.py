"""What Harper, a grammar checker, finds in the English prose of a world."""

import re
from collections import Counter
from functools import cache

from harper import Dialect, Linter

# Spelling: names are invented. The others are matters of taste, or wrong of what is right: an Oxford comma, compounds
# in one word ("back stairs"), "there in peace" for "therein", "liras", "herbarium", "OK",
# British words, "MB".
SET_ASIDE = {
    "CompoundNouns", "CondenseAllThe", "DisjointPrefixes", "Everyone", "ExpandMemoryShorthands",
    "IntroCueCommaBeforeThanks", "ItsPossessive", "LongSentences", "MassNouns",
    "MergeWords", "MissingPreposition", "MultipleSequentialPronouns", "Nonetheless", "OkToOkay", "Overall",
    "OxfordComma", "PronounInflectionBe", "QuantifierNumeralConflict", "Regionalisms", "RegularIrregulars",
    "SpellCheck", "SplitWords", "ThereToTheir", "Therein", "WrongNegative",
}  # fmt: skip
_MENU = re.compile(r"[\w ]+( [|/·»] )")
_UNIT = re.compile(r"\d $")
"""Behind a figure stands a unit: `Nm` is spelt right, though Harper would have `NM`."""
_PACKAGE = re.compile(r"[a-z]+-[a-z]+")
"""Names of libraries are written small, also where a sentence begins with one."""
_BETWEEN = re.compile(r"(?<=[.!?”]) +(?=[A-Z“])")
_NAMES = re.compile(r"\b(?:[A-Z][\w’'-]*|\d[\d,.:/–-]*)(?: (?:[A-Z][\w’'-]*|\d[\d,.:/–-]*))*")
"""Names and figures, whole: what sentences of one wording differ in."""
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@cache
def linter():
    """A linter without the rules that are set aside, which take nine tenths of its time."""
    found = Linter(Dialect.BRITISH)
    found.set_lint_config(found.get_lint_config() | dict.fromkeys(SET_ASIDE, False))
    return found


def prose(text):
    """The lines of a page that are running text, links cut to their words."""
    for line in text.split("\n"):
        if line and line[0] not in "|#*->" and not _MENU.match(line):
            yield _LINK.sub(r"\1", line)


def distinct(texts):
    """The lines of all prose of which half the sentences or more are like none before, names and figures aside."""
    seen = set()
    for text in texts:
        for line in prose(text):
            wordings = {_NAMES.sub("N", sentence) for sentence in _BETWEEN.split(line)}
            if 2 * len(wordings - seen) >= len(wordings):
                yield line
            seen |= wordings


def findings(lines):
    """How many words lines have, and what is found in them: rules with the words around."""
    n_words, found = 0, []
    for line in lines:
        n_words += len(line.split())
        if not linter().lint(line):
            continue  # the list by rules names all rules, and takes as long again
        for rule, lints in linter().organized_lints(line).items():
            found += [
                (rule, line[max(0, one.span.start - 40) : one.span.end + 40])
                for one in lints
                if not (rule == "OrthographicConsistency" and _UNIT.search(line, 0, one.span.start))
                and not (rule == "SentenceCapitalization" and _PACKAGE.match(line, one.span.start))
            ]
    return n_words, found


def assert_right(texts, most_per_thousand=1.0, most_words=6_000):
    """At most so many findings in a thousand words, of all distinct lines or of evenly spread ones with so many words.

    Harper takes a second for 3,000 words, and finds in a sentence what it finds in another of the same wording.
    """
    lines = [*distinct(texts)]
    n_words, found = findings(lines[:: sum(len(line.split()) for line in lines) // most_words + 1])
    rules = Counter(rule for rule, _ in found).most_common(5)
    assert len(found) <= most_per_thousand * n_words / 1000, (n_words, rules, found[:12])
