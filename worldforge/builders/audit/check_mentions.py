"""Checks on mentions: they stand in the text, read back as what the tables hold, and are no older than their page."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import Finding
from worldforge.builders.known_days import ALWAYS, KnownDays
from worldforge.builders.stated_values import as_tables_write
from worldforge.core.columns import ValueKind
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.parquet_reader import Table, cell_reader, parts
from worldforge.world.stable_ids import rows_of, split_facts
from worldforge.world.table_files import RELATIVE, TOTAL, TRUE_STANCES
from worldforge.world.value_formats import ValueFormats
from worldforge.world.value_text import added, kind_of

_EPOCH = datetime.date(1970, 1, 1)
_WHOLE = "CASE WHEN regexp_full_match(value, '-?[0-9,]+') THEN try_cast(replace(value, ',', '') AS BIGINT) END"
_READ: dict[ValueKind, str] = {
    "integer": _WHOLE,
    "year": _WHOLE,
    "number": "try_cast(replace(value, ',', '') AS DOUBLE)",
    "text": "value",
    "date": "coalesce(try_strptime(value, '%d %B %Y'), try_strptime(value, '%Y年%m月%d日'))::DATE",
    "boolean": "CASE WHEN value IN ('yes', '是') THEN true WHEN value IN ('no', '否') THEN false END",
}
"""SQL that reads a page's text as a table's value: NULL where it cannot be read."""


def check_spans(pages: Table, mentions: Table) -> Finding:
    """Check that `text[start:end]` is the value as written, for every mention; a page that is not there is empty."""
    finding = Finding("spans")
    finding.n_checked += mentions.num_rows
    text_of = cell_reader(pages, "text")
    last, text = -1, ""
    for part in parts(mentions, ["fact", "start", "end", "value", "page"]):
        columns = (part[name].to_pylist() for name in ("fact", "start", "end", "value"))
        for page, fact, start, end, value in zip(rows_of(part["page"]).tolist(), *columns, strict=True):
            if page != last:
                last, text = page, (text_of(page) or "") if 0 <= page < pages.num_rows else ""
            if text[start:end] != value:
                place = f"page/{page:06d}: characters {start} to {end}"
                finding.fail([f"{place} are `{text[start:end][:60]}`, not `{value}` ({fact})"])
    return finding


def check_facts(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Finding:
    """Check that what a page writes reads back as the cell that it states, or as another value where it is untrue.

    What is stated relative to another fact is looked at by `check_relative`, totals by `check_totals`.
    """
    finding = Finding("facts")
    finding.n_checked += mentions.num_rows
    forms, kinds, connection = ValueFormats(spec, lambda name: tables[name]), pages["kind"], connect({})
    for part in parts(mentions, ["page", "fact", "stance", "value"]):
        part = as_tables_write(forms, kinds, part)
        columns, codes, rows = split_facts(part["fact"].combine_chunks())
        broken = part["fact"].filter(pa.array(codes < 0))
        finding.fail(f"`{fact}` is no fact id" for fact in broken.to_pylist())
        stated: dict[ValueKind, list[pa.Table]] = {}
        for code, name in enumerate(columns):
            table, column = name.split("#")
            own = np.flatnonzero(codes == code)
            if table in tables and column in tables[table].column_names:
                kind = kind_of(tables[table].schema.field(column).type)
                cells = _cells(tables, table, column, references_of(spec, table).get(column), rows[own])
                said = {key: part[key].take(pa.array(own)) for key in part.column_names}
                known = {"_known": rows[own] < tables[table].num_rows}
                stated.setdefault(kind, []).append(pa.table({**said, **cells, **known}))
            else:
                stating = part["page"].take(pa.array(own))
                finding.fail([f"{stating[0].as_py()} states {name}, which is no column"], len(stating))
        for kind, found in stated.items():
            connection.register("stated", pa.concat_tables(found))
            _compare(finding, connection, _READ[kind])
    return finding


def _cells(
    tables: Mapping[str, pa.Table], table: str, column: str, referred: str | None, rows: np.ndarray
) -> dict[str, pa.ChunkedArray]:
    """Return the cells of a column in `rows`, names for references, and the aliases of what these cells name."""
    own, named = tables[table], pa.array(rows, mask=rows >= tables[table].num_rows)
    cells = own[column].take(named)
    if referred:
        target = tables[referred]
        found = pc.index_in(cells, value_set=target["id"].combine_chunks())
        return {"_cell": target["name"].take(found), "_aliases": target["aliases"].take(found)}
    aliases = own["aliases"].take(named) if column == "name" else pa.nulls(len(rows), pa.list_(pa.string()))
    return {"_cell": cells, "_aliases": aliases}


def _compare(finding: Finding, connection: duckdb.DuckDBPyConnection, read: str) -> None:
    """Compare mentions with the cells beside them; one by an alias is true where what it names has that alias."""
    finding.query(
        connection,
        "{} writes `{}` for {} ({}), the table says `{}`",
        f"""
        WITH compared AS (
            SELECT page, value, fact, stance, _cell, _known AND {read} IS NOT NULL AS readable,
                CASE WHEN stance = 'alias' THEN list_contains(_aliases, value) ELSE {read} = _cell END AS same
            FROM stated WHERE stance NOT IN ('{RELATIVE}', '{TOTAL}')
        )
        SELECT page, value, fact, stance, _cell FROM compared
        WHERE NOT readable OR coalesce(same, false) != (stance IN {TRUE_STANCES})
        """,
    )


def check_relative(tables: Mapping[str, pa.Table], mentions: Table) -> Finding:
    """Check what is stated relative to another fact: the tables give both the same value, or the stated difference.

    The entity that the other fact is of must be named there.
    """
    finding = Finding("relative")
    for part in parts(mentions, ["page", "fact", "stance", "value", "relative_to", "difference"]):
        stated = part.filter(pc.equal(part["stance"], RELATIVE)).combine_chunks()
        finding.n_checked += stated.num_rows
        facts, others = (
            split_facts(pc.fill_null(stated[name].combine_chunks(), "")) for name in ("fact", "relative_to")
        )
        whole = enumerate(
            zip(facts.codes, facts.rows, others.codes, others.rows, stated["difference"].to_pylist(), strict=True)
        )
        for place, (code, row, other_code, other_row, difference) in whole:
            value = _cell(tables, facts.columns[code], row) if code >= 0 else None
            other = _cell(tables, others.columns[other_code], other_row) if other_code >= 0 else None
            if value is None or other is None or value != (other if difference is None else added(other, difference)):
                page, fact, relative_to = (stated[name][place].as_py() for name in ("page", "fact", "relative_to"))
                said = "the same as" if difference is None else f"{difference:+g} from"
                finding.fail([f"{page} states {fact} as {said} {relative_to}; the tables say `{value}` and `{other}`"])
                continue
            table = others.columns[other_code].partition("#")[0]
            called = {_cell(tables, f"{table}#name", other_row), *(_cell(tables, f"{table}#aliases", other_row) or ())}
            if stated["value"][place].as_py() not in called:
                page, named = stated["page"][place].as_py(), stated["value"][place].as_py()
                finding.fail([f"{page} states a fact beside `{named}`, which is no name of {table}/{other_row:04d}"])
    return finding


def check_totals(tables: Mapping[str, pa.Table], mentions: Table) -> Finding:
    """Check that each total is the sum of the cells of all facts that it is marked with."""
    finding = Finding("totals")
    sums: dict[tuple[str, int, str], int] = {}
    for part in parts(mentions, ["page", "fact", "start", "stance", "value"]):
        marked = part.filter(pc.equal(part["stance"], TOTAL)).combine_chunks()
        columns, codes, rows = split_facts(marked["fact"].combine_chunks())
        for place, (code, row) in enumerate(zip(codes.tolist(), rows.tolist(), strict=True)):
            span = (marked["page"][place].as_py(), marked["start"][place].as_py(), marked["value"][place].as_py())
            cell = _cell(tables, columns[code], row) if code >= 0 else None
            sums[span] = sums.get(span, 0) + (cell if isinstance(cell, int) else 0)
    finding.n_checked += len(sums)
    finding.fail(
        f"{page} gives a total of `{value}`, the cells make {whole:,}"
        for (page, _, value), whole in sums.items()
        if value != f"{whole:,}"
    )
    return finding


def _cell(tables: Mapping[str, pa.Table], column: str, row: int) -> Any:
    table, _, name = column.partition("#")
    if table not in tables or name not in tables[table].column_names or row >= tables[table].num_rows:
        return None
    return tables[table][name][int(row)].as_py()


def check_dates(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Finding:
    """Check that no page states, as it is in the tables, what came after its own day: see `KnownDays`."""
    finding, days = Finding("dates"), KnownDays(spec, tables)
    published = pc.fill_null(pages["published"].combine_chunks().cast(pa.int32()), 2**31 - 1).to_numpy()
    for part in parts(mentions, ["page", "fact", "stance"]):
        part = part.filter(
            pc.is_in(part["stance"], value_set=pa.array([*TRUE_STANCES, RELATIVE, TOTAL]))
        ).combine_chunks()
        columns, codes, rows = split_facts(part["fact"].combine_chunks())
        day = published[rows_of(part["page"])]
        for code, name in enumerate(columns):
            own = np.flatnonzero(codes == code)
            table, column = name.split("#")
            stated = np.maximum(days.of(table, column), days.begun(table))[rows[own]]
            finding.n_checked += int((stated != ALWAYS).sum())
            late = own[(stated > day[own]) & (stated <= days.today)]
            shown = (
                f"{part['page'][row].as_py()}, of {_EPOCH + datetime.timedelta(int(day[row]))}, states "
                f"{part['fact'][row].as_py()}, which came later"
                for row in late.tolist()
            )
            finding.fail(shown, len(late))
    return finding
