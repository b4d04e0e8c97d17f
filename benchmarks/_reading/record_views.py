"""Harvested records as tables: one view a kind of name, with columns that references lead to and rows below headings.

Labels that agree on the values of many names are taken for one. References are followed twice.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from benchmarks._reading.cell_values import Value, fold, units_of
from benchmarks._reading.harvest import Records, Statement
from benchmarks._reading.question_terms import Vocabulary, alike, share_in
from benchmarks._reading.stated_facts import as_label

_LEAST_REFERENCES = 3


@dataclass
class Column:
    """A column of a view. `values` are those of each name, the one to be believed first.

    Where the column is one of rows below a heading, they are one a row, None where a row has none.
    """

    labels: tuple[str, ...]
    values: Mapping[str, Sequence[Value | None]]
    n_hops: int = 0
    heading: str | None = None

    def first(self, name: str) -> Value | None:
        """Return the value to be believed of a name."""
        found = self.values.get(name)
        return found[0] if found else None

    def counted(self, name: str) -> Sequence[Value]:
        """Return the values of a name that count for a condition."""
        found = self.values.get(name, ())
        return [value for value in (found if self.heading is not None else found[:1]) if value is not None]

    def alike(self, label: str) -> float:
        """Return how far the column is called as wanted."""
        return max(alike(own, label) for own in self.labels)

    def share_in(self, clause: str) -> float:
        """Return how far a clause has the words of the column's name."""
        return max(share_in(own, clause) for own in self.labels)

    @cached_property
    def folded(self) -> frozenset[str]:
        """All texts of values that count."""
        return frozenset(fold(value.text) for name in self.values for value in self.counted(name))

    @cached_property
    def units(self) -> frozenset[str]:
        """All units of values."""
        return frozenset(value.unit for name in self.values for value in self.counted(name) if value.unit)

    @cached_property
    def share_of_dates(self) -> float:
        """The share of values that are dates."""
        return self._share([value.date is not None for name in self.values for value in self.counted(name)])

    @cached_property
    def share_of_figures(self) -> float:
        """The share of values that can be compared."""
        return self._share([as_number(value) is not None for name in self.values for value in self.counted(name)])

    def _share(self, holds: Sequence[bool]) -> float:
        return sum(holds) / max(1, len(holds))


@dataclass
class View:
    """All names of a kind, and their columns."""

    kind: str
    names: Sequence[str]
    columns: Sequence[Column]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The texts of all values."""
        return Vocabulary(
            value.text for column in self.columns for values in column.values.values() for value in values if value
        )

    def wanted(self, label: str) -> Column | None:
        """Return the column whose name is most like one that an answer is to have; None where none is."""
        bare = as_label(label)

        def fit(column: Column) -> tuple[float, int]:
            same_unit = any(unit in units_of(label) for unit in column.units)
            indirect = column.n_hops or column.heading is not None
            return column.alike(bare) + 0.05 * same_unit - 0.1 * indirect, len(column.values)

        best = max(self.columns, key=fit, default=None)
        return best if best is not None and fit(best)[0] >= 0.3 else None


class Rule:
    """Which of several values counts, as far as the words of a question on it are understood."""

    def __init__(self, text: str) -> None:
        self._hosts = {host: place for place, host in enumerate(re.findall(r"[\w-]+(?:\.[\w-]+)+", text))}
        self._most = bool(re.search(r"most pages|majority|多数", text))
        self._latest = bool(
            re.search(r"published last|latest page|newest|最后发布|最近发布|最新发布|发布时间最晚", text)
        )
        self._own_first = bool(re.search(r"official sites?;|官方网站", text))
        self.key = f"{sorted(self._hosts.items())}{self._most}{self._latest}{self._own_first}"

    def ordered(self, found: Sequence[Statement]) -> list[Value]:
        """Return the values of a cell, the one that counts first."""
        votes, last, host = Counter[str](), dict[str, str](), dict[str, float]()
        for one in found:
            key = one.value.folded
            votes[key] += one.weight
            if one.weight >= 0.5:
                last[key] = max(last.get(key, ""), one.published)
                rank = self._hosts.get(one.host, -1 if self._own_first else 99)
                host[key] = min(host.get(key, 99), rank if self._hosts else 0)
        values = {one.value.folded: one.value for one in reversed(found)}
        if self._hosts:
            order = sorted(votes, key=lambda key: (-host.get(key, 99), last.get(key, ""), votes[key]), reverse=True)
        elif self._latest and not self._most:
            order = sorted(votes, key=lambda key: (last.get(key, ""), votes[key]), reverse=True)
        else:
            order = sorted(votes, key=lambda key: (votes[key], last.get(key, "")), reverse=True)
        return [values[key] for key in order]


class Views:
    """Views of records, each made once a rule."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self.kinds = {name: kind for name in records.nouns if (kind := records.kind(name))}
        self.names: dict[str, list[str]] = defaultdict(list)
        for name, kind in self.kinds.items():
            self.names[kind].append(name)
        self._made: dict[tuple[str, str], View] = {}
        self._own: dict[tuple[str, str], list[Column]] = {}

    def view(self, kind: str, rule: Rule) -> View:
        """Return the view of a kind, with columns of what its references lead to."""
        if (kind, rule.key) not in self._made:
            own = self._own_columns(kind, rule)
            once = [beyond for column in own for beyond in self._beyond(kind, column, rule)]
            twice = [beyond for column in once for beyond in self._beyond(kind, column, rule)]
            columns = [*own, *once, *twice]
            self._made[kind, rule.key] = View(kind, self.names.get(kind, []), columns)
        return self._made[kind, rule.key]

    def leads_to(self, column: Column) -> str | None:
        """Return the kind of name that a column's values are, if most are of one."""
        found = [value.text for name in column.values for value in column.counted(name)]
        kinds = Counter(self.kinds[text] for text in found if text in self.kinds)
        most = kinds.most_common(1)
        return most[0][0] if most and most[0][1] * 2 > len(found) else None

    def _beyond(self, kind: str, column: Column, rule: Rule) -> list[Column]:
        target = self.leads_to(column)
        if target is None or column.heading == "" or len(column.values) < _LEAST_REFERENCES:
            return []
        found = []
        for theirs in self._own_columns(target, rule):
            if theirs.heading is not None:
                continue
            labels = tuple(f"{own} {beyond}" for own in column.labels for beyond in theirs.labels)
            values = {name: [theirs.first(value.text) if value else None for value in values]
                      for name, values in column.values.items()}  # fmt: skip
            found.append(Column(labels, values, column.n_hops + 1, column.heading))
        return found

    def _own_columns(self, kind: str, rule: Rule) -> list[Column]:
        if (made := self._own.get((kind, rule.key))) is not None:
            return made
        merged: dict[str, dict[str, list[Statement]]] = defaultdict(lambda: defaultdict(list))
        titles: dict[str, list[Value]] = {}
        for name in self.names.get(kind, ()):
            for label, found in self._records.facts.get(name, {}).items():
                merged[self._leaders.get(label, label)][name] += found
            titles[name] = [Value(title) for title in sorted(self._records.lists.get(name, ()))]
        members: dict[str, list[str]] = defaultdict(list)
        for label, leader in self._leaders.items():
            members[leader].append(label)
        columns = [
            Column(tuple(members.get(label, [label])), {name: rule.ordered(found) for name, found in own.items()})
            for label, own in merged.items()
        ]
        columns += [*self._row_columns(kind), Column(("",), titles, heading="")]
        self._own[kind, rule.key] = columns
        return columns

    def _row_columns(self, kind: str) -> list[Column]:
        found: dict[tuple[str, str], dict[str, list[Value | None]]] = defaultdict(dict)
        for name in self.names.get(kind, ()):
            for heading, rows in self._records.rows.get(name, {}).items():
                for label in {label for row in rows for label in row}:
                    found[heading, label][name] = [row.get(label) for row in rows]
        return [Column((f"{heading} {label}",), values, heading=heading) for (heading, label), values in found.items()]

    @cached_property
    def _leaders(self) -> dict[str, str]:
        """The label that each label is taken for: those that agree on the values of many names are one."""
        both, agree, values = Counter[tuple[str, str]](), Counter[tuple[str, str]](), defaultdict(set)
        for own in self._records.facts.values():
            sure = {label: {one.value.folded for one in found if one.weight == 1} for label, found in own.items()}
            held = {label: found.pop() for label, found in sure.items() if len(found) == 1}
            for pair in combinations(sorted(held), 2):
                both[pair] += 1
                if held[pair[0]] == held[pair[1]]:
                    agree[pair] += 1
                    values[pair].add(held[pair[0]])
        leaders = {label: label for own in self._records.facts.values() for label in own}
        for pair, n in agree.items():
            if n >= 5 and n >= 0.85 * both[pair] and len(values[pair]) >= max(4, n / 20):
                kept, gone = leaders[pair[0]], leaders[pair[1]]
                leaders = {label: kept if leader == gone else leader for label, leader in leaders.items()}
        return leaders


def as_number(value: Value | None) -> float | None:
    """Return a figure or a date as a number that can be compared with others of its kind."""
    if value is None:
        return None
    if value.date:
        year, month, day = value.date
        return year * 10_000.0 + month * 100 + day
    return value.figure
