"""A searcher that works for a lead: it knows its sub-question and what it has observed, and answers with a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import FinalAnswer
from worldforge.environments.search.searcher.leads import Lead
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.searcher import PAGES_AT_ONCE, ScriptedSearcher
from worldforge.environments.search.searcher.sub_questions import SubQuestion, TeamWordings, checkable
from worldforge.environments.search.searcher.sub_reports import SubReport, write_sub_report
from worldforge.environments.search.searcher.thoughts import Occasion, Thoughts, quoted
from worldforge.schema.spec import WorldSpec
from worldforge.world.task_terms import leaves


class SubSearcher(ScriptedSearcher):
    """Searches for what one sub-question asks of the entities that it names, or reads the pages that it names."""

    def __init__(
        self,
        spec: WorldSpec,
        question: SubQuestion,
        reader: PageReader,
        dialect: Dialect,
        thoughts: Thoughts,
        wordings: TeamWordings,
    ) -> None:
        super().__init__(spec, question.task, reader, dialect, thoughts)
        self._wordings, self._terms = wordings, checkable(question.task.conditions)
        self._n_openings = 1  # it begins with the names or pages that it was given
        self._pages = {url.partition("?")[0] for url, _ in question.pages}
        if not question.pages:
            self._look_by_name()
        for url, title in question.pages:
            self._leads.hear(url, title, relevance=1.0)

    def _best_pages(self) -> list[tuple[float, Lead]]:
        """Return the best pages; of the lists that are to be read, whatever they name."""
        if not self._pages:
            return super()._best_pages()
        lists = [(worth, lead) for worth, lead in self._leads.lists() if lead.list in self._pages]
        return sorted(lists, key=lambda one: -one[0])[:PAGES_AT_ONCE]

    def _best_queries(self) -> list[tuple[float, str, str]]:
        return [] if self._pages else super()._best_queries()

    def _final(self, end: str) -> FinalAnswer:
        """Report what is believed of each entity on the list."""
        names, verdicts = self.beliefs.names, {entity: one.holds for entity, one in self.questions.own.items()}
        found, others = self.questions.qualified(), self._others()
        self._truth.closed = True
        report = SubReport(len(self._pages) or len(verdicts), tuple(self._task.labels), is_whole=end != "out_of_calls")
        report.of_pages = bool(self._pages)
        report.rows = [self._row(row) for entity in found for row in self.questions.rows(entity)]
        for entity, held in verdicts.items():
            if entity not in found:
                (report.unsettled if held is None else report.not_counting).append(names[entity])
        if self._task.shape.rows:
            report.unsettled += [names[entity] for entity in found if not self.questions.rows(entity)]
        report.others, report.sources = others, self._sources(found)
        thought = self._reporter.word_last(self._why_report(end, len(found)), refused=end == "out_of_calls")
        return FinalAnswer(write_sub_report(report, self._wordings), thought)

    def _row(self, row: str) -> tuple[str, ...]:
        return tuple(self._answer.cell(row, column.path) for column in self._task.columns)

    def _why_report(self, end: str, n_found: int) -> Occasion:
        if end == "out_of_calls":
            return "report_cut_short", {}
        part = "report_none" if not n_found else "report_one" if n_found == 1 else "report_several"
        return part, {"n": self._wordings.number(n_found), "kinds": self._writer.several(self._task.about)}

    def _others(self) -> list[str]:
        """Return the names of those that were not asked for and meet the conditions, of what was read in passing."""
        if not self._terms or self._pages:
            return []
        about, given = self._task.about, self.questions.own
        others = [entity for entity in self.beliefs.of_type[about] if entity not in given]
        return [
            self.beliefs.names[entity]
            for entity in others
            if self._truth.all_hold(about, entity, self._terms).holds and self.beliefs.names[entity] not in self._given
        ]

    @property
    def _given(self) -> set[str]:
        return {self.beliefs.names[entity] for entity in self.questions.own}

    def _sources(self, found: Sequence[str]) -> list[str]:
        """Return the titles of the pages that state what is reported, in the order of the rows."""
        facts = (fact for entity in found for row in self.questions.rows(entity) for fact in self._facts(entity, row))
        titles = dict.fromkeys(title for fact in facts if (title := self._source(fact)))
        return [quoted(title, self._task.language) for title in titles]

    def _facts(self, entity: str, row: str) -> Iterator[str]:
        """Yield the facts of an entity and of one of its rows that the report rests on."""
        yield from (f"{entity}#{one.path.partition('.')[0]}" for one in leaves(self._terms))
        yield from (f"{row}#{path.partition('.')[0]}" for path in self.questions.goals[0].columns)

    def _source(self, fact: str) -> str:
        known = self.beliefs.known(fact)
        stated = self.beliefs.sources(fact) if known is not None else []
        fit = (source.title for one, source in stated if known and (one.relative_to or one.value == known.value))
        return next(fit, "")
