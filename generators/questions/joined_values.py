"""Several values of one column in one phrase: `born in Velmar, Orsk or Talenne`, `rated seven or twelve`.

alternatives_of(term)            the conditions, where a term offers values of one column
series(["a", "b", "c"], joints)  a, b or c
shortened(choices, grammar)      one text of each choice, with what all share written once
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generators.questions.grammar import Grammar, Reader, SeriesJoints
from worldforge.world.task_terms import AnyOf, Condition, Term


def alternatives_of(term: Term) -> tuple[Condition, ...]:
    """Return the conditions of a term that offers several values of one column; none of any other term."""
    if not isinstance(term, AnyOf):
        return ()
    found = tuple(part[0] for part in term.parts if len(part) == 1 and isinstance(part[0], Condition))
    alike = len(found) == len(term.parts) and len({(one.path, one.operator) for one in found}) == 1
    return found if alike and found[0].operator == "=" else ()


def series(values: Sequence[str], joints: SeriesJoints) -> str:
    """Join values of which one holds."""
    compound = any(mark in value for value in values for mark in joints.marks_of_compound)
    last = joints.last_of_compound if compound else joints.last
    return f"{joints.many.join(values[:-1])}{last}{values[-1]}"


def read_series(read: Reader, joints: SeriesJoints, at: int, after: str) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Yield every way to read a series of two or three different values, and where it ends."""
    for last in dict.fromkeys((joints.last, joints.last_of_compound)):
        for first, end in read(at, last):
            for second, stop in read(end + len(last), after):
                if first != second:
                    yield (first, second), stop
        for first, end in read(at, joints.many):
            for second, middle in read(end + len(joints.many), last):
                for third, stop in read(middle + len(last), after):
                    if len({first, second, third}) == 3:
                        yield (first, second, third), stop


def shortened(choices: Sequence[Sequence[str]], grammar: Grammar) -> tuple[str, ...]:
    """Join one text of each choice, with what all share at the start and at the end written once.

    Returns the wordings that share most at the start.
    """
    found: dict[str, int] = {}
    for first in choices[0]:
        texts = [first, *(max(one, key=lambda text: _n_start(first, text, grammar)) for one in choices[1:])]
        start = min(_n_start(first, text, grammar) for text in texts[1:])
        rest = [text[start:] for text in texts]
        end = min(_n_end(rest[0], text, grammar) for text in rest[1:]) if start and _are_alike(rest) else 0
        values = [text[: len(text) - end] for text in rest]
        found[f"{first[:start]}{series(values, grammar.terms.series)}{rest[0][len(rest[0]) - end :]}"] = start
    most = max(found.values())
    return tuple(text for text, n in found.items() if n == most)


def _are_alike(texts: Sequence[str]) -> bool:
    """Return whether texts have as many words: not `will not be fixed` and `have been fixed`."""
    return len({len(text.split()) for text in texts}) == 1


def _n_start(first: str, second: str, grammar: Grammar) -> int:
    """Return the length of the longest shared start of two texts that may be written once."""
    return max((n for n in grammar.begins(first) if second.startswith(first[:n])), default=0)


def _n_end(first: str, second: str, grammar: Grammar) -> int:
    """Return how many characters that could be written once two texts share at their end."""
    return max((len(first) - n for n in grammar.ends(first) if second.endswith(first[n:])), default=0)


@dataclass(frozen=True, slots=True)
class Remainders:
    """Wordings of single values that share their start and their end: by what lies between, the value."""

    before: str
    after: str
    values: Mapping[str, str]

    def reader(self, text: str) -> Reader:
        """Return what reads one of them at a place of a text."""

        def read(at: int, after: str) -> Iterator[tuple[str, int]]:
            for words, value in self.values.items():
                if text.startswith(words + after, at):
                    yield value, at + len(words)

        return read


def remainders(texts: Mapping[str, str], grammar: Grammar) -> Iterator[Remainders]:
    """Yield the wordings of single values by what some of them share: `texts` has the value of each."""
    for before in dict.fromkeys(text[:n] for text in texts for n in (0, *grammar.begins(text))):
        rest = {text[len(before) :]: value for text, value in texts.items() if text.startswith(before)}
        ends = (text[n:] for text in rest for n in grammar.ends(text)) if before else ()
        for after in dict.fromkeys(("", *ends)):
            values = {text.removesuffix(after): value for text, value in rest.items() if text.endswith(after)}
            values.pop("", None)
            if len(set(values.values())) > 1:
                yield Remainders(before, after, values)
