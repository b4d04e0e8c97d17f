"""The readable, stable ids: `club/0031`, `club/0031#founded`, `page/000418`, `task/list-0007`. Rows count from 0."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.errors import InputError

_FACT = re.compile(r"([a-z][a-z0-9_]*)/(\d+)#([a-z][a-z0-9_]*(?:@[a-z][a-z0-9_]*)?)")


def numbered(prefix: str, rows: npt.NDArray[np.int64], width: int = 4) -> pa.Array:
    """Write ids for `rows`: `prefix` and the row number, zero-padded to `width` digits, wider where it needs more."""
    digits = pc.utf8_lpad(pa.array(rows, pa.int64()).cast(pa.string()), width=width, padding="0")
    return pc.binary_join_element_wise(pa.scalar(prefix), digits, "")


def entity_id(type_name: str, row: int) -> str:
    """Write one entity id (or a relation's row id)."""
    return f"{type_name}/{row:04d}"


def entity_ids(type_name: str, rows: npt.NDArray[np.int64]) -> pa.Array:
    """Write entity ids (or a relation's row ids): `club/0031`."""
    return numbered(f"{type_name}/", rows)


def page_ids(rows: npt.NDArray[np.int64]) -> pa.Array:
    """Write page ids: `page/000418`."""
    return numbered("page/", rows, width=6)


def rows_of(ids: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Read the row numbers out of ids; -1 where one is null or ends in no number."""
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    runs = pc.run_end_encode(ids)  # ids of pages repeat
    digits = pc.struct_field(pc.extract_regex(runs.values, r"/(?P<row>\d+)$"), "row")
    rows = pc.fill_null(digits.cast(pa.int64()), -1)
    return np.repeat(rows.to_numpy(), np.diff(runs.run_ends.to_numpy(), prepend=0))


class FactIds(NamedTuple):
    """Fact ids taken apart: the columns that are met, and of each id which of them it is of and the row; -1 of none."""

    columns: list[str]
    codes: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]


def split_facts(facts: pa.Array) -> FactIds:
    """Split fact ids, `club/0031#founded` into the column `club#founded` and row 31; -1 where one is none."""
    found = pc.extract_regex(facts, r"^(?P<table>[^/]+)/(?P<row>\d+)#(?P<column>.+)$")
    table, row, column = (pc.struct_field(found, part) for part in ("table", "row", "column"))
    encoded = pc.binary_join_element_wise(table, column, "#").dictionary_encode()
    codes, rows = (pc.fill_null(part.cast(pa.int64()), -1).to_numpy() for part in (encoded.indices, row))
    return FactIds(encoded.dictionary.to_pylist(), codes, rows)


def is_fact(text: str) -> bool:
    """Say whether a text is the id of a fact."""
    return _FACT.fullmatch(text) is not None


def fact_id(column: str, row: int) -> str:
    """Write the id of a fact: `club/0031#founded` for the column `club#founded` and row 31."""
    table, _, name = column.partition("#")
    return f"{entity_id(table, row)}#{name}"


def split_fact(fact: str) -> tuple[str, int, str]:
    """Split `club/0031#founded` into table, row and column. Raises InputError where it is no fact id."""
    match = _FACT.fullmatch(fact)
    if match is None:
        raise InputError(f"`{fact}` is no fact id", "write it as `club/0031#founded`")
    return match[1], int(match[2]), match[3]
