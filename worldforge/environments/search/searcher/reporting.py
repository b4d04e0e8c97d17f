"""Note what happens in an episode, as thoughts tell it: values with their labels, verdicts with reasons, what is open.

reporter.reading(reading, news)        what a page added
reporter.verdicts()                    which candidates have turned out to belong in the answer, or not
reporter.outlook(["club/0031"])        what is open, if possible about these entities
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from worldforge.core.english import number_in_words, ordinal_in_words
from worldforge.environments.search.searcher.beliefs import Beliefs, Known, News
from worldforge.environments.search.searcher.open_questions import OpenQuestions
from worldforge.environments.search.searcher.page_reading import Reading, ReadStatement
from worldforge.environments.search.searcher.queries import QueryWriter
from worldforge.environments.search.searcher.term_truth import ROWS, Deciding, TermTruth
from worldforge.environments.search.searcher.thoughts import (
    Absence,
    CandidateVerdict,
    Disagreement,
    Learnt,
    Occasion,
    Outlook,
    Point,
    Report,
    StatedComparison,
    Thoughts,
)
from worldforge.rewording.slotted_text import SlottedText
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import label_of
from worldforge.world.site_figures import is_of_site, table_column
from worldforge.world.task import Task
from worldforge.world.task_terms import Condition
from worldforge.world.value_formats import unit_of
from worldforge.world.value_text import read_value

_MOST_POINTS = 2  # by which a candidate is said to belong in the answer
_YEARS = ("年", "年份")  # end labels of years in Chinese
_TIMES = ("year", "date")
_UNIT, _ACCORDING = re.compile(r"\s*[(（][^()（）]*[)）]$"), re.compile(r" according to (?:the )?(.+)$")
_NOUNS = {"from": "start", "since": "start", "until": "end"}  # by the label that a table has
_GROUNDS = {"date": "later", "authority": "authority", "majority": "majority"}
_BOUNDS = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}


class Reporter:
    """Keeps the report of what happened since the last thought of one episode."""

    def __init__(
        self,
        spec: WorldSpec,
        task: Task,
        beliefs: Beliefs,
        truth: TermTruth,
        questions: OpenQuestions,
        writer: QueryWriter,
        thoughts: Thoughts,
    ) -> None:
        self._spec, self._task, self._beliefs, self._truth = spec, task, beliefs, truth
        self._questions, self._writer, self._thoughts = questions, writer, thoughts
        self._told: dict[tuple[int, str], bool] = {}
        self._paths = {(table, column) for path in questions.goals[0].columns for table, column in self._steps(path)}
        self._compared: set[str] = set()
        self._n_rows: dict[str, int] = {}
        self._comparisons: list[tuple[str, str, StatedComparison]] = []
        self.report = self._worded = self._new_report()

    def word(self, about: Iterable[str], *occasions: Occasion) -> SlottedText:
        """Write the thought before an action that concerns entities, and begin a new report."""
        report, self.report = self.report, self._new_report()
        if self._thoughts.is_silent:
            return self._thoughts.word(report, Outlook())
        self._worded = report
        report.comparisons += [told for fact, other, told in self._comparisons if self._is_open(fact, other)]
        self._comparisons = []
        return self._thoughts.word(report, self.outlook(about), *occasions)

    def word_last(self, *occasions: Occasion, refused: bool) -> SlottedText:
        """Write the thought before the answer; where an action was refused, its thought was not heard."""
        report = self._worded if refused else self.report
        return self._thoughts.word(report, Outlook(), *occasions)

    def unchecked(self) -> list[Occasion]:
        """Say how many candidates could not be judged; nothing where all were."""
        own = self._questions.own.values()
        names = [self._beliefs.names[one.entity] for one in own if one.holds is None]
        if len(names) < 2:
            return [("unchecked_one", {"name": names[0]})] if names else []
        slots = {"n": self._thoughts.number(len(names)), "names": names[:2]}
        return [("unchecked", {**slots, "kinds": self._writer.several(self._task.about)})]

    def asked(self) -> Occasion:
        """Say what the question asks for, in its own words, if it asks for columns beside the names."""
        kinds, relation = self._writer.several(self._task.about), self._task.shape.rows
        if relation:
            rows = _within_a_sentence(self._writer.label(self._task.about, ROWS + relation))
            kinds = self._thoughts.form("rows_of", kinds=kinds, rows=rows)
        labels = [_within_a_sentence(column.label) for column in self._task.columns if not column.is_key]
        terms = self._task.conditions
        if not labels or not all(isinstance(term, Condition) and term.operator in (*_BOUNDS, "=") for term in terms):
            return ("asked", {"kinds": kinds, "labels": labels}) if labels else ("asked_names", {"kinds": kinds})
        points = [
            self._thoughts.form(
                "point_wanted",
                label=self._label(f"{self._task.about}/0#{term.path}"),
                wanted=self._wanted(term, f"{self._task.about}/0#{term.path}"),
            )
            for term in terms
            if isinstance(term, Condition) and "." not in term.path
        ]
        if len(points) < len(terms) or not points:
            return "asked", {"kinds": kinds, "labels": labels}
        return "asked_with", {"kinds": kinds, "labels": labels, "points": self._thoughts.form("comma").join(points)}

    @property
    def kinds(self) -> str:
        """What several of those asked for are called."""
        return self._writer.several(self._task.about)

    def label_at(self, path: str) -> str:
        """Return what a column of those asked for is called in a sentence."""
        return self._label(f"{self._task.about}/0#{path}")

    def value_at(self, entity: str, path: str) -> str:
        """Write what is believed of a column of an entity."""
        found = self._truth.fact_at(self._task.about, entity, path)
        return "" if found is None else self.value(*found)

    def ending(self, occasion: str, n_rows: int, name: str, label: str) -> Occasion:
        """Say with how many rows the search ends; none and one have words of their own."""
        number = {0: "_none", 1: "_one"}.get(n_rows, "")
        return f"{occasion}{number}", {"n": f"{n_rows:,}", "name": name, "label": label}

    def number(self, n: int) -> str:
        """Write a number of things."""
        return self._thoughts.number(n)

    def place(self, name: str, titles: Sequence[str]) -> str:
        """Say of whom something is looked for, and in which pages."""
        return self._thoughts.form("place", name=name, titles=self._thoughts.listed(titles))

    # what a page added

    def values(self, reading: Reading, news: News) -> None:
        """Note the values that were read for the answer, what pages disagree on, and what is only compared."""
        if self._thoughts.is_silent:
            return
        for fact in news.facts:
            known = self._beliefs.known(fact)
            if known is None or not self._is_asked(fact) or self._is_end(fact):
                continue
            name, label = self._of(fact)
            if not name:
                continue
            if fact in news.contested:
                if told := self.disagreement(fact, reading.source.title):
                    self.report.disagreements.append(told)
                continue
            stated = next((one for one in reading.statements if one.fact == fact and not one.relative_to), None)
            if stated is not None:
                value = self.value(fact, known, self._shown(fact, reading))
                self.report.learnt.append(Learnt(name, label, value, reading.source.title))
            elif other := next((one.relative_to for one in reading.statements if one.fact == fact), ""):
                self._note_derived(fact, other, reading.source.title)
        for fact, other in news.resolved:
            if self._is_asked(fact):
                self._note_derived(fact, other, "")
        self._note_confirmed(reading, news.confirmed)
        self._note_rows(news.facts)
        self._note_comparisons(reading)

    def _note_derived(self, fact: str, other: str, title: str) -> None:
        """Note a value that follows from another one and a comparison, read on the page of a title or before."""
        known, theirs = self._beliefs.known(fact), self._beliefs.known(other)
        (name, label), (of, _) = self._of(fact), self._of(other)
        if known is not None and theirs is not None and name and of:
            own, others = self.value(fact, known), self.value(other, theirs)
            self.report.learnt.append(Learnt(name, label, own, title, of, others))

    def _note_confirmed(self, reading: Reading, facts: Iterable[str]) -> None:
        for fact in facts:
            known, (name, label) = self._beliefs.known(fact), self._of(fact)
            if known is not None and name and self._is_asked(fact):
                value = self.value(fact, known, self._shown(fact, reading))
                self.report.agreements.append(Learnt(name, label, value, reading.source.title))

    def disagreement(self, fact: str, title: str) -> Disagreement | None:
        """Say what a page of a title says of a fact against what was read elsewhere: what stands, else the latest."""
        known, (name, label) = self._beliefs.known(fact), self._of(fact)
        sources = [(one, source) for one, source in self._beliefs.sources(fact) if not one.relative_to]
        said = next((one for one, source in reversed(sources) if source.title == title), None)
        if known is None or said is None or not name:
            return None
        others = [one for one, source in sources if source.title != title and one.value != said.value]
        if not others:
            return None
        other = next((one for one in others if one.value == known.value), others[-1])
        heard, stood = (self.value(fact, Known(one.value, one.written), one.shown) for one in (said, other))
        settled = self._how_settled(fact, said, other)
        return Disagreement(name, label, title, heard, stood, self.value(fact, known), settled)

    def _how_settled(self, fact: str, said: ReadStatement, other: ReadStatement) -> str:
        """Return the occasion that says by what one of two values stands, and whether it is the one just read."""
        rule, known = self._spec.web.settled_by, self._beliefs.known(fact)
        if rule is None or known is None:
            return "disagreement_without_rule"
        if rule == "majority" and self._beliefs.is_doubtful(fact):
            return "disagreement_open"
        if known.value not in (said.value, other.value):
            return "disagreement"
        lost = other if known.value == said.value else said
        if not self._beliefs.outweighs(fact, known.value, lost.value):
            return "disagreement"
        return f"{_GROUNDS[rule]}_{'changes' if known.value == said.value else 'keeps'}"

    def _note_rows(self, facts: Iterable[str]) -> None:
        """Note of how many rows of the answer something was read, of the entities that they are of."""
        relation = self._questions.goals[0].rows
        rows = dict.fromkeys(fact.partition("#")[0] for fact in facts if fact.startswith(f"{relation}/") and relation)
        for entity in dict.fromkeys(end for row in rows for end in self._beliefs.ends(row) if self._is_own(end)):
            n_rows = len(self._questions.rows(entity))
            if n_rows > self._n_rows.get(entity, 0):
                self._n_rows[entity] = n_rows
                label = self._label(f"{entity}#{ROWS}{relation}")
                self.report.rows[self._beliefs.names[entity]] = (label, n_rows)

    def _note_comparisons(self, reading: Reading) -> None:
        for one in reading.statements:
            other = one.relative_to.partition("#")[0]
            if not other or one.fact in self._compared or other not in self._beliefs.names:
                continue
            if self._beliefs.known(one.fact) is None and self._is_open(one.fact, one.relative_to):
                name, label = self._of(one.fact)
                if name:
                    self._compared.add(one.fact)
                    told = StatedComparison(name, label, reading.source.title, self._beliefs.names[other])
                    self._comparisons.append((one.fact, one.relative_to, told))

    def _is_open(self, fact: str, other: str) -> bool:
        """Return whether a fact that another one would tell is still asked for."""
        entity, _, column = other.partition("#")
        candidate = self._questions.own.get(fact.partition("#")[0])
        wanted = candidate is not None and other in candidate.wanted
        return wanted and column in self._questions.columns.get(entity, {})

    def absent(self, entity: str, column: str, title: str) -> None:
        """Note that a page was read to its end and does not give a value that was hoped for."""
        name, label = self._of(f"{entity}#{column}")
        if name:
            self.report.absences.append(Absence(name, label, title))

    # verdicts

    def verdicts(self) -> None:
        """Note the candidates that have turned out to meet a goal, or to fail."""
        turned, self._questions.turned = self._questions.turned, []
        if self._thoughts.is_silent:
            return
        for number, entity in dict.fromkeys(turned):
            holds, before = self._questions.candidates[number][entity].holds, self._told.get((number, entity))
            if holds is None or holds is before or entity not in self._beliefs.names:
                continue
            self._told[number, entity] = holds
            if number == 0:
                self._verdict(entity, holds=holds, again=before is not None)
            elif holds and before is None and self._questions.goals[number].terms:
                kinds = self._writer.several(self._questions.goals[number].about)
                names = self.report.on_the_way.setdefault(kinds, [])
                if (name := self._beliefs.names[entity]) not in names:
                    names.append(name)

    def _verdict(self, entity: str, *, holds: bool, again: bool) -> None:
        name, terms = self._beliefs.names[entity], self._questions.goals[0].terms
        for told in (self.report.confirmed, self.report.rejected):
            for one in [one for one in told if one.name == name]:  # turned again before it was told
                told.remove(one)
                if one.again:
                    return
                again = False
        if holds:
            if terms:
                reasons = list(self._truth.reasons(self._task.about, entity, terms, hold=True))[:_MOST_POINTS]
                self.report.confirmed.append(CandidateVerdict(name, tuple(self._points(entity, reasons)), again=again))
                if not self._questions.own[entity].n_cells and self._is_row_with_cells():
                    self.report.complete.append(name)
            return
        reasons = list(self._truth.reasons(self._task.about, entity, terms, hold=False))[:1]
        if entity in self._truth.given_up and not reasons:
            self.report.left_out.append(name)
            return
        wanted = next((self._wanted(one.condition, one.fact) for one in reasons if one.condition), "")
        self.report.rejected.append(CandidateVerdict(name, tuple(self._points(entity, reasons)), wanted, again))

    def _is_row_with_cells(self) -> bool:
        """Return whether an entity is a row of the answer, with further cells than its name."""
        goal = self._questions.goals[0]
        return bool(goal.columns) and not goal.rows

    def _points(self, entity: str, reasons: Iterable[Deciding]) -> Iterator[Point]:
        for one in reasons:
            owner, label = self._of(one.fact)
            if owner:
                own = one.fact.startswith(f"{entity}#")
                yield Point(label, self.value(one.fact, one.known), "" if own else owner)

    def _wanted(self, condition: Condition, fact: str) -> str:
        """Say what a condition asks of a value; empty where it compares with other rows or asks for none."""
        bound = self._with_unit(fact, condition.written)
        match condition.operator:
            case "=":
                return self._thoughts.form("equal", bound=bound)
            case "!=":
                return self._thoughts.form("unequal", bound=bound)
            case "between":
                upper = self._with_unit(fact, condition.upper_written)
                return self._thoughts.form("between", bound=bound, upper=upper)
            case "<" | "<=" | ">" | ">=" as sign:
                return self._thoughts.form(_BOUNDS[sign] + ("_time" if condition.kind in _TIMES else ""), bound=bound)
            case _:
                return ""

    # what is open

    def outlook(self, about: Iterable[str]) -> Outlook:
        """Return what is open: of the missing cells one of an entity that the next action is about, if there is one."""
        own = self._questions.own.values()
        untested = [one for one in own if one.holds is None]
        n_found = sum(one.holds is True for one in own)
        labels = Counter(self._label(fact) for one in untested for fact in list(one.wanted)[:1])
        condition = labels.most_common(1)[0][0] if labels else ""
        cells = [cell for one in own if one.holds and one.n_cells for cell in self._open_cells(one.entity)]
        named = [(fact, looked_for) for fact, looked_for in dict.fromkeys(cells) if self._of(fact)[0]]
        if named:
            entities = set(about)
            near = (fact for fact, looked_for in named if looked_for.partition("#")[0] in entities)
            name, label = self._of(next(near, named[0][0]))
            return Outlook(n_found, len(untested), condition, len(cells), name, label)
        is_whole = not any(one.holds and one.wanted for one in own)
        return Outlook(n_found, len(untested), condition, is_whole=is_whole)

    def _open_cells(self, entity: str) -> Iterator[tuple[str, str]]:
        """Yield the facts that lack for cells, each with the one to be looked for, which may be of another entity."""
        for row in self._questions.rows(entity):
            for path in self._questions.goals[0].columns:
                known, missing = self._truth.value(self._questions.goals[0].table, row, path)
                if known is None and missing:
                    yield self._unknown_fact(row, path), missing[0]

    def missing(self) -> tuple[str, str]:
        """Return the name and the label of a cell of which nothing was read; both are empty if there is none."""
        for one in self._questions.own.values():
            for row in self._questions.rows(one.entity) if one.holds and one.n_cells else ():
                for path in self._questions.goals[0].columns:
                    if self._truth.value(self._questions.goals[0].table, row, path)[0] is None:
                        name, label = self._of(self._unknown_fact(row, path))
                        if name:
                            return name, label
        return "", ""

    def _unknown_fact(self, row: str, path: str) -> str:
        """Return the first fact on a path from a row of which nothing was read."""
        table, steps = self._questions.goals[0].table, path.split(".")
        for step in steps[:-1]:
            known, _ = self._truth.value(table, row, step)
            if known is None or str(known.value).partition("/")[0] not in self._spec.types:
                return f"{row}#{step}"
            row = str(known.value)
            table = row.partition("/")[0]
        return f"{row}#{steps[-1]}"

    def wanted(self, entities: Sequence[str]) -> str:
        """Return the label of what is open on each of some entities; empty where it is not the same."""
        labels = {self._label(f"{one}#{column}") for one in entities for column in self._open_columns(one)[:1]}
        alone = all(len(self._open_columns(one)) == 1 for one in entities)
        return labels.pop() if len(labels) == 1 and alone else ""

    def doubts(self, entities: Iterable[str]) -> bool:
        """Return whether all that is open on entities are values on which pages disagree."""
        open_facts = [f"{one}#{column}" for one in entities for column in self._open_columns(one)]
        return all(self._beliefs.is_doubtful(fact) for fact in open_facts)

    def _open_columns(self, entity: str) -> list[str]:
        return list(self._questions.columns.get(entity, ()))

    # words of facts

    def told_of(self, fact: str, stated: ReadStatement | None = None) -> dict[str, str]:
        """Return name and label of a fact, with a statement its value too, by these words; empty without a name."""
        name, label = self._of(fact)
        told = {"name": name, "label": label} if name else {}
        if told and stated is not None:
            told["value"] = self.value(fact, Known(stated.value, stated.written), stated.shown)
        return told

    def value(self, fact: str, known: Known, shown: str = "") -> str:
        """Write a value as the page does that shows it so, with the table's form where they differ."""
        if (name := self._beliefs.names.get(str(known.value))) is not None:
            return name if shown in ("", name) else self._thoughts.form("as_given", value=name, shown=shown)
        if not shown or _is_same(shown, known.written):
            return self._with_unit(fact, shown or known.written)
        if _in_words(known.value, shown):
            return shown.lower()
        return self._thoughts.form("as_given", value=self._with_unit(fact, known.written), shown=shown)

    def _with_unit(self, fact: str, written: str) -> str:
        """Write a number with the unit of its column, and a year in Chinese with its sign."""
        row, _, path = fact.partition("#")
        table = row.partition("/")[0]
        column = path.rpartition(".")[2]
        for step in path.split(".")[:-1]:
            table = references_of(self._spec, table)[step]
        is_year = self._writer.label(table, column).endswith(_YEARS)
        column = table_column(column)
        unit = unit_of(self._spec, table, column) or ("年" if is_year else "")
        if unit and written[-1:].isdigit():
            return self._thoughts.form("unit_sign" if unit == "%" else "unit", value=written, unit=unit)
        return written

    def _shown(self, fact: str, reading: Reading) -> str:
        return next((one.shown for one in reversed(reading.statements) if one.fact == fact and one.shown), "")

    def _label(self, fact: str) -> str:
        row, _, column = fact.partition("#")
        table = row.partition("/")[0]
        if self._is_end(fact):
            return label_of(self._spec, references_of(self._spec, table)[column])
        if is_of_site(column):
            return self._label_of_site(column)
        return _within_a_sentence(self._writer.label(table, column))

    def _label_of_site(self, column: str) -> str:
        """Name a figure with the site that gives it, in brackets where a label would have it behind: `seats (Inns)`."""
        asked = next((one.label for one in self._task.columns if one.path == column), column)
        return _ACCORDING.sub(r" (\1)", _within_a_sentence(_UNIT.sub("", asked)))

    def _is_end(self, fact: str) -> bool:
        """Return whether a fact is an end of a relation's row, which the row is called by."""
        row, _, column = fact.partition("#")
        return row.partition("/")[0] in self._spec.relations and column in ("source", "target")

    def _of(self, fact: str) -> tuple[str, str]:
        """Return whose a fact is, and under which label; the name is empty where it was not seen."""
        row = fact.partition("#")[0]
        if row in self._beliefs.names:
            return self._beliefs.names[row], self._label(fact)
        ends = self._beliefs.ends(row) if row.partition("/")[0] in self._spec.relations else []
        names = [self._beliefs.names[end] for end in ends if end in self._beliefs.names]
        if not names:
            return "", ""
        own = [end for end in ends if end in self._questions.own] or ends
        name = self._beliefs.names[own[0]]
        others = [one for one in names if one != name]
        return (self._thoughts.form("row", name=name, other=others[0]) if others else name), self._label(fact)

    def _is_asked(self, fact: str) -> bool:
        """Return whether a fact is a cell of a row of the answer, or leads to one."""
        row, _, column = fact.partition("#")
        table = row.partition("/")[0]
        if (table, column) not in self._paths:
            return False
        if table == self._questions.goals[0].rows:
            return any(self._is_own(end) for end in self._beliefs.ends(row))
        return self._is_own(row) or any(self._is_own(one) for one in self._questions.watchers(row))

    def _is_own(self, entity: str) -> bool:
        candidate = self._questions.own.get(entity)
        return candidate is not None and candidate.holds is True

    def _steps(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the table and column of each step of a path from what gives rows of the answer."""
        table = self._questions.goals[0].table
        for step in path.split("."):
            yield table, step
            table = references_of(self._spec, table).get(step, table)

    def _new_report(self) -> Report:
        shape = self._task.shape
        return Report(self._writer.several(self._task.about), bool(shape.limit or shape.group or shape.rows))


def _within_a_sentence(label: str) -> str:
    """Write the head of a column as it stands within a sentence: `host town`, `start` for `Since`; `DNA` stays."""
    if noun := _NOUNS.get(label.lower()):
        return noun
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def _in_words(value: object, shown: str) -> bool:
    """Return whether a page writes a whole number as a word: `seven`, `third`."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    ordinal = ordinal_in_words(value) if value > 0 else ""
    return shown.lower() in (number_in_words(value), ordinal)


def _is_same(shown: str, written: str) -> bool:
    """Return whether two ways of writing a value are one, or the same number."""
    if shown == written:
        return True
    read = [read_value(text, "number") for text in (shown, written)]
    return isinstance(read[0], float) and read[0] == read[1]
