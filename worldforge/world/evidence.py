"""Which pages state a fact, and where: the mentions of a world, looked up by fact.

evidence = Evidence(world.mentions)
evidence.of("club/0031#founded")        # array of mention row numbers, in page order
evidence.stated("club", "founded", rows)  # bool array: is the fact of each row stated anywhere?
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.world.ids import rows_of, split_fact

_ROW_BITS = np.int64(40)


class Evidence:
    """An index over mentions by fact: sorted 64-bit keys (column code, entity row), looked up by bisection.

    `page`, `start` and `end` are the mentions' own columns, a row a mention; `n_named` counts, a row a page, the
    entities that a page names: more than one, and it is a list.
    """

    def __init__(self, mentions: pa.Table) -> None:
        parts = pc.extract_regex(mentions["fact"].combine_chunks(), r"^(?P<table>[^/]+)/(?P<row>\d+)#(?P<column>.+)$")
        columns = pc.binary_join_element_wise(
            pc.struct_field(parts, "table"), pc.struct_field(parts, "column"), "#"
        ).dictionary_encode()
        self._codes = {name: code for code, name in enumerate(columns.dictionary.to_pylist())}
        codes = columns.indices.to_numpy().astype(np.int64)
        rows = pc.struct_field(parts, "row").cast(pa.int64()).to_numpy()
        keys = (codes << _ROW_BITS) | rows
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self.page = rows_of(mentions["page"])
        named = pc.equal(pc.struct_field(parts, "column"), "name").to_numpy(zero_copy_only=False)
        entities = np.unique(keys[named], return_inverse=True)[1]
        distinct = np.unique((self.page[named] << _ROW_BITS) | entities) >> _ROW_BITS
        self.n_named = np.bincount(distinct, minlength=int(self.page.max(initial=-1)) + 1)
        self.start = mentions["start"].to_numpy()
        self.end = mentions["end"].to_numpy()

    def of(self, fact: str) -> npt.NDArray[np.int64]:
        """Return the row numbers of the mentions that state `fact`, in page order; empty where none does."""
        table, row, column = split_fact(fact)
        code = self._codes.get(f"{table}#{column}")
        if code is None:
            return np.empty(0, np.int64)
        key = (np.int64(code) << _ROW_BITS) | np.int64(row)
        first, last = np.searchsorted(self._keys, [key, key + 1])
        return self._order[first:last]

    def stated(self, table: str, column: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Say for each of `rows` of a table whether any page states its `column`; negative rows are not stated."""
        code = self._codes.get(f"{table}#{column}")
        if code is None:
            return np.zeros(len(rows), np.bool_)
        first, last = np.searchsorted(self._keys, [np.int64(code) << _ROW_BITS, np.int64(code + 1) << _ROW_BITS])
        known = self._keys[first:last] & ((np.int64(1) << _ROW_BITS) - 1)
        present = np.zeros(max(int(rows.max(initial=-1)), int(known.max(initial=-1))) + 2, np.bool_)
        present[known] = True
        return present[rows]  # a negative row looks up the last place, which stays empty
