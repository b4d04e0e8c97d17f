"""Write queries in words that stood in the question or in an observation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from worldforge.environments.search.searcher.leads import Words
from worldforge.environments.search.searcher.open_questions import SearchGoal
from worldforge.environments.search.searcher.term_truth import ROWS, named_values
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import label_of, plural_of
from worldforge.world.site_figures import table_column
from worldforge.world.task import Task
from worldforge.world.task_terms import AnyOf, Condition, NoneOf, RelatedTerm, Term, leaves
from worldforge.world.value_formats import label_of_column

_MOST_OPENINGS = 10
_ON_SITE = "site:"
_BARE = ("from", "until", "since", "to")  # labels that say nothing of what stands under them


class QueryWriter:
    """Writes the queries of one episode. `hosts` are those that the question gives for figures by site, by column."""

    def __init__(
        self, spec: WorldSpec, task: Task, goals: Sequence[SearchGoal], hosts: Mapping[str, str] | None = None
    ) -> None:
        self._spec, self._task, self._goals, self._hosts = spec, task, goals, hosts or {}

    def openings(self) -> list[str]:
        """Write queries in the question's words: what is asked for by each of its conditions, and in all."""
        queries: dict[str, None] = {}
        for goal in self._goals:
            several = self.several(goal.about)
            for table, condition in self._conditions(goal.about, goal.terms):
                label = self.label(table, condition.path)
                if condition.kind != "text" or condition.operator != "=":
                    queries[several if label in _BARE else f"{several} {label}"] = None
                elif condition.written.isdigit():
                    queries[f"{several} {label} {condition.written}"] = None
                else:
                    queries[f"{several} {condition.written}"] = None
                    queries[condition.written] = None
            queries[several] = None
        for column, host in self._hosts.items():
            label = label_of_column(self._spec, self._task.about, table_column(column))
            queries[f"{self.several(self._task.about)} {label} {_ON_SITE}{host}"] = None
        for path in (self._task.shape.order, self._task.shape.within):
            if path:
                queries[f"{self.several(self._task.about)} {self.label(self._task.about, path)}"] = None
        return list(queries)[:_MOST_OPENINGS]

    def _conditions(self, table: str, terms: Iterable[Term]) -> Iterator[tuple[str, Condition]]:
        """Yield the conditions on a table's rows and on those of its relations, each with a path of one step.

        What is described elsewhere is a goal of its own.
        """
        for term in terms:
            match term:
                case Condition():
                    way, _, column = term.path.rpartition(".")
                    at = table
                    for step in way.split(".") if way else ():
                        at = references_of(self._spec, at)[step]
                    yield at, replace(term, path=column)
                case AnyOf() | NoneOf():
                    for part in term.parts:
                        yield from self._conditions(table, part)
                case RelatedTerm() if term.table in self._spec.relations:
                    yield from self._conditions(term.table, term.where)

    def through(self, name: str) -> str:
        """Write the query for what is asked for at an entity that leads there: `festivals Velmar`."""
        return f"{self.several(self._task.about)} {name}"

    def about(self, table: str, name: str, columns: Iterable[str], titles: Sequence[str], number: int) -> str:
        """Write the query with a number from 0 about an entity: its name, then with a label or the title of a list.

        Where a site is to give what is open, its name on that site comes first.
        """
        hosts = list(dict.fromkeys(self._hosts[column] for column in columns if column in self._hosts))
        if number < len(hosts):
            return f"{name} {_ON_SITE}{hosts[number]}"
        number -= len(hosts)
        if number == 0:
            return name
        if number % 2 == 0:
            lists = [self.several(table), *titles]
            return f'"{name}" {lists[min(number // 2, len(lists)) - 1]}'
        labels = [self.label(table, column) for column in columns] or [label_of(self._spec, table)]
        return f'"{name}" {labels[number // 2 % len(labels)]}'

    def label(self, table: str, column: str) -> str:
        """Return what a column is called, of a path its last, or a relation whose rows are open."""
        if column.startswith(ROWS):
            name = column.removeprefix(ROWS)
            title = self._spec.relations[name].title if name in self._spec.relations else ""
            return title or name.replace("_", " ")
        *way, last = table_column(column).split(".")
        for step in way:
            table = references_of(self._spec, table)[step]
        return label_of_column(self._spec, table, last) or last.replace("_", " ")

    def several(self, table: str) -> str:
        """Return what several entities of a type are called."""
        return plural_of(self._spec, table)

    def words(self) -> Words:
        """Return the words that titles are compared with."""
        kinds = [word for goal in self._goals for word in (self.several(goal.about), label_of(self._spec, goal.about))]
        columns = [
            self.label(table, path)
            for goal in self._goals
            for table, paths in ((goal.table, goal.columns), (goal.about, [one.path for one in leaves(goal.terms)]))
            for path in paths
            if "." not in path and self.label(table, path) not in _BARE
        ]
        plurals = [self.several(goal.about) for goal in self._goals]
        further = [table for goal in self._goals for table in self._tables_on_the_way(goal)]
        others = [word for table in further for word in (self.several(table), label_of(self._spec, table))]
        return Words(kinds, named_values(self._task.conditions), columns, plurals, others)

    def _tables_on_the_way(self, goal: SearchGoal) -> Iterator[str]:
        """Yield the types that reference columns of a goal pass through: `museum` for `museum.director`."""
        for path in goal.columns:
            table = goal.table
            for step in path.split(".")[:-1]:
                table = references_of(self._spec, table)[step]
                yield table
