"""What sites write in styles of their own: versions of columns, their units, and rates of exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.rendered_values import ColumnVersion, RenderedColumn, RenderedTables
from worldforge.core.arrays import Integers
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import ColumnInfo
from worldforge.schema.web_section import Style
from worldforge.world.unit_conversion import called_in, exact, in_style, money_in
from worldforge.world.value_formats import form_of, number_in, style_of, write_in

_MEASURED = ("integer", "number")


def in_styles(spec: WorldSpec, written: RenderedTables, tables: Mapping[str, pa.Table]) -> RenderedTables:
    """Add a version of every column for each style in which a site writes it otherwise; `tables` as populated."""
    versions: list[ColumnVersion] = []
    styled: dict[tuple[Style, int], int] = {}
    for style in dict.fromkeys(style_of(spec, key) for key in spec.pages):
        for table, own in _columns(written):
            cells = _restated(spec, style, written, own, tables[table])
            if cells is not None:
                styled[style, own.code] = written.n_codes + len(versions)
                versions.append(ColumnVersion(own.code, cells, "restated"))
    return replace(written.with_versions(versions), styled=styled) if versions else written


def codes_on(written: RenderedTables, style: Style, code: int, rows: Integers) -> int | Integers:
    """Return the codes of a column's cells in `rows` on pages of a style: the column's, where nothing is restated."""
    version = written.styled.get((style, code))
    if version is None:
        return code
    differs = written.values(version, rows).is_valid().to_numpy(zero_copy_only=False)
    return np.where(differs, version, code)


def unit_on(spec: WorldSpec, page_kind: str, column: ColumnInfo, held: str | None = None) -> str:
    """Return the unit in which pages of a kind give a column; `held` is that of the tables, if the column's is not."""
    if not column.unit or column.kind not in _MEASURED:
        return column.unit
    style, language = style_of(spec, page_kind), spec.pages[page_kind].language or spec.languages[0]
    own, changed = (in_style(unit, style, spec.web.currencies) for unit in (column.unit, held or column.unit))
    if not changed.converts:
        return column.unit
    name = called_in((own if own.converts else changed).name, language)
    return spec.translations.get(language, {}).get(name, name)


@dataclass(frozen=True, slots=True)
class ExchangeRates:
    """The line that ends a page on which an amount stands under one of `codes`: it was changed by these rates."""

    codes: frozenset[int]
    line: str


def exchange_rates(spec: WorldSpec, written: RenderedTables, page_kind: str) -> ExchangeRates | None:
    """Return the rates at which pages of a kind change amounts of money; None where they change none."""
    style = style_of(spec, page_kind)
    changed = [
        code
        for _, own in _columns(written)
        if style.currency
        if money_in(own.column.unit, spec.web.currencies) not in (None, style.currency)
        for code in written.versions_of(own.code).tolist()
    ]
    if not changed:
        return None
    rates = _RATES[spec.pages[page_kind].language or spec.languages[0]](spec, style)
    return ExchangeRates(frozenset(changed), f"\n*{rates}*\n")


def _columns(written: RenderedTables) -> Iterator[tuple[str, RenderedColumn]]:
    for name, table in written.tables.items():
        for own in table.columns.values():
            if own.column.references is None and own.column.kind in (*_MEASURED, "date"):
                yield name, own


def _restated(
    spec: WorldSpec, style: Style, written: RenderedTables, own: RenderedColumn, table: pa.Table
) -> pa.Array | None:
    """Write a column in a style: null where it comes out as it is; None where all of it does."""
    held = table[own.column.name].combine_chunks()
    form = form_of(spec, style, own.column.kind, own.column.unit, held, own.column.label)
    if not form.alters:
        return None
    cells, plain = write_in(held, form), written.values(own.code, np.arange(table.num_rows))
    cells = pc.if_else(pc.equal(cells, plain), pa.scalar(None, pa.string()), cells)
    return cells if cells.null_count < len(cells) else None


def _rates(spec: WorldSpec, style: Style) -> str:
    """Say what the world's currencies are worth: `100 marks are worth 250 crowns`."""
    first, *others = spec.web.currencies
    worth = [
        f"100 {name} are worth {number_in(100 * exact(spec.web.currencies[name]), style)} {first}" for name in others
    ]
    return f"Amounts are given in {style.currency}: {', '.join(worth)}."


def _rates_in_chinese(spec: WorldSpec, style: Style) -> str:
    """Say the same in Chinese: `100杜卡特合850克朗`."""
    first, *others = spec.web.currencies
    worth = [f"100{name}合{number_in(100 * exact(spec.web.currencies[name]), style)}{first}" for name in others]
    return f"金额以{style.currency}计：{'，'.join(worth)}。"


_RATES: Mapping[Language, Callable[[WorldSpec, Style], str]] = {"en": _rates, "zh": _rates_in_chinese}
