"""Answers a question from harvested records, as a database would: candidates, conditions, columns."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks._reading.cell_values import Value, fold, written
from benchmarks._reading.harvest import Records
from benchmarks._reading.question_terms import (
    GROUPED,
    Ranking,
    Term,
    aggregate_of,
    alike,
    ranking_in,
    share_in,
    terms_in,
)
from benchmarks._reading.record_views import Column, Rule, View, Views, as_number

_AT_SOME_TIME = re.compile(r"\bas of\b|at (?:some|any) time|during|in office in|期间|截至|某个?时|时段")
_FROM = re.compile(r"\b(?:from|since|start\w*|began|joined)\b|起|始|自")
_UNTIL = re.compile(r"\b(?:until|to|end\w*|left|till)\b|止|终|至")
_ONE_OF = re.compile(r"(?:by|for|of|in|at) at least one |至少(?:有)?一[个名位家座部条项道次场只支张本届种款]")
_UNION = re.compile(
    r"either of them|both sorts|union of|one list|each once|put together|add the|合并|并集|任一|合在一起|两类"
)
_UNION_JOINT = re.compile(r", (?:and|plus|as well as) (?:also )?(?:the|those)\b|; plus|; B\b|and also those|and add|"
                          r"；|，(?=以及|还有|加上|另)|以及")  # fmt: skip
_LEAST_FIT = 0.25


@dataclass(frozen=True, slots=True)
class Question:
    """A question as an agent gets it: its text, and the names that it gives the columns of the answer."""

    text: str
    labels: tuple[str, ...]

    @property
    def body(self) -> str:
        """What is asked, without the last paragraph, which is on the form of the answer."""
        return self.text.rpartition("\n\n")[0] or self.text


def as_table(labels: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write an answer."""
    lines = ["| " + " | ".join(row) + " |" for row in (labels, ["---"] * len(labels), *rows)]
    return "```markdown\n" + "\n".join(lines) + "\n```"


class RecordAnswers:
    """Answers questions from records."""

    def __init__(self, records: Records) -> None:
        self._views = Views(records)

    def answer(self, question: Question) -> str:
        """Answer a question with a table."""
        ranking, body = ranking_in(question.body)
        measures = [aggregate_of(label) for label in question.labels[1:]]
        rule = Rule(question.text)
        if measures and all(measures) and GROUPED.search(body) and (kind := self._members(body, question)):
            view = self._views.view(kind, rule)
            names = self._matching(view, body, question, rule)
            return as_table(question.labels, _groups(view, names, question, [one for one in measures if one]))
        view = self._views.view(self.kind(question.labels[0]), rule)
        names = self._matching(view, body, question, rule)
        if ranking:
            names = _first(view, names, ranking)
        chosen = [view.wanted(label) for label in question.labels[1:]]
        rows = [
            [name, *(_cell(column.first(name) if column else None, label)
                     for column, label in zip(chosen, question.labels[1:], strict=True))]
            for name in names
        ]  # fmt: skip
        return as_table(question.labels, rows)

    def kind(self, label: str) -> str:
        """Return the kind of name that a column holds."""
        names = self._views.names
        return max(names, key=lambda kind: (alike(kind, label), len(names[kind])), default="")

    def _members(self, body: str, question: Question) -> str:
        """Return the kind of name whose groups a question asks for; in Chinese it stands after `所有`."""
        after = body.partition("所有")[2]
        return self.kind_in(after, question.labels[0]) or self.kind_in(body, question.labels[0])

    def kind_in(self, body: str, apart: str = "") -> str:
        """Return the kind of names that a question speaks of, the first that it mentions, but for one."""
        places = {}
        for kind in self._views.names:
            stemmed = [re.escape(re.sub(r"(?:y|e)$", "", word)) + r"\w*" for word in re.findall(r"[\w'’-]+", kind)]
            pattern = r"\b" + r"\W+".join(stemmed) if kind.isascii() else re.escape(kind)
            if stemmed and (found := re.search(pattern, body.lower())) and alike(kind, apart) < 0.9:
                places[kind] = (found.start(), -len(kind))
        return min(places, key=places.__getitem__, default="")

    def _matching(self, view: View, body: str, question: Question, rule: Rule) -> list[str]:
        """Return the names that meet what a question says, of each list that is to be put together."""
        parts = [part for part in _UNION_JOINT.split(body) if part.strip()] if _UNION.search(body) else [body]
        found = [name for part in parts for name in self._matching_all(view, part, question, rule)]
        return list(dict.fromkeys(found))

    def _matching_all(self, view: View, body: str, question: Question, rule: Rule) -> list[str]:
        """Return the names that meet all that a question says."""
        body, related = self._related(view, body, question, rule)
        headings = {column.heading for column in view.columns if column.heading}
        ignored = [
            *self._views.names,
            *question.labels,
            *headings,
            *(label for column in view.columns for label in column.labels),
        ]
        terms = terms_in(body, view.vocabulary, ignored)
        periods = [term for term in terms if term.value.text and _AT_SOME_TIME.search(term.clause) and _is_figure(term)]
        fitted = [(term, column) for term in terms if term not in periods and (column := _fitting(view, term))]
        always = [one for one in fitted if not one[0].alternative or one[0].negated]
        either = [one for one in fitted if one[0].alternative and not one[0].negated]
        by_row: dict[str, list[tuple[Term, Column]]] = defaultdict(list)
        for term, column in always:
            if column.heading and not term.negated:
                by_row[column.heading].append((term, column))
        if periods and not by_row:
            by_row[max(headings, key=lambda heading: share_in(heading, body), default="")] = []
        return [
            name
            for name in view.names
            if all(_holds(term, column, name) is not term.negated for term, column in always)
            and (not either or any(_holds(term, column, name) for term, column in either))
            and all(_in_one_row(view, heading, tests, periods, name) for heading, tests in by_row.items())
            and (related is None or name in related)
        ]

    def _related(self, view: View, body: str, question: Question, rule: Rule) -> tuple[str, set[str] | None]:
        """Follow `named as X by at least one Y whose …`: return what is left of the question, and the names."""
        found = _ONE_OF.search(body)
        other = self.kind_in(body[found.end() :]) if found else ""
        if not found or not other:
            return body, None
        left, clause, rest = body[: found.start()], body[: found.start()], body[found.end() :]
        wide = re.search(rf"(.*?)的{re.escape(other)}(?:列为([^，。]*?))?的", rest)
        if wide and not left.isascii():
            left, clause, rest = f"{left}，{rest[wide.end() :]}", wide[2] or "", wide[1]
        clause = re.split(r"\bthat\b|\bwhich\b|\band\b|，|且", clause)[-1]
        theirs = self._views.view(other, rule)
        back = [one for one in theirs.columns if not one.n_hops and self._views.leads_to(one) == view.kind]
        if not back:
            return body, None
        column = max(back, key=lambda one: one.share_in(clause))
        names = self._matching(theirs, re.split(r"[.?。？]", rest)[0], question, rule)
        return left, {value.text for name in names for value in column.counted(name)}


def _fitting(view: View, term: Term) -> Column | None:
    """Return the column that a term is about, by the words beside it."""
    best, score = None, _LEAST_FIT
    for column in view.columns:
        if _is_figure(term):
            if (column.share_of_dates if term.value.date else column.share_of_figures) < 0.5:
                continue
        elif fold(term.value.text) not in column.folded and not (
            column.heading == "" and any(fold(term.value.text) in text for text in column.folded)
        ):
            continue
        fit = column.share_in(term.clause) * 1.05 + 0.2 * (term.value.unit in column.units)
        fit += 0.004 * max(map(len, column.labels)) * (column.share_in(term.clause) > 0.9)
        fit += 0.5 * bool(column.heading and f"“{column.heading}”" in term.clause.lower())
        fit -= 0.1 * (column.heading is not None)
        fit += 0.3 * (not _is_figure(term) and column.heading != "")
        if fit > score and (_is_figure(term) is False or any(_holds(term, column, name) for name in view.names)):
            best, score = column, fit
    return best


def _is_figure(term: Term) -> bool:
    return term.value.figure is not None or term.value.date is not None


def _holds(term: Term, column: Column, name: str) -> bool:
    return any(meets(term, value) for value in column.counted(name))


def _in_one_row(
    view: View, heading: str, tests: Sequence[tuple[Term, Column]], periods: Sequence[Term], name: str
) -> bool:
    """Return whether one row below a heading of a name's page meets all that is said of it."""
    own = [column for column in view.columns if column.heading == heading and not column.n_hops]
    n_rows = max((len(column.values.get(name, ())) for column in own), default=0)
    begin = next((column for column in own if _FROM.search(column.labels[0].removeprefix(heading))), None)
    end = next((column for column in own if _UNTIL.search(column.labels[0].removeprefix(heading))), None)

    def cell(column: Column | None, row: int) -> Value | None:
        found = column.values.get(name, ()) if column else ()
        return found[row] if row < len(found) else None

    return any(
        all((value := cell(column, row)) is not None and meets(term, value) for term, column in tests)
        and all(_overlaps(term, cell(begin, row), cell(end, row)) for term in periods)
        for row in range(n_rows)
    )


def _overlaps(term: Term, begin: Value | None, end: Value | None) -> bool:
    """Return whether a period that ends before its end has a part in the period that a term names."""
    low, high = _day(term.value), _day(term.upper or term.value, last=True)
    return (begin is None or _day(begin) <= high) and (end is None or _day(end) > low)


def _day(value: Value, *, last: bool = False) -> float:
    if value.date:
        return as_number(value) or 0.0
    return (value.figure or 0.0) * 10_000 + (1231 if last else 101)


def meets(term: Term, value: Value) -> bool:
    """Return whether a value meets a term."""
    if not _is_figure(term):
        sought, found = fold(term.value.text), fold(value.text)
        return found == sought or (len(found) > len(sought) + 3 and len(found) > 25 and sought in found)
    mine, bound = as_number(value), as_number(term.value)
    if mine is None or bound is None:
        return False
    if value.date and not term.value.date:
        mine = float(value.date[0])
    match term.operator:
        case "=":
            return abs(mine - bound) < 1e-6 * max(1.0, abs(bound))
        case "<" | "<=":
            return mine < bound or (term.operator == "<=" and mine == bound)
        case ">" | ">=":
            return mine > bound or (term.operator == ">=" and mine == bound)
        case _:
            high = as_number(term.upper)
            return high is not None and bound <= mine <= high


def _first(view: View, names: Sequence[str], ranking: Ranking) -> list[str]:
    """Return the first names of a ranking."""
    own = [column for column in view.columns if column.heading is None and column.share_of_figures > 0.5]
    column = max(own, key=lambda one: (one.share_in(ranking.label), one.alike(ranking.label)), default=None)
    if column is None:
        return list(names)
    known = [(number, name) for name in names if (number := as_number(column.first(name))) is not None]
    return [name for _, name in sorted(known, reverse=ranking.highest)[: ranking.count]]


def _groups(
    view: View, names: Sequence[str], question: Question, measures: Sequence[tuple[str, str]]
) -> list[list[str]]:
    """Return a row a group of names."""
    by = view.wanted(question.labels[0])
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names if by else ():
        if value := by.first(name) if by else None:
            groups[value.text].append(name)
    columns = [view.wanted(of) for _, of in measures]
    return [
        [group, *(_computed(how, members, column, label)
                  for label, (how, _), column in zip(question.labels[1:], measures, columns, strict=True))]
        for group, members in groups.items()
    ]  # fmt: skip


def _computed(how: str, members: Sequence[str], column: Column | None, label: str) -> str:
    if how == "count":
        return str(len(members))
    values = [value for name in members if column and (value := column.first(name))]
    known = [(number, value) for value in values if (number := as_number(value)) is not None]
    if not known:
        return ""
    if how in ("max", "min"):
        return written((max if how == "max" else min)(known, key=lambda one: one[0])[1], label)
    numbers = [number for number, _ in known]
    return written(Value("", sum(numbers) if how == "sum" else statistics.fmean(numbers)), label)


def _cell(value: Value | None, label: str) -> str:
    return written(value, label).replace("|", "/") if value else ""
