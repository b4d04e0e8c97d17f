"""The words of a question in a language: labels of columns, values and names in its conditions, the rule for conflicts.

Gold tables are canonical, in any language (dates as ISO 8601 writes them, plain numbers, entities by their names), but
for what a language has words of its own for: 是 and 否 in Chinese, and options in a language other than the tables'.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.outline import page_form
from worldforge.builders.pages.page_urls import SiteAddress, site_names, sites_of
from worldforge.builders.tasks.gold_sql import referred_type
from worldforge.builders.tasks.path_labels import PathLabels
from worldforge.core.chance import Stream
from worldforge.core.columns import ValueKind
from worldforge.core.imports import load
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import columns_of
from worldforge.schema.task_section import TaskFamily
from worldforge.schema.translations import labels_in_language, options_in
from worldforge.schema.web_section import OWN_SITE, authority_of
from worldforge.world.parquet_reader import Table, parts
from worldforge.world.site_figures import parted
from worldforge.world.task import Task, TaskColumn
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, RelatedTerm, Term, Terms
from worldforge.world.value_text import as_written

_HAN = re.compile(r"[\u3400-\u9fff]")
_YES_NO: dict[str, dict[str, str]] = {"en": {}, "zh": {"yes": "是", "no": "否"}}
_SETTLED, _BY_SITE, _ACCORDING = "questions.settled", "questions.by_site", "questions.according_to"
Cells = tuple[tuple[str | None, ...], ...]
Aliases = Mapping[str, Sequence[str]]
"""By id, what else an entity is called."""


def language_of(spec: WorldSpec, family: TaskFamily, number: int) -> Language:
    """Return what candidate `number` of a family is worded in."""
    if family.language == "both":
        return spec.languages[number % len(spec.languages)]
    return family.language or spec.languages[0]


def gold_in_words(spec: WorldSpec, task: Task, rows: Cells) -> Cells:
    """Write canonical cells as the answer to a task in its language has them."""
    options = options_in(spec, task.language)  # type: ignore[arg-type]
    maps = [
        _YES_NO[task.language] if column.kind == "boolean" else options if _is_option(spec, task, column) else {}
        for column in task.columns
    ]
    if not any(maps):
        return rows
    return tuple(
        tuple(None if cell is None else m.get(cell, cell) for cell, m in zip(row, maps, strict=True)) for row in rows
    )


def _is_option(spec: WorldSpec, task: Task, column: TaskColumn) -> bool:
    steps = column.path.split(".")
    return column.kind == "text" and steps[-1] != "name" and referred_type(spec, task.table, steps) is None


class QuestionLanguage:
    """The labels of a world's types, columns, values and entities in a language."""

    def __init__(self, spec: WorldSpec, language: Language, aliases: Aliases, code_from: Path | None) -> None:
        self.language, self.rule = language, settling_sentence(spec, code_from, language)
        translated = labels_in_language(spec, language)
        tables = (*translated.types, *translated.relations)
        columns = {name: columns_of(translated, name, code_from) for name in tables}
        self._sites = _sites_by_key(spec, code_from, language)
        self._labels = PathLabels(translated, columns, language, _according_to(self._sites, language))
        self._options, self._aliases = options_in(spec, language), aliases
        self._used = {name: kind.name.aliases.used for name, kind in spec.types.items() if kind.name.aliases}

    def label_columns(self, table: str, columns: Sequence[TaskColumn]) -> tuple[TaskColumn, ...]:
        """Label the columns of an answer in the language: `成立年份`, `面积（平方公里）`."""
        return tuple(replace(column, label=self._labels.of(table, column.path)) for column in columns)

    def about_sites(self, columns: Sequence[TaskColumn], stream: Stream) -> str:
        """Return the sentence that explains columns named after sites, with their hosts; empty if there are none."""
        named = dict.fromkeys(site for one in columns if (site := parted(one.path.rpartition(".")[2])[1]))
        if not named:
            return ""
        addresses = [(self._sites[site].title, self._sites[site].host) for site in named if site != OWN_SITE]
        sentence: str = load(_BY_SITE)(stream, self.language, addresses)
        return sentence if self.language == "zh" else f" {sentence}"

    def localize(self, terms: Sequence[Term], stream: Stream) -> Terms:
        """Write the values of conditions in the language, and some entities by an alias, as chance has it."""

        def change(term: Condition, path: tuple[int, ...]) -> Condition:
            upper = self._written(term.upper, term.upper_written, term.kind)
            term = replace(term, written=self._written(term.value, term.written, term.kind), upper_written=upper)
            return self._with_alias(term, stream.child(*path)) if term.value in self._aliases else term

        return map_conditions(terms, change)

    def _with_alias(self, term: Condition, stream: Stream) -> Condition:
        """Write an entity by one of its aliases, as often as its type asks for."""
        first, which = np.zeros(1, np.int64), self._aliases[term.value]
        if stream.uniform(first)[0] >= self._used[term.value.partition("/")[0]]:
            return term
        return replace(term, written=which[int(stream.child("which").integers(first, 0, len(which) - 1)[0])])

    def _written(self, value: str, written: str, kind: ValueKind) -> str:
        if kind == "text":
            return self._options.get(written, written)
        if kind == "boolean":
            return _YES_NO[self.language].get(written, written)
        if kind != "date" or self.language == "en" or not value:
            return written
        return str(as_written(pa.array([datetime.date.fromisoformat(value)]), "date", self.language)[0].as_py())


def map_conditions(
    terms: Sequence[Term], change: Callable[[Condition, tuple[int, ...]], Condition], path: tuple[int, ...] = ()
) -> Terms:
    """Replace each condition, however deep it lies, by `change(condition, path)`; a path is unique to its condition."""
    return tuple(_mapped(term, change, (*path, place)) for place, term in enumerate(terms))


def _mapped(term: Term, change: Callable[[Condition, tuple[int, ...]], Condition], path: tuple[int, ...]) -> Term:
    match term:
        case Condition():
            return change(term, path)
        case AnyOf() | NoneOf():
            inner = (map_conditions(part, change, (*path, place)) for place, part in enumerate(term.parts))
            return replace(term, parts=tuple(inner))
        case RelatedTerm() | DescribedTerm():
            return replace(term, where=map_conditions(term.where, change, path))
        case _:
            return term


def aliases_by_language(spec: WorldSpec, tables: Mapping[str, pa.Table], mentions: Table) -> dict[Language, Aliases]:
    """Return for each language the aliases in its script of entities whose names are in another.

    An alias counts only if some page calls the entity by it: a reader of the web can know who is meant.
    """
    found: dict[Language, dict[str, list[str]]] = {language: {} for language in spec.languages}
    aliased = [name for name, kind in spec.types.items() if kind.name.aliases]
    if len(spec.languages) < 2 or not aliased:
        return {**found}
    pairs = set[tuple[str, str]]()
    for part in parts(mentions, ["fact", "value", "stance"]):
        called = part.filter(pc.and_(pc.equal(part["stance"], "alias"), pc.ends_with(part["fact"], "#name")))
        pairs.update(zip(called["fact"].to_pylist(), called["value"].to_pylist(), strict=True))
    for type_name in aliased:
        known = tables[type_name].select(["id", "name", "aliases"])
        known = known.filter(pc.greater(pc.list_value_length(known["aliases"]), 0))
        for id_, name, aliases in zip(*(known[column].to_pylist() for column in known.column_names), strict=True):
            language: Language = "en" if _HAN.search(name) else "zh"
            fit = [a for a in aliases if bool(_HAN.search(a)) == (language == "zh") and (f"{id_}#name", a) in pairs]
            if fit and language in found:
                found[language][id_] = fit
    return {**found}


def settling_sentence(spec: WorldSpec, code_from: Path | None, language: Language | None = None) -> str:
    """Return the sentence on conflicts between pages that every question of a language ends with.

    Empty where there is no rule. The default is the first of the world's languages.
    """
    rule = spec.web.settled_by
    if rule is None:
        return ""
    language = language or spec.languages[0]
    sites = _sites(spec, code_from, language) if rule == "authority" else ()
    sentence: str = load(_SETTLED)(language, rule, sites)
    return sentence if language == "zh" else f" {sentence}"


def _sites_by_key(spec: WorldSpec, code_from: Path | None, language: Language) -> dict[str, SiteAddress]:
    """Return title and host of each site of the spec, by its key."""
    layouts = {key: page_form(kind, code_from)[0] for key, kind in spec.pages.items()}
    addresses = sites_of(spec, layouts)
    of_language = sorted(spec.pages, key=lambda key: (spec.pages[key].language or spec.languages[0]) == language)
    return {site: addresses[key] for key in of_language if (site := spec.pages[key].site) is not None}


def _according_to(sites: Mapping[str, SiteAddress], language: Language) -> dict[str, str]:
    """Return by site key how a label names the site of a figure: `{} according to The Sarn Herald`."""
    titles = {OWN_SITE: ""} | {key: site.title for key, site in sites.items()}
    return {key: load(_ACCORDING)(language, title) for key, title in titles.items()}


def _sites(spec: WorldSpec, code_from: Path | None, language: Language) -> list[list[str]]:
    """Name the sites by authority, the highest first; sites of equal authority together."""
    layouts = {key: page_form(kind, code_from)[0] for key, kind in spec.pages.items()}
    names = site_names(spec, layouts, language)
    levels: dict[float, dict[str, None]] = {}
    for key in spec.pages:
        levels.setdefault(authority_of(spec, key), {})[names[key]] = None
    return [list(levels[authority]) for authority in sorted(levels, reverse=True)]
