"""Look up by fact which pages state it, and where: an index over the mentions of a world.

evidence = Evidence(world.mentions)
evidence.of("club/0031#founded")        # array of mention row numbers, in page order
evidence.stated("club", "founded", rows)  # bool array: is the fact of each row stated anywhere?
evidence.of("club/0031#capacity@herald")  # what pages of that site say of the capacity, true or not
evidence.relation("club/0031#founded")  # FactRelation("club/0007#founded", 3): three years after that one; or None
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.arrays import save_array
from worldforge.core.errors import InputError
from worldforge.core.files import add_path_to_error
from worldforge.world.parquet_reader import Table, parts, rows_matching
from worldforge.world.site_figures import PageSites, of_table, parted
from worldforge.world.stable_ids import fact_id, rows_of, split_fact, split_facts
from worldforge.world.table_files import MENTIONS, RELATIVE, TOTAL, TRUE_STANCES

_BITS = 62  # of a key, and room for the end of the last
_ENTITY_BITS = np.int64(40)
_ARRAYS = ("_keys", "_untrue", "page", "start", "end", "is_name", "n_named", "_relative", "_others", "_differences")
_KEPT, _SITES, _OWNERS = "kept.json", "sites.npy", "owners.npy"


class FactRelation(NamedTuple):
    """What pages state a fact relative to: another fact, plus a difference, or the same where that is None."""

    fact: str
    difference: float | None


def mentions_of_pages_stating(mentions: Table, facts: Iterable[str]) -> pa.Table:
    """Return all mentions of the pages that state any of `facts`, in order: enough to plan for those facts.

    What they state relative to other facts needs the pages that state those; figures of sites, those of their columns.
    """
    facts = set(map(of_table, facts))
    stated = rows_matching(mentions, ["page", "relative_to"], "fact", pa.array(sorted(facts), pa.string()))
    others = pc.unique(stated["relative_to"].drop_null())
    pages = pa.concat_tables([stated.select(["page"]), rows_matching(mentions, ["page"], "fact", others)])["page"]
    return rows_matching(mentions, MENTIONS.names, "page", pc.unique(pages))


class Evidence:
    """An index over mentions by fact: sorted 64-bit keys (column code, entity row, mention row), bisected.

    Outdated and mistaken statements count only for figures by site (`club/0031#capacity@herald`), which need `sites`. A
    statement relative to another fact counts if some page states that other fact itself.
    `page`, `start` and `end` are the mentions' own columns, a row a mention, and `is_name` says which of them name an
    entity; `n_named` counts, a row a page, the entities that a page names: more than one, and it is a list.
    Raises InputError where a mention states what is no fact id.
    """

    def __init__(self, mentions: Table, sites: PageSites | None = None) -> None:
        self._sites = sites
        self._codes: dict[str, int] = {}
        self._present: dict[int, npt.NDArray[np.bool_]] = {}
        n_rows = mentions.num_rows
        codes, rows, true, untrue = (np.empty(n_rows, held) for held in (np.int32, np.int64, np.bool_, np.bool_))
        relations: list[pa.Table] = []
        self.page = np.empty(n_rows, np.int64)
        self.start, self.end = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
        first = 0
        for part in parts(mentions, ["page", "fact", "start", "end", "stance", "relative_to", "difference"]):
            own = slice(first, first + part.num_rows)
            codes[own], rows[own] = self._read(part["fact"].combine_chunks())
            self.page[own] = rows_of(part["page"])
            self.start[own], self.end[own] = part["start"].to_numpy(), part["end"].to_numpy()
            true[own] = pc.is_in(part["stance"], pa.array(TRUE_STANCES)).to_numpy()
            untrue[own] = ~pc.is_in(part["stance"], pa.array([*TRUE_STANCES, RELATIVE, TOTAL])).to_numpy()
            relative = np.flatnonzero(pc.equal(part["stance"], RELATIVE).to_numpy())
            related = part.select(["relative_to", "difference"]).take(relative)
            relations.append(related.append_column("row", [relative + first]))
            first += part.num_rows
        self._count_names(codes, rows)
        self._index_relations(relations)
        self._mention_bits, self._row_bits = n_rows.bit_length(), int(rows.max(initial=0)).bit_length()
        if len(self._codes).bit_length() + self._row_bits + self._mention_bits > _BITS:
            message = f"a mention states a fact of row {rows.max()}, and no world has as many"
            raise InputError(message, "build the world again: `worldforge build`")
        rows |= codes.astype(np.int64) << self._row_bits
        rows <<= self._mention_bits
        rows |= np.arange(n_rows)
        self._keys = np.sort(rows[true])  # plain numbers sort several times as fast as places do
        self._untrue = np.sort(rows[untrue] if sites is not None else rows[:0])
        self._keep_complete_relations()
        self._keys = np.sort(np.concatenate([self._keys, rows[self._relative]]))

    def write(self, folder: Path) -> None:
        """Write the index into a folder, for other processes."""
        with add_path_to_error(folder):
            for name in _ARRAYS:
                save_array(folder / f"{name}.npy", getattr(self, name))
            kept: dict[str, Any] = {
                "codes": self._codes,
                "mention_bits": self._mention_bits,
                "row_bits": self._row_bits,
            }
            if self._sites is not None:
                kept |= {"sites": list(self._sites.names), "hosts": list(self._sites.hosts)}
                save_array(folder / _SITES, self._sites.sites)
                save_array(folder / _OWNERS, self._sites.owners)
            (folder / _KEPT).write_text(json.dumps(kept), encoding="utf-8")

    @classmethod
    def written(cls, folder: Path) -> Evidence:
        """Map an index that `write` left: it is held in memory once for all processes."""
        evidence = cls.__new__(cls)
        evidence._present = {}
        kept = json.loads((folder / _KEPT).read_text(encoding="utf-8"))
        evidence._codes, evidence._mention_bits = kept["codes"], kept["mention_bits"]
        evidence._row_bits = kept["row_bits"]
        for name in _ARRAYS:
            setattr(evidence, name, _mapped(folder / f"{name}.npy"))
        evidence._sites = None
        if "sites" in kept:
            evidence._sites = PageSites(
                kept["sites"], kept["hosts"], _mapped(folder / _SITES), _mapped(folder / _OWNERS)
            )
        return evidence

    def _index_relations(self, relations: list[pa.Table]) -> None:
        """Note which mentions are relative, the column and row of what they are relative to, and the differences."""
        table = pa.concat_tables(relations) if relations else None
        n_rows = 0 if table is None else table.num_rows
        self._relative, self._differences = np.empty(n_rows, np.int64), np.full(n_rows, np.nan)
        self._others = np.empty((n_rows, 2), np.int64)
        if table is not None and n_rows:
            self._relative[:] = table["row"].to_numpy()
            self._differences[:] = table["difference"].to_numpy()  # null is not a number
            codes, rows = self._read(pc.fill_null(table["relative_to"].combine_chunks(), ""))
            self._others[:, 0], self._others[:, 1] = codes, rows

    def _keep_complete_relations(self) -> None:
        """Drop the relations to facts that no page states as they are."""
        complete = np.zeros(len(self._relative), np.bool_)
        for code, column in enumerate(self._codes):
            own = self._others[:, 0] == code
            if own.any():
                table, _, name = column.partition("#")
                complete[own] = self.stated(table, name, self._others[own, 1])
        self._present = {}  # what is relative is not in it yet
        self._relative, self._differences = self._relative[complete], self._differences[complete]
        self._others = self._others[complete]

    def _relation(self, place: int) -> FactRelation:
        code, row = self._others[place].tolist()
        difference = float(self._differences[place])
        return FactRelation(fact_id(list(self._codes)[code], row), None if np.isnan(difference) else difference)

    def relation(self, fact: str) -> FactRelation | None:
        """Return what pages state a fact relative to; None where they state it as it is, or not at all."""
        mentions = self.of(fact)
        if not len(mentions) or not len(self._relative):
            return None
        places = np.minimum(np.searchsorted(self._relative, mentions), len(self._relative) - 1)
        return self._relation(int(places[0])) if (self._relative[places] == mentions).all() else None

    def _read(self, facts: pa.Array) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Turn fact ids into codes of columns, given as these are met, and rows of entities."""
        columns, codes, rows = split_facts(facts)
        if (codes < 0).any():
            raise InputError(f"`{facts[int(codes.argmin())].as_py()}` is no fact id", "write it as `club/0031#founded`")
        return np.array([self._codes.setdefault(name, len(self._codes)) for name in columns], np.int32)[codes], rows

    def _count_names(self, codes: npt.NDArray[np.int32], rows: npt.NDArray[np.int64]) -> None:
        """Say which mentions are names, and of how many entities each page has one."""
        names = np.array([column.endswith("#name") for column in self._codes], np.bool_)
        self.is_name = names[codes]
        entity = rows[self.is_name] * len(names) + codes[self.is_name]
        distinct = np.unique((self.page[self.is_name] << _ENTITY_BITS) | entity) >> _ENTITY_BITS
        self.n_named = np.bincount(distinct, minlength=int(self.page.max(initial=-1)) + 1)

    def _keys_between(
        self, keys: npt.NDArray[np.int64], code: int, first_row: int, end_row: int
    ) -> npt.NDArray[np.int64]:
        """Return those of `keys` that are of some rows of a column."""
        bounds = [(code << self._row_bits) + row << self._mention_bits for row in (first_row, end_row)]
        first, last = np.searchsorted(keys, bounds)
        return keys[first:last]

    def _mentions(self, keys: npt.NDArray[np.int64], code: int, row: int) -> npt.NDArray[np.int64]:
        """Return the row numbers of the mentions that `keys` have of one row of a column."""
        return self._keys_between(keys, code, row, row + 1) & ((1 << self._mention_bits) - 1)

    def of(self, fact: str) -> npt.NDArray[np.int64]:
        """Return the row numbers of the mentions that state `fact`, in page order; empty where none does.

        For a figure by site, right or wrong: those on pages of the site that state a number, not a comparison.
        """
        table, row, name = split_fact(fact)
        column, site = parted(name)
        code = self._codes.get(f"{table}#{column}")
        if code is None or row >> self._row_bits:
            return np.empty(0, np.int64)
        mentions = self._mentions(self._keys, code, row)
        if not site:
            return mentions
        if self._sites is None:
            return mentions[:0]
        untrue = self._mentions(self._untrue, code, row)
        direct = np.sort(np.concatenate([mentions[~np.isin(mentions, self._relative)], untrue]))
        return direct[self._sites.on(site, table, row, self.page[direct])]

    def stated(self, table: str, column: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Say for each of `rows` of a table whether any page states its `column`; negative rows are not stated."""
        code = self._codes.get(f"{table}#{column}")
        if code is None:
            return np.zeros(len(rows), np.bool_)
        if code not in self._present:
            known = self._keys_between(self._keys, code, 0, 1 << self._row_bits) >> self._mention_bits & (
                (1 << self._row_bits) - 1
            )
            present = np.zeros(int(known.max(initial=-1)) + 2, np.bool_)
            present[known] = True
            self._present[code] = present
        present = self._present[code]
        return present[np.minimum(rows, len(present) - 1)]  # the last place stays empty: what is beyond, or negative


def _mapped(path: Path) -> npt.NDArray[Any]:
    return np.asarray(np.load(path, mmap_mode="r"))
