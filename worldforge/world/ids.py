"""The readable, stable ids: `club/0031`, `club/0031#founded`, `page/000418`, `task/list-0007`. Rows count from 0."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.errors import InputError

_FACT = re.compile(r"([a-z][a-z0-9_]*)/(\d+)#([a-z][a-z0-9_]*)")


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
    """Read the row numbers back out of ids that share one prefix; a null id gives -1."""
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    digits = pc.struct_field(pc.extract_regex(ids, r"/(?P<row>\d+)$"), "row")
    return pc.fill_null(digits.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)


def split_fact(fact: str) -> tuple[str, int, str]:
    """Split `club/0031#founded` into table, row and column. Raises InputError where it is no fact id."""
    match = _FACT.fullmatch(fact)
    if match is None:
        raise InputError(f"`{fact}` is no fact id", "write it as `club/0031#founded`")
    return match[1], int(match[2]), match[3]
