"""English phrases for the terms of a task: written from banks of templates, and read back by the same templates.

    write_terms(words, "club", terms, verbs, draws)        "whose home town is Velmar and with more than 3 …"
    read_terms(words, "club", text, verbs)                 every way to read the whole text as terms

Plain terms come first, then alternatives (`either … or …`), then exceptions (`except those …`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from generators.questions import linking
from generators.questions.english import JOINS, ONE, PHRASES, SEVERAL
from generators.questions.frames import BEST
from worldforge.world.saying import SaidColumn, Vocabulary
from worldforge.world.terms import AnyOf, Condition, Described, NoneOf, Operator, Related, Term, Terms
from worldforge.world.values import MONTHS

_NOT_EQUAL = ("whose {label} {be} not {value}", "with any {label} but {value}")
MORE_PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("reference", "!="): _NOT_EQUAL,
    ("text", "!="): _NOT_EQUAL,
    ("year", "="): ("whose {label} {be} {value}", "with {value} as {label}"),
    ("date", "="): ("whose {label} {be} {value}", "with {value} as {label}"),
    ("number", "="): ("whose {label} {be} {value}", "with {value} as {label}"),
    ("year", "between"): (
        "whose {label} {be} no earlier than {value} and no later than {upper}",
        "with {label} from {value} to {upper} inclusive",
    ),
    ("date", "between"): (
        "whose {label} {be} no earlier than {value} and no later than {upper}",
        "with {label} from {value} to {upper} inclusive",
    ),
    ("number", "between"): (
        "whose {label} {be} at least {value} and at most {upper}",
        "with {label} from {value} to {upper} inclusive",
    ),
}
MORE_PHRASES |= {
    (sort, operator): (f"with the {word} {{label}}",)
    for sort, (top, bottom) in BEST.items()
    for operator, word in (("highest", top), ("lowest", bottom))
}
BANK = PHRASES | MORE_PHRASES
_FIGURES = r"-?\d[\d,]*(?:\.\d+)?(?![\d]|[.,]\d)"
FORMS = {"year": r"-?\d+(?!\d)", "number": _FIGURES, "date": rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) -?\d+(?!\d)"}
_AFTER = (" and ", " or ", ", ", ";", ".", "?", ":", ")", " as ", " under ", " at some ")
Verbs = Mapping[str, str]


def verbs_of(opening: str) -> Verbs:
    """Say whether what follows in an opening is said of one or of several."""
    return ONE if "{label} {conditions}" in opening else SEVERAL


def write_terms(words: Vocabulary, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> str:
    """Word terms that all hold, plain ones first."""
    plain = [write_leaf(words, table, term, verbs, draws) for term in terms if not isinstance(term, AnyOf | NoneOf)]
    for term in terms:
        if isinstance(term, AnyOf):
            parts = [write_leaf(words, table, part[0], verbs, draws) for part in term.parts]
            plain.append("either " + " or ".join(parts))
    text = " and ".join(plain)
    for term in terms:
        if isinstance(term, NoneOf):
            parts = [write_leaf(words, table, part[0], SEVERAL, draws) for part in term.parts]
            text += (", except those " if text else "other than those ") + " and those ".join(parts)
    return text


def write_leaf(words: Vocabulary, table: str, term: Term, verbs: Verbs, draws: Iterator[int]) -> str:
    """Word one plain term."""
    if isinstance(term, Related):
        return linking.write_related(words, table, term, verbs, draws)
    if isinstance(term, Described):
        return linking.write_described(words, table, term, draws)
    assert isinstance(term, Condition), term
    column = next(column for column in words[table].columns if column.path == term.path)
    bank = BANK[column.sort, term.operator]
    form = _form(bank[next(draws) % len(bank)], column, frozenset(verbs.items()))
    return form.replace("\1", _with_unit(term.written, column)).replace("\2", _with_unit(term.upper_written, column))


def read_terms(words: Vocabulary, table: str, text: str, verbs: Verbs) -> Iterator[Terms]:
    """Give every way to read a whole text as terms."""
    for plain, after_plain in _plain(words, table, text, verbs):
        for alternatives, after in _alternatives(words, table, text, after_plain, verbs, bool(plain)):
            terms = (*plain, *alternatives)
            for exceptions in _exceptions(words, table, text, after, bool(terms)):
                if terms or exceptions:
                    yield (*terms, *exceptions)


def _plain(words: Vocabulary, table: str, text: str, verbs: Verbs) -> Iterator[tuple[Terms, int]]:
    yield (), 0
    yield from read_joined(words, table, text, 0, verbs, " and ")


def _alternatives(
    words: Vocabulary, table: str, text: str, at: int, verbs: Verbs, follows: bool
) -> Iterator[tuple[Terms, int]]:
    yield (), at
    head = " and either " if follows else "either "
    if text.startswith(head, at):
        for parts, end in read_joined(words, table, text, at + len(head), verbs, " or "):
            if len(parts) > 1:
                yield (AnyOf(tuple((part,) for part in parts)),), end


def _exceptions(words: Vocabulary, table: str, text: str, at: int, follows: bool) -> Iterator[Terms]:
    if at == len(text):
        yield ()
        return
    head = ", except those " if follows else "other than those "
    if text.startswith(head, at):
        for parts, end in read_joined(words, table, text, at + len(head), SEVERAL, " and those "):
            if end == len(text):
                yield (NoneOf(tuple((part,) for part in parts)),)


def read_joined(
    words: Vocabulary, table: str, text: str, at: int, verbs: Verbs, joint: str
) -> Iterator[tuple[Terms, int]]:
    """Give every way to read one or more plain terms that follow one another, and where each ends."""
    for term, end in read_leaf(words, table, text, at, verbs):
        yield (term,), end
        if text.startswith(joint, end):
            for more, last in read_joined(words, table, text, end + len(joint), verbs, joint):
                yield (term, *more), last


def read_leaf(words: Vocabulary, table: str, text: str, at: int, verbs: Verbs) -> Iterator[tuple[Term, int]]:
    """Give every way to read one plain term that begins at a place, and where it ends."""
    kept = frozenset(verbs.items())
    for column in words[table].columns:
        for operator, form in _forms(column, kept):
            if text.startswith(form.partition("\1")[0], at):
                for value, upper, end in _match(form, column, text, at):
                    yield Condition(column.path, operator, "", value, "text", "", upper), end
    yield from linking.read_related(words, table, text, at, verbs)
    yield from linking.read_described(words, table, text, at)


@lru_cache(maxsize=4096)
def _forms(column: SaidColumn, verbs: frozenset[tuple[str, str]]) -> list[tuple[Operator, str]]:
    operators: list[Operator] = ["=", "!=", "<", ">", "between", "highest", "lowest"]
    return [
        (operator, _form(template, column, verbs))
        for operator in operators
        for template in BANK.get((column.sort, operator), ())
    ]


def _form(template: str, column: SaidColumn, verbs: frozenset[tuple[str, str]]) -> str:
    """Fill all but the values into a template; these are left as two marks."""
    be = be_of(column.label)
    exceed, stay = ("exceed", "stay") if be == "are" else ("exceeds", "stays")
    slots = {"label": column.label, "be": be, "exceed": exceed, "stay": stay, "value": "\1", "upper": "\2"}
    return template.format(**slots, **dict(verbs))


def be_of(label: str) -> str:
    """Say whether what a label names is, or are."""
    head = min((label.partition(join)[0] for join in JOINS), key=len)
    return "are" if head.endswith("s") and not head.endswith("ss") else "is"


def _match(form: str, column: SaidColumn, text: str, at: int) -> Iterator[tuple[str, str, int]]:
    before, one, rest = form.partition("\1")
    if not one:  # a form without a value ends where something else may follow
        end = at + len(form)
        if text.startswith(form, at) and (end == len(text) or text.startswith(_AFTER, end)):
            yield "", "", end
        return
    middle, two, after = rest.partition("\2")
    for value, end in values_at(column, text, at + len(before), middle):
        if not two:
            yield value, "", end
            continue
        for upper, last in values_at(column, text, end, after):
            yield value, upper, last


def values_at(column: SaidColumn, text: str, at: int, after: str) -> Iterator[tuple[str, int]]:
    """Give the values that may stand at a place, with `after` behind them, and where that ends."""
    tail = (f" {column.unit}" if column.unit else "") + after
    if column.sort in FORMS:
        found = re.compile(FORMS[column.sort]).match(text, at)
        ends: Sequence[int] = [found.end()] if found else []
    else:
        ends = range(at + 1, len(text) + 1)
    for end in ends:
        stop = end + len(tail)
        closed = bool(after) or stop == len(text) or text.startswith(_AFTER, stop)
        if text.startswith(tail, end) and closed and (column.known is None or column.known(text[at:end])):
            yield text[at:end], stop


def _with_unit(value: str, column: SaidColumn) -> str:
    return f"{value} {column.unit}" if value and column.unit else value
