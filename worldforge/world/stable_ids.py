"""The readable, stable ids: `club/0031`, `club/0031#founded`, `page/000418`, `task/list-0007`. Rows count from 0."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.errors import InputError
from worldforge.core.utf8 import bytes_of

_SLASH, _HASH, _ZERO = b"/#0"
_MOST_DIGITS = 18  # that fit 64 bits
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
    """Read the row numbers back out of ids that share one prefix; a null id gives -1.

    Ids that follow one another and are the same are read once.
    """
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    runs = pc.run_end_encode(ids)
    rows = _rows_well_formed(runs.values)
    rows = pc.fill_null(_rows_any(runs.values) if rows is None else rows, -1)
    return np.repeat(rows.to_numpy(), np.diff(runs.run_ends.to_numpy(), prepend=0))


def _rows_well_formed(ids: pa.Array) -> pa.Array | None:
    """Read what follows the prefix that all ids share, in half the time of a pattern; None where one is not so."""
    name, slash, _ = (pc.first(ids).as_py() or "").rpartition("/")
    prefix = name + slash
    digits = pc.binary_replace_slice(ids, 0, len(prefix.encode()), "")  # what is left, sooner than by `slice`
    if not (slash and pc.all(pc.starts_with(ids, prefix)).as_py() and pc.all(pc.ascii_is_decimal(digits)).as_py()):
        return None
    return digits.cast(pa.int64())


def _rows_any(ids: pa.Array) -> pa.Array:
    return pc.struct_field(pc.extract_regex(ids, r"/(?P<row>\d+)$"), "row").cast(pa.int64())


class FactIds(NamedTuple):
    """Fact ids taken apart: the columns that are met, and of each id which of them it is of and the row; -1 of none."""

    columns: list[str]
    codes: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]


def split_facts(facts: pa.Array) -> FactIds:
    """Split fact ids, `club/0031#founded` into the column `club#founded` and row 31; -1 where one is none."""
    return _split_well_formed(facts) or _split_any(facts)


def _split_well_formed(facts: pa.Array) -> FactIds | None:
    """Split fact ids by their bytes, several times as fast as by a pattern; None where one of them is none."""
    bounds, text = bytes_of(facts)
    slash, mark = np.flatnonzero(text == _SLASH), np.flatnonzero(text == _HASH)
    if facts.null_count or not len(slash) == len(mark) == len(facts) or (text == ord("\n")).any():
        return None
    if not ((bounds[:-1] < slash) & (slash + 1 < mark) & (mark + 1 < bounds[1:])).all():
        return None
    plain, rows, at = text.copy(), np.zeros(len(facts), np.int64), slash + 1
    n_digits = int((mark - at).max(initial=0))
    for _ in range(n_digits if n_digits <= _MOST_DIGITS else 0):
        inside = at < mark
        digit = text[at] - _ZERO  # below 0 is far above 9: they are bytes
        if (inside & (digit > 9)).any():
            return None
        rows = np.where(inside, rows * 10 + digit, rows)
        plain[at] = np.where(inside, _ZERO, _HASH)
        at += inside
    if (at < mark).any():
        return None
    offsets = pa.py_buffer(bounds.astype(np.int32))
    encoded = pa.StringArray.from_buffers(len(facts), offsets, pa.py_buffer(plain)).dictionary_encode()
    # the same column stands there once for each number of digits
    columns = [re.sub("/0+#", "#", name) for name in encoded.dictionary.to_pylist()]
    known = {name: code for code, name in enumerate(dict.fromkeys(columns))}
    codes = np.array([known[name] for name in columns], np.int64)
    return FactIds(list(known), codes[encoded.indices.to_numpy()], rows)


def _split_any(facts: pa.Array) -> FactIds:
    found = pc.extract_regex(facts, r"^(?P<table>[^/]+)/(?P<row>\d+)#(?P<column>.+)$")
    table, row, column = (pc.struct_field(found, part) for part in ("table", "row", "column"))
    encoded = pc.binary_join_element_wise(table, column, "#").dictionary_encode()
    codes, rows = (pc.fill_null(part.cast(pa.int64()), -1).to_numpy() for part in (encoded.indices, row))
    return FactIds(encoded.dictionary.to_pylist(), codes, rows)


def is_fact(text: str) -> bool:
    """Say whether a text is the id of a fact."""
    return _FACT.fullmatch(text) is not None


def split_fact(fact: str) -> tuple[str, int, str]:
    """Split `club/0031#founded` into table, row and column. Raises InputError where it is no fact id."""
    match = _FACT.fullmatch(fact)
    if match is None:
        raise InputError(f"`{fact}` is no fact id", "write it as `club/0031#founded`")
    return match[1], int(match[2]), match[3]
