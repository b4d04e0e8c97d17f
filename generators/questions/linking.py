"""English phrases for terms that lead to other entities: rows that refer here, and entities described, not named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from generators.questions import phrases
from generators.questions.english import ONE
from worldforge.world.saying import SaidColumn, SaidLink, Vocabulary
from worldforge.world.terms import AnyOf, Condition, Described, Operator, Related, Term, Terms

Verbs = Mapping[str, str]
UNDER = ("with {entry} under “{title}”{tail}", "that {have} {entry} listed under “{title}”{tail}")
REFERRED = (
    "that {are} the {title} of at least one {label} {inner}",
    "named as {title} by at least one {label} {inner}",
)
_AN_ENTRY = "an entry"
_AS_OF, _BETWEEN = " as of {low}", " at some time from {low} to {high}"
_TAILS: dict[Operator, tuple[str, ...]] = {
    ">": (" and {label} of more than {low}",),
    "<": (" and {label} of less than {low}",),
}


def write_related(words: Vocabulary, table: str, term: Related, verbs: Verbs, draws: Iterator[int]) -> str:
    """Word a row of another table that refers here."""
    link = next(link for link in words[table].links if (link.table, link.column) == (term.table, term.column))
    if link.end:
        first = term.where[0]
        named = isinstance(first, Condition) and first.path == link.end
        entry = first.written if isinstance(first, Condition) and named else _AN_ENTRY
        rest = term.where[1:] if named else term.where
        form = UNDER[next(draws) % len(UNDER)]
        return form.format(entry=entry, title=link.title, tail=_write_tail(words, link, rest), **verbs)
    inner = phrases.write_leaf(words, link.table, term.where[0], ONE, draws)
    form = REFERRED[next(draws) % len(REFERRED)]
    return form.format(title=link.title, label=words[link.table].label, inner=inner, **verbs)


def _write_tail(words: Vocabulary, link: SaidLink, terms: Terms) -> str:
    """Word when, or how much: a time window is a begin and an end, a bound one condition on a column."""
    if not terms:
        return ""
    first = terms[0]
    assert isinstance(first, Condition)
    if len(terms) == 1:
        column = _column(words, link.table, first.path)
        low = f"{first.written} {column.unit}".rstrip()
        return _TAILS[first.operator][0].format(label=column.label, low=low)
    window = terms[1]
    assert isinstance(window, AnyOf)
    over = window.parts[1][0]
    assert isinstance(over, Condition)
    form = _AS_OF if over.written == first.written else _BETWEEN
    return form.format(low=over.written, high=first.written)


def read_related(words: Vocabulary, table: str, text: str, at: int, verbs: Verbs) -> Iterator[tuple[Term, int]]:
    """Give every way to read a row of another table that refers here."""
    for link in words[table].links:
        forms = UNDER if link.end else REFERRED
        slots = {"title": link.title, "label": words[link.table].label, **verbs}
        for form in forms:
            whole = form.format(**slots, entry="\1", tail="", inner="\1")
            before, _, after = whole.partition("\1")
            if not text.startswith(before, at):
                continue
            start = at + len(before)
            reading = (
                _read_under(words, link, text, start, after) if link.end else _read_inner(words, link, text, start)
            )
            yield from ((Related(link.table, link.column, where), end) for where, end in reading)


def _read_inner(words: Vocabulary, link: SaidLink, text: str, at: int) -> Iterator[tuple[Terms, int]]:
    for term, end in phrases.read_leaf(words, link.table, text, at, ONE):
        yield (term,), end


def _read_under(words: Vocabulary, link: SaidLink, text: str, at: int, after: str) -> Iterator[tuple[Terms, int]]:
    entries: list[tuple[Terms, int]] = []
    if text.startswith(_AN_ENTRY + after, at):
        entries.append(((), at + len(_AN_ENTRY + after)))
    for name, end in phrases.values_at(_column(words, link.table, link.end), text, at, after):
        entries.append(((Condition(link.end, "=", "", name, "text"),), end))
    for entry, end in entries:
        if entry:
            yield entry, end
        for tail, last in _read_tail(words, link, text, end):
            yield (*entry, *tail), last


def _read_tail(words: Vocabulary, link: SaidLink, text: str, at: int) -> Iterator[tuple[Terms, int]]:
    if link.begin:
        time = phrases.FORMS[_column(words, link.table, link.begin).sort]
        for form in (_AS_OF, _BETWEEN):
            pattern = re.escape(form).replace(r"\{low\}", f"(?P<low>{time})").replace(r"\{high\}", f"(?P<high>{time})")
            if match := re.compile(pattern.replace(r"\ ", " ")).match(text, at):
                low = match["low"]
                high = match["high"] if form == _BETWEEN else low
                if form == _AS_OF or low != high:
                    yield _window(link, low, high), match.end()
    for column in words[link.table].columns:
        for operator, forms in _TAILS.items():
            for form in forms:
                before, _, after = form.format(label=column.label, low="\1").partition("\1")
                if text.startswith(before, at) and column.sort in phrases.FORMS:
                    for value, end in phrases.values_at(column, text, at + len(before), after):
                        yield (Condition(column.path, operator, "", value, "text"),), end


def _window(link: SaidLink, low: str, high: str) -> Terms:
    missing, over = (Condition(link.until, "missing", "", "", "text"), Condition(link.until, ">", "", low, "text"))
    return Condition(link.begin, "<=", "", high, "text"), AnyOf(((missing,), (over,)))


def write_described(words: Vocabulary, table: str, term: Described, draws: Iterator[int]) -> str:
    """Word an entity by what singles it out."""
    column = _column(words, table, term.path)
    parts = [phrases.write_leaf(words, term.about, one, ONE, draws) for one in term.where]
    inner = f"both {' and '.join(parts)}" if len(parts) > 1 else parts[0]
    return f"whose {column.label} {_be(column)} the {words[term.about].label} {inner}"


def read_described(words: Vocabulary, table: str, text: str, at: int) -> Iterator[tuple[Term, int]]:
    """Give every way to read an entity that is described."""
    for column in words[table].columns:
        if not column.refers:
            continue
        before = f"whose {column.label} {_be(column)} the {words[column.refers].label} "
        if text.startswith(before, at):
            start = at + len(before)
            both = text.startswith("both ", start)
            for where, end in _read_parts(words, column.refers, text, start + 5 * both, both):
                yield Described(column.path, column.refers, where, "", ""), end


def _read_parts(words: Vocabulary, table: str, text: str, at: int, both: bool) -> Iterator[tuple[Terms, int]]:
    for where, end in phrases.read_joined(words, table, text, at, ONE, " and "):
        if len(where) == (2 if both else 1):
            yield where, end


def _be(column: SaidColumn) -> str:
    return phrases.be_of(column.label)


def _column(words: Vocabulary, table: str, path: str) -> SaidColumn:
    columns: Sequence[SaidColumn] = words[table].columns
    return next(column for column in columns if column.path == path)
