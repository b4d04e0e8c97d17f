"""Checks on pages: facts read back from the text, links, addresses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.check_aliases import by_alias
from worldforge.builders.audit.check_redirects import check_addresses
from worldforge.builders.audit.check_site_formats import as_tables_write
from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.core.columns import ARROW_TYPES, ValueKind
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.parquet_reader import Table, parts
from worldforge.world.passages import Positions
from worldforge.world.stable_ids import rows_of, split_facts
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.value_formats import ValueFormats
from worldforge.world.value_text import kind_of, read_value

_TEXTS = 20_000  # pages whose texts are looked at together, so that memory does not grow with their number
_LINK = r"\]\(https?://"


def check_facts(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Finding:
    """What a page writes reads back as the cell of the table that it states; what is not so, as another value."""
    tally = CheckCounter("facts")
    tally.checked(mentions.num_rows)
    forms, cells, kinds = ValueFormats(spec, lambda name: tables[name]), _Cells(spec, tables), pages["kind"]
    for part in parts(mentions, ["page", "fact", "stance", "value"]):
        part = as_tables_write(forms, kinds, part).combine_chunks()
        columns, codes, rows = split_facts(part["fact"].combine_chunks())
        broken = np.flatnonzero(codes < 0)
        shown = [f"`{part['fact'][row].as_py()}` is no fact id" for row in broken[:MOST_SHOWN].tolist()]
        tally.failed(shown, len(broken))
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(columns) + 1))
        for code, name in enumerate(columns):
            own = order[bounds[code] : bounds[code + 1]]
            _check_column(tally, cells, name, rows[own], part, own)
    return tally.finding()


def check_links(pages: Table, links: Table, redirects: pa.Table | None = None) -> Finding:
    """Every address is there once; every link leads from a page to a page, and stands in the text as often.

    A link whose target is null is to lead nowhere; an address that a page has left (`redirects`) leads to that page.
    """
    tally = CheckCounter("links")
    tally.checked(links.num_rows + pages.num_rows)
    urls = pages["url"].combine_chunks().value_counts()
    twice = urls.filter(pc.greater(pc.struct_field(urls, "counts"), 1)).to_pylist()
    tally.failed(f"the address {entry['values']} is there {entry['counts']} times" for entry in twice)
    ids, n_gone = pages["id"].combine_chunks(), 0
    noted = np.zeros(pages.num_rows, np.int64)
    for part in parts(links, ["source", "target"]):
        for side in ("source", "target"):
            column = part[side].combine_chunks()
            missing = pc.invert(pc.is_in(column, value_set=ids))
            if side == "target":
                missing = pc.and_(missing, column.is_valid())
                n_gone += column.null_count
            lost = part[side].filter(missing).slice(0, MOST_SHOWN).to_pylist()
            tally.failed(
                [f"a link's {side} is {page}, which is not there" for page in lost],
                int(pc.sum(missing).as_py() or 0),
            )
        noted += np.bincount(np.maximum(rows_of(part["source"]), 0), minlength=pages.num_rows)[: pages.num_rows]
    texts = parts(pages, ["text"], _TEXTS)
    counts = [pc.count_substring_regex(part["text"], _LINK).to_numpy() for part in texts]
    written = np.concatenate([np.empty(0, np.int32), *counts])
    wrong = np.flatnonzero(written != noted)
    shown = wrong[:MOST_SHOWN].tolist()
    tally.failed([f"page/{p:06d} has {written[p]} links in its text, {noted[p]} on file" for p in shown], len(wrong))
    if redirects is not None or n_gone:
        check_addresses(tally, pages, links, redirects)
    return tally.finding()


class _Cells:
    """What columns hold, each put together once for all parts of mentions."""

    def __init__(self, spec: WorldSpec, tables: Mapping[str, pa.Table]) -> None:
        self.spec, self.tables = spec, tables
        self._column = lru_cache(maxsize=None)(lambda table, column: tables[table][column].combine_chunks())
        self._targets = lru_cache(maxsize=None)(lambda table, column: rows_of(tables[table][column]))

    def of(self, table: str, column: str, rows: Positions) -> pa.Array:
        """Return the cells in some rows; of a reference the names of what it refers to."""
        references = references_of(self.spec, table).get(column)
        if not references:
            return self._column(table, column).take(pa.array(rows))
        targets = np.maximum(self._targets(table, column)[rows], 0)
        return self._column(references, "name").take(pa.array(targets))


def _check_column(
    tally: CheckCounter, known: _Cells, name: str, rows: Positions, part: pa.Table, own: Positions
) -> None:
    """Compare what the mentions `own` of a part, all of one column (`club#founded`), write with its cells in `rows`."""
    table, column = name.split("#")
    tables = known.tables
    if table not in tables or column not in tables[table].column_names:
        tally.failed([f"{part['page'][own[0]].as_py()} states {name}, which is no column"], len(rows))
        return
    inside = rows < tables[table].num_rows
    rows = np.where(inside, rows, 0)
    cells, mentions = known.of(table, column, rows), part.select(["stance", "value"]).take(pa.array(own))
    written = mentions["value"].combine_chunks()
    read = _read(written, kind_of(cells.type))
    equal = pc.and_(pc.fill_null(pc.equal(read, cells), False), pa.array(inside))
    equal = by_alias(tables, name, references_of(known.spec, table).get(column), rows, mentions, equal)
    true = pc.is_in(mentions["stance"].combine_chunks(), pa.array(TRUE_STANCES))
    right = pc.and_(pc.equal(equal, true), pc.and_(read.is_valid(), pa.array(inside)))
    wrong = pc.indices_nonzero(pc.invert(right))
    shown = [
        f"{part['page'][own[place]].as_py()} writes `{written[place].as_py()}` for {part['fact'][own[place]].as_py()} "
        f"({mentions['stance'][place].as_py()}), the table says `{cells[place].as_py()}`"
        for place in wrong.slice(0, MOST_SHOWN).to_pylist()
    ]
    tally.failed(shown, len(wrong))


def _dates(written: pa.Array) -> pa.Array:
    """Read dates, each in English or in Chinese."""
    chinese = pc.match_substring(written, "年")
    if not pc.any(chinese, min_count=0).as_py():
        return pc.strptime(written, format="%d %B %Y", unit="s").cast(pa.date32())
    english = pc.if_else(chinese, pa.scalar(None, pa.string()), written)
    numbers = pc.if_else(chinese, pc.replace_substring_regex(written, "[年月]", "-"), pa.scalar(None, pa.string()))
    read = pc.strptime(english, format="%d %B %Y", unit="s"), pc.strptime(numbers, format="%Y-%m-%d日", unit="s")
    return pc.coalesce(*read).cast(pa.date32())


def _read(written: pa.Array, kind: ValueKind) -> pa.Array:
    """Read values back by column operations; one by one where one of them cannot be read so."""
    plain = pc.replace_substring(written, ",", "")
    try:
        match kind:
            case "integer" | "year":
                return plain.cast(ARROW_TYPES[kind])
            case "number":
                return plain.cast(pa.float64())
            case "date":
                return _dates(written)
            case "boolean":
                return pc.is_in(written, pa.array(["yes", "是"]))
            case _:
                return written
    except pa.ArrowInvalid:
        return pa.array([read_value(text, kind) for text in written.to_pylist()], ARROW_TYPES[kind])
