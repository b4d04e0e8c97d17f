"""Give the pages of an outline their phrasebooks: the world's wordings, and what those compute from the tables."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.known_days import ALWAYS, KnownDays
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.relative_facts import with_relative_facts
from worldforge.builders.pages.rendered_values import ColumnVersion, RenderedColumn, RenderedTable
from worldforge.builders.pages.site_labels import label_turns
from worldforge.core.arrays import Integers
from worldforge.schema.column_paths import derived_columns, drawn_columns
from worldforge.schema.expression_sql import select_sql
from worldforge.schema.expressions import compile_expression
from worldforge.schema.phrasebook import Book
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.database import connect
from worldforge.world.name_marks import with_name_marks
from worldforge.world.phrases import ComputedExpression, expressions_of, phrases_of
from worldforge.world.table_files import TRUE_STANCES

_FACTLESS = 0.02
"""The greatest share of a world's pages that one sentence without facts stands on."""
NEVER = np.iinfo(np.int64).max
"""The day of what is not to be stated."""


def with_phrases(outline: Outline, tables: Mapping[str, pa.Table]) -> Outline:
    """Add the phrasebooks of the spec, where it has any; `tables` are the world's."""
    spec = outline.spec
    if not spec.books:
        return outline
    outline, worded, counts = _with_worded_values(outline)
    stances = outline.written.stances.to_pylist()
    untrue = frozenset(code for code, stance in enumerate(stances) if stance not in TRUE_STANCES)
    restated = frozenset(worded.values())
    spacing = _spacing(outline)
    phrases = {
        language: replace(
            phrases_of(with_name_marks(book, spec), spec.seed),
            computed=_computed(spec, book, tables, outline.written.tables),
            untrue=untrue,
            worded=worded,
            restated=restated,
            spelled=counts if language == "en" else frozenset(),
            spacing=spacing,
        )
        for language in spec.languages
        if (book := spec.books.get(language)) is not None
    }
    known = KnownDays(spec, tables)
    row_asides = {name: _row_asides(outline, name) for name in outline.row_known}
    outline = replace(outline, phrases=phrases, asides=_asides(outline, known), row_asides=row_asides)
    outline = with_relative_facts(outline, tables, known.today)
    return replace(outline, turns=label_turns(outline))


def _spacing(outline: Outline) -> dict[str, int]:
    """Return, by type and relation, on one in how many of the pages about it a sentence without facts may stand."""
    n_pages: Counter[str] = Counter()
    for kind in outline.kinds:
        if not kind.layout.tabular:
            n_pages.update({name: len(kind) for name in (kind.kind.about, kind.kind.rows) if name})
    return {name: math.ceil(n / (_FACTLESS * len(outline))) for name, n in n_pages.items() if n}


def _with_worded_values(outline: Outline) -> tuple[Outline, dict[int, int], frozenset[int]]:
    """Add a version of each column whose values sentences may write as words: `no pupils`, `three`, `third`.

    Return the codes of these versions, by the code of the column, and the codes of counts, whose small numbers English
    writes as words.
    """
    columns = {column for own in outline.spec.value_wordings.values() for column in own}
    versions: list[ColumnVersion] = []
    worded: dict[int, int] = {}
    counts = set()
    for table_name, table in outline.written.tables.items():
        for key, column in table.columns.items():
            is_number = _is_number(column.column)
            if is_number or f"{table_name}.{key}" in columns:
                cells = outline.written.values(column.code, np.arange(table.n_rows))
                if is_number and column.column.is_amount and not pc.any(pc.starts_with(cells, "-")).as_py():
                    counts.add(column.code)  # no differences, such as -3
                code = outline.written.n_codes + len(versions)
                versions.append(ColumnVersion(column.code, cells, "restated"))
                in_languages = [kind.page_language.codes.get(column.code) for kind in outline.kinds]
                worded |= {one: code for one in (column.code, *in_languages) if one is not None}
    if versions:
        outline = replace(outline, written=outline.written.with_versions(versions))
    return outline, worded, frozenset(counts)


def _is_number(column: ColumnInfo) -> bool:
    """Return whether a column holds whole numbers without a unit: counts, ranks and the like."""
    return column.kind == "integer" and column.references is None and not column.unit


def _computed(
    spec: WorldSpec, book: Book, tables: Mapping[str, pa.Table], written: Mapping[str, RenderedTable]
) -> dict[tuple[str, str], ComputedExpression]:
    """Evaluate the expressions of a book in every row of their tables."""
    texts: dict[str, list[str]] = {}
    for table, text in dict.fromkeys(expressions_of(book)):
        texts.setdefault(table, []).append(text)
    found = {}
    connection, today = connect(tables), spec.as_of[:4]
    for table, own in texts.items():
        outputs = {f"_{number}": compile_expression(text, table, spec) for number, text in enumerate(own)}
        values = connection.sql(select_sql(spec, table, outputs)).to_arrow_table()
        times = {key for key, one in written[table].columns.items() if one.column.kind in ("year", "date")}
        for text, (name, expression) in zip(own, outputs.items(), strict=True):
            reads = frozenset(path[0] for path in expression.paths)
            of_today = re.search(rf"\b{today}\b", text) is not None
            found[table, text] = ComputedExpression(
                reads, values[name].to_pylist(), not reads.isdisjoint(times), of_today
            )
    return found


def _asides(outline: Outline, known: KnownDays) -> dict[str, dict[str, Integers]]:
    """Return since when pages about other entities may state cells: of columns that never change.

    What any page is to get wrong, or tells as it was before, they leave alone.
    """
    found: dict[str, dict[str, Integers]] = {}
    for name in (*outline.spec.types, *outline.spec.relations):
        drawn, table = drawn_columns(outline.spec, name), outline.written.tables[name]
        derived = {*derived_columns(outline.spec, name)}
        fixed = {key for key, column in drawn.items() if not column.varies} | derived
        fixed -= {key for key, column in table.columns.items() if column.column.address}
        fixed |= {"source", "target"} if name in outline.spec.relations else set()
        found[name] = {
            key: np.where(
                _disputed(outline, column, table.n_rows),
                NEVER,
                np.maximum(
                    _complete(known.of(name, key)) if key in derived else known.of(name, key), known.begun(name)
                ),
            )
            for key, column in table.columns.items()
            if key in fixed
        }
    return found


def _complete(days: Integers) -> Integers:
    """Let a cell that is computed from no rows wait for the last row of all: until then there may be one for it."""
    return np.where(days == ALWAYS, days.max(initial=ALWAYS), days)


def _row_asides(outline: Outline, name: str) -> dict[str, Integers]:
    """Return since when pages about other rows of a relation may state its cells, as `_asides` does of types."""
    table, drawn = outline.written.tables[name], drawn_columns(outline.spec, name)
    return {
        key: np.where(_disputed(outline, table.columns[key], table.n_rows), NEVER, since)
        for key, since in outline.row_known[name].items()
        if key not in drawn or not drawn[key].varies
    }


def _disputed(outline: Outline, column: RenderedColumn, n_rows: int) -> npt.NDArray[np.bool_]:
    """Say of which cells of a column some page says something else than the table."""
    found = np.zeros(n_rows, np.bool_)
    for (_, _, code), override in outline.overrides.columns.items():
        if code == column.code:
            found |= (override.codes >= 0) & (override.codes != code)
    return found
