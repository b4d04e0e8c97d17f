"""Figures as one site gives them, true or not: `seats@inspectorate` are the seats as the site `inspectorate` has them.

Such a column stands in no table of entities. It is derived from what pages state, for questions that ask for it:
`site_figures.parquet` of a world holds what each site says, where all its pages that say it agree.

    parted("seats@inspectorate")               ("seats", "inspectorate")
    with_site_figures(tables, folder)          the tables, with these columns beside their own
    PageSites.of(world).on("own", "club", 31, pages)      which of some pages are of that club's own site
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.schema.web_section import OWN_SITE
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import read_parquet

if TYPE_CHECKING:
    from worldforge.world.world import World

SITE_FIGURES_FILE = "site_figures.parquet"
"""What the file is called in a world's folder; it is there where tasks ask for such figures."""
SITE_FIGURES = pa.schema([("id", pa.string()), ("column", pa.string()), ("site", pa.string()), ("value", pa.float64())])
"""One row a figure that a site gives: the entity, its column, the site's key in the spec or `own`, and the figure."""
_AT = "@"


def parted(column: str) -> tuple[str, str]:
    """Return a column and the site that is to give it; the site is empty where the table's own value is meant."""
    name, _, site = column.partition(_AT)
    return name, site


def table_column(column: str) -> str:
    """Return the table's column that a figure of a site is of, or the column itself."""
    return parted(column)[0]


def is_of_site(fact: str) -> bool:
    """Return whether a fact is a figure as a site gives it: `club/0031#capacity@herald`."""
    return _AT in fact


def of_table(fact: str) -> str:
    """Return the fact of the table that a figure of a site is of, or the fact itself."""
    return fact.partition(_AT)[0]


def by_site(column: str, site: str) -> str:
    """Return the column of a figure as a site gives it."""
    return f"{column}{_AT}{site}"


@dataclass(frozen=True)
class PageSites:
    """On which site each page stands: a number of `names`, -1 for none that has a key; and whose own site it is.

    The own sites of entities of a type are one of `names`, `own club`; `owners` has the row of the entity, else -1.
    `hosts` has the host of each site of `names`, empty for such.
    """

    names: Sequence[str]
    hosts: Sequence[str]
    sites: npt.NDArray[np.int32]
    owners: npt.NDArray[np.int64]

    @classmethod
    def of(cls, world: World) -> PageSites:
        """Read the sites of a world's pages; copies of pages and old states of them stand on none."""
        pages, kinds = world.stored("pages.parquet").select(["kind", "url", "site"]), world.spec.pages
        names: dict[str, int] = {}
        encoded = pages["kind"].combine_chunks().dictionary_encode()
        of_kind = np.full(len(encoded.dictionary), -1, np.int32)
        owners = np.full(pages.num_rows, -1, np.int64)
        codes = encoded.indices.to_numpy()
        for code, key in enumerate(encoded.dictionary.to_pylist()):
            kind = kinds.get(key)
            if kind is None or kind.copies or kind.archives:
                continue
            if kind.address is not None:
                of_kind[code] = names.setdefault(_own(kind.about), len(names))
                rows = np.flatnonzero(codes == code)
                owners[rows] = _rows_at(world.entities(kind.about)[kind.address], pages["url"].take(pa.array(rows)))
            elif kind.site is not None:
                of_kind[code] = names.setdefault(kind.site, len(names))
        sites = of_kind[codes]
        firsts = {name: int(np.argmax(sites == number)) for name, number in names.items()}
        hosts = ["" if _is_own(name) else pages["site"][page].as_py() for name, page in firsts.items()]
        return cls(list(names), hosts, sites, owners)

    def on(self, site: str, table: str, row: int, pages: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Say which of some pages, by row number, are of a site; of `own`, that of an entity, by its table and row."""
        name = _own(table) if site == OWN_SITE else site
        if name not in self.names:
            return np.zeros(len(pages), np.bool_)
        there = self.sites[pages] == list(self.names).index(name)
        return there & (self.owners[pages] == row) if site == OWN_SITE else there

    def name_of(self, page: int, entity: str) -> str:
        """Return the site of a page as a path names it, where it is that of an entity or of nobody; empty for none."""
        name = "" if self.sites[page] < 0 else self.names[self.sites[page]]
        table, _, row = entity.partition("/")
        if not _is_own(name):
            return name
        return OWN_SITE if name == _own(table) and int(row) == self.owners[page] else ""


def page_sites(world: World) -> PageSites | None:
    """Return the sites of a world's pages, where its tasks ask for figures by site."""
    return PageSites.of(world) if (world.path / SITE_FIGURES_FILE).exists() else None


def _own(type_name: str) -> str:
    return f"{OWN_SITE} {type_name}"  # a blank: no site is called so


def _is_own(name: str) -> bool:
    return " " in name


def _rows_at(addresses: pa.ChunkedArray, urls: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Return the row of the entity whose address a page's is; -1 for none."""
    rows = {url: row for row, url in enumerate(addresses.to_pylist()) if url}
    return np.array([rows.get(url, -1) for url in urls.to_pylist()], np.int64)


def with_site_figures(tables: Mapping[str, pa.Table], folder: Path) -> dict[str, pa.Table]:
    """Return tables of entities with a column for each figure of a site that the world in `folder` has on file."""
    if not (folder / SITE_FIGURES_FILE).exists():
        return dict(tables)
    figures, found = read_parquet(folder / SITE_FIGURES_FILE), dict(tables)
    for (table, column, site), (rows, values) in _columns_in(figures).items():
        if table in found:
            held = np.full(found[table].num_rows, np.nan)
            held[rows] = values
            own = pa.array(held, pa.float64(), from_pandas=True).cast(found[table].schema.field(column).type)
            found[table] = found[table].append_column(by_site(column, site), own)
    return found


def _columns_in(figures: pa.Table) -> dict[tuple[str, str, str], tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """Return rows and figures by table, column and site."""
    places: dict[tuple[str, str, str], list[int]] = {}
    ids, columns, sites = (figures[name].to_pylist() for name in ("id", "column", "site"))
    for place, (id_, column, site) in enumerate(zip(ids, columns, sites, strict=True)):
        places.setdefault((id_.partition("/")[0], column, site), []).append(place)
    rows, values = rows_of(figures["id"]), figures["value"].to_numpy()
    return {key: (rows[own], values[own]) for key, own in places.items()}
