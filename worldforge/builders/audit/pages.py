"""Checks on pages: spans, facts read back from the text, links, addresses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.addresses import check_addresses
from worldforge.builders.audit.called import by_alias
from worldforge.builders.audit.finding import MOST_SHOWN, Finding, Tally
from worldforge.builders.audit.restated import as_tables_write
from worldforge.core.columns import ValueKind
from worldforge.schema.paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.ids import rows_of
from worldforge.world.stored import Table, parts, reader
from worldforge.world.styles import Forms
from worldforge.world.tables import TRUE_STANCES
from worldforge.world.values import ARROW_TYPES, kind_of, read_value

_TEXTS = 20_000  # pages whose texts are looked at together, so that memory does not grow with their number
_ROW_BY_ROW = 100_000  # mentions that are taken out of Arrow together
_LINK = r"\]\(https?://"


def check_spans(pages: Table, mentions: Table) -> Finding:
    """`text[start:end]` is the value as written, for every mention of every page."""
    tally = Tally("spans")
    tally.checked(mentions.num_rows)
    here, text, text_of = -1, "", reader(pages, "text")
    for part in parts(mentions, ["page", "start", "end", "value", "fact"], _ROW_BY_ROW):
        rows = rows_of(part["page"]).tolist()
        columns = (part[name].to_pylist() for name in ("start", "end", "value", "fact"))
        for row, start, end, value, fact in zip(rows, *columns, strict=True):
            if row != here:
                here, text = row, text_of(row) if 0 <= row < pages.num_rows else ""
            if text[start:end] != value:
                place = f"page/{here:06d}: characters {start} to {end}"
                tally.failed([f"{place} are `{text[start:end][:60]}`, not `{value}` ({fact})"])
    return tally.finding()


def check_facts(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Finding:
    """What a page writes reads back as the cell of the table that it states; what is not so, as another value."""
    tally = Tally("facts")
    tally.checked(mentions.num_rows)
    forms = Forms(spec, lambda name: tables[name])
    kinds = pages["kind"]
    for part in parts(mentions, ["page", "fact", "stance", "value"]):
        part = as_tables_write(forms, kinds, part)
        facts = pc.extract_regex(part["fact"].combine_chunks(), r"^(?P<table>[^/]+)/(?P<row>\d+)#(?P<column>.+)$")
        broken = pc.indices_nonzero(pc.is_null(facts)).to_pylist()
        tally.failed(f"`{part['fact'][row].as_py()}` is no fact id" for row in broken)
        names = pc.binary_join_element_wise(pc.struct_field(facts, "table"), pc.struct_field(facts, "column"), "#")
        encoded = names.dictionary_encode()
        codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        for code, name in enumerate(encoded.dictionary.to_pylist()):
            chosen = pa.array(np.flatnonzero(codes == code))
            rows = pc.struct_field(facts, "row").take(chosen).cast(pa.int64()).to_numpy()
            _check_column(tally, spec, tables, name, rows, part.take(chosen))
    return tally.finding()


def check_links(pages: Table, links: Table, redirects: pa.Table | None = None) -> Finding:
    """Every address is there once; every link leads from a page to a page, and stands in the text as often.

    A link whose target is null is to lead nowhere; an address that a page has left (`redirects`) leads to that page.
    """
    tally = Tally("links")
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


def _check_column(
    tally: Tally,
    spec: WorldSpec,
    tables: Mapping[str, pa.Table],
    name: str,
    rows: npt.NDArray[np.int64],
    mentions: pa.Table,
) -> None:
    """Compare what mentions of one column (`club#founded`) write with its cells in `rows`."""
    table, column = name.split("#")
    if table not in tables or column not in tables[table].column_names:
        tally.failed([f"{mentions['page'][0].as_py()} states {name}, which is no column"], len(rows))
        return
    inside = rows < tables[table].num_rows
    cells = tables[table][column].take(pa.array(np.where(inside, rows, 0)))
    references = references_of(spec, table).get(column)
    if references:
        cells = tables[references]["name"].take(pa.array(np.maximum(rows_of(cells), 0)))
    written = mentions["value"].combine_chunks()
    read = _read(written, kind_of(cells.type))
    equal = pc.and_(pc.fill_null(pc.equal(read, cells.combine_chunks()), False), pa.array(inside))
    equal = by_alias(tables, name, references, np.where(inside, rows, 0), mentions, equal)
    true = pc.is_in(mentions["stance"].combine_chunks(), pa.array(TRUE_STANCES))
    right = pc.and_(pc.equal(equal, true), pc.and_(read.is_valid(), pa.array(inside)))
    wrong = pc.indices_nonzero(pc.invert(right))
    shown = [
        f"{mentions['page'][place].as_py()} writes `{written[place].as_py()}` for {mentions['fact'][place].as_py()} "
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
