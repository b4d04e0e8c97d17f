"""Checks on pages: spans, facts read back from the text, links, addresses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, Finding, Tally
from worldforge.core.columns import ValueKind
from worldforge.schema.paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.ids import rows_of
from worldforge.world.values import ARROW_TYPES, kind_of, read_value

_LINK = r"\]\(https?://"


def check_spans(pages: pa.Table, mentions: pa.Table) -> Finding:
    """`text[start:end]` is the value as written, for every mention of every page."""
    tally = Tally("spans")
    tally.checked(mentions.num_rows)
    rows = rows_of(mentions["page"])
    order = np.argsort(rows, kind="stable")
    starts, ends = mentions["start"].to_numpy(), mentions["end"].to_numpy()
    values, facts = mentions["value"].to_pylist(), mentions["fact"].to_pylist()
    here, text = -1, ""
    for mention in order.tolist():
        if rows[mention] != here:
            here = int(rows[mention])
            text = pages["text"][here].as_py() if 0 <= here < pages.num_rows else ""
        found = text[starts[mention] : ends[mention]]
        if found != values[mention]:
            place = f"page/{here:06d}: characters {starts[mention]} to {ends[mention]}"
            tally.failed([f"{place} are `{found[:60]}`, not `{values[mention]}` ({facts[mention]})"])
    return tally.finding()


def check_facts(spec: WorldSpec, tables: Mapping[str, pa.Table], mentions: pa.Table) -> Finding:
    """What a page writes reads back as the cell of the table that it states."""
    tally = Tally("facts")
    tally.checked(mentions.num_rows)
    parts = pc.extract_regex(mentions["fact"].combine_chunks(), r"^(?P<table>[^/]+)/(?P<row>\d+)#(?P<column>.+)$")
    broken = pc.indices_nonzero(pc.is_null(parts)).to_pylist()
    tally.failed(f"`{mentions['fact'][row].as_py()}` is no fact id" for row in broken)
    names = pc.binary_join_element_wise(pc.struct_field(parts, "table"), pc.struct_field(parts, "column"), "#")
    encoded = names.dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    for code, name in enumerate(encoded.dictionary.to_pylist()):
        chosen = np.flatnonzero(codes == code)
        table, column = name.split("#")
        if table not in tables or column not in tables[table].column_names:
            tally.failed([f"{mentions['page'][chosen[0]].as_py()} states {name}, which is no column"], len(chosen))
            continue
        rows = pc.struct_field(parts, "row").take(pa.array(chosen)).cast(pa.int64()).to_numpy()
        _compare(
            tally,
            mentions.take(pa.array(chosen)),
            tables,
            table,
            column,
            references_of(spec, table).get(column),
            rows,
        )
    return tally.finding()


def check_links(pages: pa.Table, links: pa.Table) -> Finding:
    """Every address is there once; every link leads from a page to a page, and stands in the text as often."""
    tally = Tally("links")
    tally.checked(links.num_rows + pages.num_rows)
    urls = pages["url"].combine_chunks().value_counts().to_pylist()
    tally.failed(
        f"the address {entry['values']} is there {entry['counts']} times" for entry in urls if entry["counts"] > 1
    )
    ids = pages["id"].combine_chunks()
    for side in ("source", "target"):
        missing = pc.invert(pc.is_in(links[side].combine_chunks(), value_set=ids))
        lost = links[side].filter(missing).slice(0, MOST_SHOWN).to_pylist()
        tally.failed(
            [f"a link's {side} is {page}, which is not there" for page in lost],
            int(pc.sum(missing).as_py() or 0),
        )
    written = pc.count_substring_regex(pages["text"], _LINK).to_numpy()
    noted = np.bincount(np.maximum(rows_of(links["source"]), 0), minlength=pages.num_rows)[: pages.num_rows]
    wrong = np.flatnonzero(written != noted)
    shown = wrong[:MOST_SHOWN].tolist()
    tally.failed([f"page/{p:06d} has {written[p]} links in its text, {noted[p]} on file" for p in shown], len(wrong))
    return tally.finding()


def _compare(
    tally: Tally,
    mentions: pa.Table,
    tables: Mapping[str, pa.Table],
    table: str,
    column: str,
    references: str | None,
    rows: npt.NDArray[np.int64],
) -> None:
    """Compare the values that mentions of one column write with the column's cells in `rows`."""
    inside = rows < tables[table].num_rows
    cells = tables[table][column].take(pa.array(np.where(inside, rows, 0)))
    if references:
        cells = tables[references]["name"].take(pa.array(np.maximum(rows_of(cells), 0)))
    written = mentions["value"].combine_chunks()
    kind = kind_of(cells.type)
    equal = pc.and_(pc.fill_null(pc.equal(_read(written, kind), cells.combine_chunks()), False), pa.array(inside))
    wrong = pc.indices_nonzero(pc.invert(equal))
    shown = [
        f"{mentions['page'][place].as_py()} writes `{written[place].as_py()}` for {mentions['fact'][place].as_py()}, "
        f"the table says `{cells[place].as_py()}`"
        for place in wrong.slice(0, MOST_SHOWN).to_pylist()
    ]
    tally.failed(shown, len(wrong))


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
                return pc.strptime(written, format="%d %B %Y", unit="s").cast(pa.date32())
            case "boolean":
                return pc.equal(written, "yes")
            case _:
                return written
    except pa.ArrowInvalid:
        return pa.array([read_value(text, kind) for text in written.to_pylist()], ARROW_TYPES[kind])
