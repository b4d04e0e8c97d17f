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
from worldforge.world.stored import Table, parts
from worldforge.world.tables import TRUE_STANCES

_ROW_BITS = np.int64(40)


class Evidence:
    """An index over mentions by fact: sorted 64-bit keys (column code, entity row), looked up by bisection.

    What pages say that is out of date or mistaken states no fact.
    `page`, `start` and `end` are the mentions' own columns, a row a mention, and `is_name` says which of them name an
    entity; `n_named` counts, a row a page, the entities that a page names: more than one, and it is a list.
    """

    def __init__(self, mentions: Table) -> None:
        self._codes: dict[str, int] = {}
        keys, true = np.empty(mentions.num_rows, np.int64), np.empty(mentions.num_rows, np.bool_)
        self.page = np.empty(mentions.num_rows, np.int64)
        self.start, self.end = np.empty(mentions.num_rows, np.int32), np.empty(mentions.num_rows, np.int32)
        first = 0
        for part in parts(mentions, ["page", "fact", "start", "end", "stance"]):
            own = slice(first, first + part.num_rows)
            keys[own], self.page[own] = self._keys_of(part["fact"]), rows_of(part["page"])
            self.start[own], self.end[own] = part["start"].to_numpy(), part["end"].to_numpy()
            true[own] = pc.is_in(part["stance"], pa.array(TRUE_STANCES)).to_numpy()
            first += part.num_rows
        order = np.argsort(keys, kind="stable")
        self._order = order[true[order]]
        del order
        self._keys = keys[self._order]
        names = [code for column, code in self._codes.items() if column.endswith("#name")]
        self.is_name = np.isin(keys >> _ROW_BITS, names)
        entities = np.unique(keys[self.is_name], return_inverse=True)[1]
        distinct = np.unique((self.page[self.is_name] << _ROW_BITS) | entities) >> _ROW_BITS
        self.n_named = np.bincount(distinct, minlength=int(self.page.max(initial=-1)) + 1)

    def _keys_of(self, facts: pa.ChunkedArray) -> npt.NDArray[np.int64]:
        """Turn fact ids into keys; columns get their codes as they are met."""
        parts = pc.extract_regex(facts.combine_chunks(), r"^(?P<table>[^/]+)/(?P<row>\d+)#(?P<column>.+)$")
        columns = pc.binary_join_element_wise(pc.struct_field(parts, "table"), pc.struct_field(parts, "column"), "#")
        encoded = columns.dictionary_encode()
        known = [self._codes.setdefault(name, len(self._codes)) for name in encoded.dictionary.to_pylist()]
        codes = np.array(known, np.int64)[encoded.indices.to_numpy()]
        return (codes << _ROW_BITS) | pc.struct_field(parts, "row").cast(pa.int64()).to_numpy()

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
