"""What a lead asks of its sub-searchers: which entities meet conditions, of some that it names or that pages name.

    writer = SubQuestionWriter(spec, task, wordings)
    writer.on_entities({"club/0031": "Velmar Rovers"}, terms, ("founded",), 0).text

A sub-question is written in the question's language, with names that the lead has seen and words of the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from worldforge.core.chance import Stream
from worldforge.core.english import number_in_words
from worldforge.environments.search.searcher.thoughts import quoted
from worldforge.schema.column_paths import derived_columns, drawn_columns, references_of
from worldforge.schema.document import read_document
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import label_of, labels_in_language, plural_of
from worldforge.world.site_figures import is_of_site
from worldforge.world.task import Task, TaskColumn, TaskMeasures
from worldforge.world.task_terms import AnyOf, Condition, GivenEntities, Shape, Term, Terms, leaves
from worldforge.world.value_formats import label_of_column

_FILE = Path(__file__).with_name("team.yaml")
TEAM_PHRASES: Mapping[str, Mapping[str, Any]] = read_document(_FILE.read_text("utf-8"), _FILE.name)[0].data
"""What agents of a team write to each other, by language and part."""
_DATED = ("year", "date")
_MOST_WORDED = 10  # a number up to this one is written as a word in English


@dataclass(frozen=True)
class SubQuestion:
    """A sub-question: `task` is what a perfect reader takes from its text, which is the wording.

    With `pages` (addresses with titles) it is what these pages tell; else the entities are named.
    """

    task: Task
    pages: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """What the sub-agent reads."""
        return self.task.wording

    @cached_property
    def given(self) -> dict[str, str]:
        """The ids of the entities that it names, by name."""
        terms = (term for term in self.task.conditions if isinstance(term, GivenEntities))
        return {name: entity for term in terms for entity, name in zip(term.ids, term.names, strict=True)}

    @property
    def key(self) -> int:
        """Which column of the report names the entity."""
        return [column.path for column in self.task.columns].index(self.task.shape.end or "name")


class TeamWordings:
    """Words the parts of texts in one language: which wording is drawn by part and round."""

    def __init__(self, language: str, stream: Stream) -> None:
        self.phrases, self._language, self._stream = TEAM_PHRASES[language], language, stream

    def say(self, part: str, number: int = 0, **slots: str) -> str:
        """Fill the wording of a part that round `number` uses."""
        choices = self.phrases[part]
        drawn = int(self._stream.child(part).integers(np.array([number]), 0, len(choices) - 1)[0])
        return str(choices[drawn]).format(**slots)

    def number(self, n: int) -> str:
        """Write a number of things, small ones in words."""
        if self._language == "zh":
            return "两" if n == 2 else f"{n:,}"
        return number_in_words(n) if n <= _MOST_WORDED else f"{n:,}"

    def listed(self, items: Sequence[str], last: str = "last") -> str:
        """List texts as a sentence does: `A, B and C`; with semicolons where one has a comma in it."""
        lists = self.phrases["lists"]
        comma = lists["comma"] if not any(lists["comma"].strip() in item for item in items) else lists["names"]
        return str(comma.join(items[:-1]) + lists[last] + items[-1] if len(items) > 1 else "".join(items))


class SubQuestionWriter:
    """Writes the sub-questions of one question."""

    def __init__(self, spec: WorldSpec, task: Task, wordings: TeamWordings) -> None:
        self._spec, self._task, self._wordings = labels_in_language(spec, _language(spec, task)), task, wordings
        self._settled = _last_sentence(task.wording) if spec.web.settled_by else ""

    def on_entities(self, names: Mapping[str, str], terms: Terms, paths: Sequence[str], number: int) -> SubQuestion:
        """Ask whether entities, named by id, meet terms, and what stands at paths; `number` is the round.

        Where the rows of the answer are those of a relation, all its columns are asked for.
        """
        columns, rows = self._columns(paths), self._rows()
        kinds = plural_of(self._spec, self._task.about) if len(names) > 1 else label_of(self._spec, self._task.about)
        part = "check" if terms else "list_rows" if rows else "look_up"
        slots = {"kinds": kinds, "names": self._wordings.listed(list(names.values())), "rows": rows}
        text = self._text(part, slots, terms, columns, number)
        given = GivenEntities(tuple(names), tuple(names.values()))
        shape = Shape(rows=self._task.shape.rows, end=self._task.shape.end)
        return SubQuestion(self._asked(text, (given, *terms), columns, shape))

    def on_pages(
        self, pages: Sequence[tuple[str, str]], terms: Terms, paths: Sequence[str], number: int
    ) -> SubQuestion:
        """Ask which entities on pages, given by address and title, meet terms, and what stands at paths."""
        columns = self._named(paths)
        named = [f"{quoted(title, self._task.language)} ({url})" for url, title in pages]
        slots = {"kinds": plural_of(self._spec, self._task.about), "names": self._wordings.listed(named)}
        text = self._text("read_pages" if terms else "read_all_pages", slots, terms, columns, number)
        return SubQuestion(self._asked(text, terms, columns, Shape()), tuple(pages))

    def _asked(self, text: str, terms: Terms, columns: tuple[TaskColumn, ...], shape: Shape) -> Task:
        nothing: dict[str, Any] = {"query": "", "gold": (), "facts": (), "evidence": (), "evaluation": {}}
        return replace(
            self._task, wording=text, conditions=terms, columns=columns, shape=shape, measures=TaskMeasures(), **nothing
        )

    def can_ask(self, terms: Terms, all_terms: Terms) -> bool:
        """Return whether terms can be put into words: each by its own, or all by quoting the question."""
        return terms == all_terms or all(self._clause(term) for term in terms)

    def label(self, table: str, path: str) -> str:
        """Return what the column at a path from a table is called in a sentence."""
        step, _, rest = path.partition(".")
        own = self._label_in(table, step)
        if not rest:
            return own
        inner = self.label(references_of(self._spec, table)[step], rest)
        return str(self._wordings.phrases["within"]).format(of=own, label=inner)

    def _label_in(self, table: str, column: str) -> str:
        if table in self._spec.relations and column in ("source", "target"):
            relation = self._spec.relations[table]
            return label_of(self._spec, relation.source if column == "source" else relation.target)
        return label_of_column(self._spec, table, column) or column.replace("_", " ")

    def _columns(self, paths: Sequence[str]) -> tuple[TaskColumn, ...]:
        first = self._task.shape.end
        if not first:
            return self._named(paths)
        own = {column.path: column for column in self._task.columns}
        return tuple(own.values()) if first in own else (self._column(first), *own.values())

    def _named(self, paths: Sequence[str]) -> tuple[TaskColumn, ...]:
        own = {} if self._task.shape.rows else {column.path: column for column in self._task.columns}
        name = own.get("name") or TaskColumn("name", _heading(label_of(self._spec, self._task.about)), "text", True)
        return (name, *(own.get(path) or self._column(path) for path in paths))

    def _column(self, path: str) -> TaskColumn:
        unit = self._unit(self._task.table, path)
        label = _heading(self.label(self._task.table, path)) + (f" ({unit})" if unit else "")
        return TaskColumn(path, label, "text", path == self._task.shape.end)

    def _unit(self, table: str, path: str) -> str:
        *steps, column = path.split(".")
        for step in steps:
            table = references_of(self._spec, table)[step]
        phrasing = drawn_columns(self._spec, table).get(column) or derived_columns(self._spec, table).get(column)
        return phrasing.unit if phrasing is not None else ""

    # the text

    def _text(
        self, part: str, slots: Mapping[str, str], terms: Terms, columns: Sequence[TaskColumn], number: int
    ) -> str:
        """Write what is to be done with what, the conditions, the columns, and what the report is to look like."""
        say, listed = self._wordings.say, self._wordings.listed
        labels = listed([self._inline(column) for column in columns[1:]])
        asked = [say(part, number, **{"labels": labels, **slots})]
        if terms:
            asked += self._conditions(terms, number)
            further = "further_rows" if slots.get("rows") else "further" if labels else "names_only"
            asked.append(say(further, number, labels=labels, rows=slots.get("rows", "")))
        elif labels and part == "read_all_pages":
            asked.append(say("further_all", number, labels=labels))
        report = say("report_checked" if terms else "report", number, columns=listed([one.label for one in columns]))
        return f"{self._joined([*asked, self._settled])}\n\n{report}"

    def _joined(self, sentences: Iterable[str]) -> str:
        return ("" if self._task.language == "zh" else " ").join(filter(None, sentences))

    def _inline(self, column: TaskColumn) -> str:
        if "." not in column.path and not is_of_site(column.path):
            return self.label(self._task.table, column.path)
        label = column.label.partition(" (")[0]
        return label if label[1:2].isupper() else label[:1].lower() + label[1:]

    def _rows(self) -> str:
        rows = self._task.shape.rows
        if not rows:
            return ""
        return self._spec.relations[rows].title or rows.replace("_", " ")

    def _conditions(self, terms: Terms, number: int) -> Iterator[str]:
        clauses = [self._clause(term) for term in terms]
        if all(clauses):
            yield self._wordings.say("conditions", number, clauses=self._wordings.listed(clauses))
            return
        yield self._wordings.say("conditions_of", number, question=self._task.wording.partition("\n\n")[0].strip())
        if self._task.shape.limit or self._task.shape.group:
            yield self._wordings.say("mine", number)

    def _clause(self, term: Term) -> str:
        """Write a condition as a clause; empty for what is not simple enough."""
        match term:
            case Condition(kind="boolean") | Condition(operator="missing" | "highest" | "lowest"):
                return ""
            case Condition():
                return self._filled(term, self._with_unit(term, term.written))
            case AnyOf():
                return self._either(term)
            case _:
                return ""

    def _either(self, term: AnyOf) -> str:
        parts = [part[0] for part in term.parts if len(part) == 1]
        conditions = [one for one in parts if isinstance(one, Condition)]
        if len(conditions) < len(term.parts):
            return ""
        first = conditions[0]
        if all(one.operator == "=" and one.path == first.path and one.kind == first.kind for one in conditions):
            values = [self._with_unit(one, one.written) for one in conditions]
            return self._filled(first, self._wordings.listed(values, "either")) if self._clause(first) else ""
        clauses = [self._clause(one) for one in conditions]
        return self._wordings.listed(clauses, "either") if all(clauses) else ""

    def _filled(self, condition: Condition, value: str) -> str:
        phrases, operator = self._wordings.phrases, condition.operator
        dated = phrases["dated"] if condition.kind in _DATED else {}
        text = dated.get(operator) or phrases["clauses"][operator]
        upper = self._with_unit(condition, condition.upper_written)
        return str(text).format(label=self.label(self._task.about, condition.path), value=value, upper=upper)

    def _with_unit(self, condition: Condition, written: str) -> str:
        unit = self._unit(self._task.about, condition.path) if condition.kind in ("integer", "number") else ""
        between = " " if self._task.language == "en" and unit[:1].isalpha() else ""
        return f"{written}{between}{unit}"


def checkable(terms: Terms) -> Terms:
    """Return the terms that can be checked of one entity alone, without the others of its kind."""
    return tuple(term for term in terms if not isinstance(term, GivenEntities) and not ranking_paths((term,)))


def ranking_paths(terms: Terms) -> list[str]:
    """Return the columns by which all entities of a kind are compared: those of the highest and the lowest."""
    return [one.path for one in leaves(terms) if one.operator in ("highest", "lowest")]


def _language(spec: WorldSpec, task: Task) -> Any:
    return next(language for language in spec.languages if language == task.language)


def _heading(label: str) -> str:
    return label[:1].upper() + label[1:]


def _last_sentence(text: str) -> str:
    """Return the last sentence of a question: where pages may disagree, it says what counts."""
    end = "。" if "。" in text else ". "
    return text.strip().rstrip(end[0]).rpartition(end)[2].rpartition("\n")[2] + end[0]
