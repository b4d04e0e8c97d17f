"""Turns a candidate into a task: question, query, and the facts of its answer and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from worldforge.builders.tasks.condition_masks import ConditionMasks
from worldforge.builders.tasks.condition_sampling import distinct
from worldforge.builders.tasks.conflict_rule_text import settling_sentence
from worldforge.builders.tasks.gold_sql import gold_query
from worldforge.builders.tasks.group_columns import group_facts, labelled, places_of
from worldforge.builders.tasks.question_languages import QuestionLanguage, language_of
from worldforge.builders.tasks.question_names import QuestionNames
from worldforge.builders.tasks.splits import SplitSides
from worldforge.builders.tasks.task_family import asked_relations, load_family
from worldforge.builders.tasks.task_sampling import Candidate, TaskSampler
from worldforge.builders.tasks.type_views import TypeView
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.builders.tasks.widesearch_files import evaluation_of
from worldforge.core.chance import Stream
from worldforge.core.imports import load
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.task_section import TaskFamily
from worldforge.world.evidence import Evidence
from worldforge.world.question_labels import Question
from worldforge.world.stable_ids import entity_id
from worldforge.world.task import Task, TaskColumn
from worldforge.world.task_terms import Shape, Term, n_hops

DRAWS_A_TASK = 600
"""Candidates drawn for a wanted task before the stage gives up; few fit where pages state little or sides are split."""
DRAWS_IN_VAIN = 6000
"""Candidates drawn since the last that was kept before the stage gives up: ten times what a hard task takes."""
_ASK = "questions.ask"


class TaskMaker:
    """Draws and words tasks over the tables of one world."""

    def __init__(
        self,
        spec: WorldSpec,
        tables: Mapping[str, pa.Table],
        evidence: Evidence,
        addressed: QuestionNames,
        code_from: Path | None,
    ) -> None:
        self.spec, self.tables, self._addressed = spec, tables, addressed
        self._families = {name: load_family(family.family, code_from) for name, family in spec.tasks.items()}
        self._rules = {language: settling_sentence(spec, code_from, language) for language in spec.languages}
        tabled = (*spec.types, *asked_relations(spec))
        self.columns: dict[str, dict[str, ColumnInfo]] = {name: columns_of(spec, name, code_from) for name in tabled}
        self.masks = ConditionMasks(tables, self.columns, list(spec.relations), evidence)
        self.words = vocabularies(spec, tables, tabled, code_from)
        self.views = {name: TypeView(name, tables, self.columns, evidence) for name in spec.types}
        self._sides = SplitSides(spec, spec.split, tables) if spec.split is not None else None
        self.tongues = {language: QuestionLanguage(spec, language, code_from) for language in spec.languages}

    def tasks(self, name: str, family: TaskFamily, side: str = "") -> Iterator[Task]:
        """Draw and word the tasks of a family, no two with the same conditions; their gold is still to be derived.

        `side` is what the split's entities of these tasks are for, where the spec splits them.
        """
        found = self.candidates(name, family, side)
        return (self.worded(name, family, candidate, side) for candidate in found)

    def candidates(self, name: str, family: TaskFamily, side: str = "") -> Iterator[Candidate]:
        """Draw candidates of a family, no two with the same conditions; with a `side`, those on it alone."""
        stream = Stream(self.spec.seed).child("tasks", name)
        first = self.spec.languages[0]
        capitals = {key: label[:1].upper() + label[1:] for key, label in self.tongues[first].labels.items()}
        poser = TaskSampler(
            self.views, self.masks, self.words[first], capitals, family, self._families[name], stream, first
        )
        seen: set[tuple[str, frozenset[Term], Shape]] = set()
        last = 0
        for number in range(family.count * DRAWS_A_TASK):
            if number - last > DRAWS_IN_VAIN:
                return
            candidate = poser.candidate(number)
            if candidate is not None and side and self._side(candidate) != side:
                continue
            if candidate is not None and candidate.shape.group:
                labels = [column.label for column in self._grouped(family, candidate)]
                if not all(labels) or not distinct(labels):
                    continue  # in the first language it could be said
            if candidate is not None and (key := _asked(candidate)) not in seen:
                seen.add(key)
                last = number
                yield candidate

    def _grouped(self, family: TaskFamily, candidate: Candidate) -> tuple[TaskColumn, ...]:
        """Call the columns of a grouped answer as the question's language does."""
        language = language_of(self.spec, family, candidate.number)
        return labelled(language, self.words[language][candidate.about], candidate.columns)

    def _side(self, candidate: Candidate) -> str:
        assert self._sides is not None
        side = self._sides.side(candidate.about, candidate.rows, candidate.terms)
        group = candidate.shape.group
        referred = self.columns[candidate.about][group].references if group else None
        if referred is None:
            return side
        rows = np.unique(self.masks.targets(candidate.about, group)[candidate.rows])
        return side if self._sides.side(referred, rows, ()) == side else ""

    def worded(self, name: str, family: TaskFamily, candidate: Candidate, side: str = "") -> Task:
        """Word a candidate; its gold is still to be derived."""
        about, shape = candidate.about, candidate.shape
        tongue = self.tongues[language_of(self.spec, family, candidate.number)]
        terms = tongue.said(candidate.terms)
        words = self.words[tongue.language]
        columns = self._grouped(family, candidate) if shape.group else tongue.asked(about, candidate.columns)
        called = Stream(self.spec.seed).child("tasks", name, candidate.number, "called")
        terms = self._addressed.said(terms, tongue.language, called)
        labels = [column.label for column in columns]
        question = Question(
            tongue.language,
            self._families[name].frames_in(tongue.language),
            about,
            terms,
            shape,
            tuple(labels),
            self._places(about, columns),
        )
        stream = Stream(self.spec.seed).child("tasks", name, candidate.number, "wording")
        n_met, n_near = self.masks.n_meeting(about, candidate.terms)
        return Task(
            id=f"task/{name}-{candidate.number:04d}",
            family=family.family,
            about=about,
            language=tongue.language,
            wording=load(_ASK)(stream, words, question) + self._rules[tongue.language],
            query=gold_query(self.spec, about, terms, columns, shape),
            conditions=terms,
            columns=columns,
            keys=(labels[0],),
            evaluation=evaluation_of(columns, labels[:1], ordered=shape.limit > 0),
            gold=(),
            facts=self._facts(candidate),
            evidence=candidate.evidence,
            n_hops=n_hops(candidate.terms),
            shape=shape,
            side=side,
            distractor_ratio=round(n_near / max(1, n_met), 6),
        )

    def _places(self, about: str, columns: Sequence[TaskColumn]) -> tuple[int, ...]:
        """Say of each column of an answer to how many decimals it is rounded, 0 for not at all."""
        own = (self.columns[about].get(column.path) for column in columns)
        return tuple(n or (one.places if one else 0) for n, one in zip(places_of(columns), own, strict=True))

    def _facts(self, candidate: Candidate) -> tuple[tuple[str, ...], ...]:
        about, rows, group = candidate.about, candidate.rows, candidate.shape.group
        if group:
            return group_facts(self.masks, about, group, candidate.columns, rows)
        paths = [column.path for column in candidate.columns]
        return tuple(tuple(f"{entity_id(about, row)}#{path}" for path in paths) for row in rows.tolist())


def _asked(candidate: Candidate) -> tuple[str, frozenset[Term], Shape]:
    """Say what a candidate asks, in whichever order."""
    return candidate.about, frozenset(candidate.terms), candidate.shape
