"""Figures as a named site gives them, right or wrong: the column `seats@inspectorate` has the seats that the site
`inspectorate` states.

Such columns are in no table of entities. A build derives them from the pages, if its tasks ask for them, and writes
them to `site_figures.parquet`: a row for each entity, column and site, if all pages of the site agree.

    parted("seats@inspectorate")               ("seats", "inspectorate")
    with_site_figures(tables, folder)          the tables, with these columns beside their own
    PageSites.of(world).on("own", "club", 31, pages)      a mask: which of these pages are of that club's official site
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
"""Name of the file in a world's folder. It exists only if tasks ask for figures by site."""
SITE_FIGURES = pa.schema([("id", pa.string()), ("column", pa.string()), ("site", pa.string()), ("value", pa.float64())])
"""A row a figure: the entity's id, its column, the site's key in the spec or `own`, the figure in the table's unit."""
_AT = "@"


def parted(column: str) -> tuple[str, str]:
    """Split `seats@inspectorate` into column and site; the site is empty for a column of the table."""
    name, _, site = column.partition(_AT)
    return name, site


def table_column(column: str) -> str:
    """Return the column of the table: `seats` for `seats@inspectorate`, and for `seats`."""
    return parted(column)[0]


def is_of_site(fact: str) -> bool:
    """Return whether a fact is a figure as a site gives it: `club/0031#capacity@herald`."""
    return _AT in fact


def of_table(fact: str) -> str:
    """Return the fact without its site: `club/0031#capacity` for `club/0031#capacity@herald`."""
    return fact.partition(_AT)[0]


def by_site(column: str, site: str) -> str:
    """Write the column of a site's figures: `seats@inspectorate`."""
    return f"{column}{_AT}{site}"


@dataclass(frozen=True)
class PageSites:
    """The site of every page of a world.

    `names` are the keys of sites in the spec, and one entry a type for official sites of its entities: `own club`.
    `hosts` has the host of each of them, empty for official sites. `sites` is an index into `names` a page, in page
    order, -1 for pages of no such site; `owners` the row of the entity whose official site a page is, else -1.
    """

    names: Sequence[str]
    hosts: Sequence[str]
    sites: npt.NDArray[np.int32]
    owners: npt.NDArray[np.int64]

    @classmethod
    def of(cls, world: World) -> PageSites:
        """Read the sites of a world's pages. Copies of pages and archived pages count as on no site."""
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
        """Return a mask over row numbers of `pages`: those on `site`; for `own`, on that of the entity in `row`."""
        name = _own(table) if site == OWN_SITE else site
        if name not in self.names:
            return np.zeros(len(pages), np.bool_)
        there = self.sites[pages] == list(self.names).index(name)
        return there & (self.owners[pages] == row) if site == OWN_SITE else there

    def name_of(self, page: int, entity: str) -> str:
        """Return the site of a page for figures of an entity: its key, or `own` for the entity's official site.

        Empty for pages of no such site, and of the official sites of others.
        """
        name = "" if self.sites[page] < 0 else self.names[self.sites[page]]
        table, _, row = entity.partition("/")
        if not _is_own(name):
            return name
        return OWN_SITE if name == _own(table) and int(row) == self.owners[page] else ""


def page_sites(world: World) -> PageSites | None:
    """Return the sites of a world's pages; None where no task asks for figures by site."""
    return PageSites.of(world) if (world.path / SITE_FIGURES_FILE).exists() else None


def _own(type_name: str) -> str:
    return f"{OWN_SITE} {type_name}"  # a blank: no site is called so


def _is_own(name: str) -> bool:
    return " " in name


def _rows_at(addresses: pa.ChunkedArray, urls: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Return for each URL the row of the entity with that address; -1 where there is none."""
    rows = {url: row for row, url in enumerate(addresses.to_pylist()) if url}
    return np.array([rows.get(url, -1) for url in urls.to_pylist()], np.int64)


def with_site_figures(tables: Mapping[str, pa.Table], folder: Path) -> dict[str, pa.Table]:
    """Add a column such as `seats@inspectorate` to tables of entities for all figures in a world's folder."""
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
    """Group figures: rows and values by table, column and site."""
    places: dict[tuple[str, str, str], list[int]] = {}
    ids, columns, sites = (figures[name].to_pylist() for name in ("id", "column", "site"))
    for place, (id_, column, site) in enumerate(zip(ids, columns, sites, strict=True)):
        places.setdefault((id_.partition("/")[0], column, site), []).append(place)
    rows, values = rows_of(figures["id"]), figures["value"].to_numpy()
    return {key: (rows[own], values[own]) for key, own in places.items()}
