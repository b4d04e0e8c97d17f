"""Derives the figures that each site states from the mentions of its pages, for tasks that ask for figures by site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.stated_values import as_tables_write
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import OWN_SITE
from worldforge.world.parquet_reader import parts
from worldforge.world.site_figures import SITE_FIGURES, PageSites
from worldforge.world.stable_ids import entity_id, rows_of, split_facts
from worldforge.world.table_files import RELATIVE, TOTAL, TRUE_STANCES
from worldforge.world.value_formats import ValueFormats
from worldforge.world.value_text import kind_of, read_value
from worldforge.world.world import World

_KINDS = ("integer", "number")


def derive_site_figures(spec: WorldSpec, tables: Mapping[str, pa.Table], world: World) -> pa.Table:
    """Return a row of `SITE_FIGURES` for each entity, column and site whose pages state one figure.

    A figure is left out if pages of the site disagree on it, or if no page about that type of entity states it.
    Statements relative to another figure and totals do not count. Figures in a site's own unit are converted to the
    table's unit.
    """
    pages, mentions, sites = world.stored("pages.parquet"), world.stored("mentions.parquet"), PageSites.of(world)
    asked = {f"{name}#{column}": (name, column) for name in spec.types for column in _figures_of(tables[name])}
    given: dict[tuple[str, str, str], dict[int, float]] = {}
    on_their_own: dict[tuple[str, str, str], set[int]] = {}
    forms, kinds = ValueFormats(spec, lambda name: tables[name]), pages.select(["kind"])["kind"]
    encoded = kinds.combine_chunks().dictionary_encode()
    on = np.array([spec.pages[kind].about if kind in spec.pages else "" for kind in encoded.dictionary.to_pylist()])
    about = on[encoded.indices.to_numpy()]
    for part in parts(mentions, ["page", "fact", "stance", "value"]):
        told = _told(asked, part)
        for key, places, rows, values in _read(asked, tables, sites, told, forms, kinds):
            known = given.setdefault(key, {})
            for row, value in zip(rows.tolist(), values.tolist(), strict=True):
                if known.setdefault(row, value) != value:
                    known[row] = float("nan")  # its pages disagree, or one cannot be read
            on_its_own = about[rows_of(told["page"])[places]] == key[0]
            on_their_own.setdefault(key, set()).update(rows[on_its_own].tolist())
    found = [
        (entity_id(table, row), column, site, value)
        for (table, column, site), known in sorted(given.items())
        for row, value in sorted(known.items())
        if not np.isnan(value) and row in on_their_own[table, column, site]
    ]
    names = SITE_FIGURES.names
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in found], schema=SITE_FIGURES)


def _figures_of(table: pa.Table) -> list[str]:
    return [one.name for one in table.schema if not pa.types.is_nested(one.type) and kind_of(one.type) in _KINDS]


def _told(asked: Mapping[str, object], part: pa.Table) -> pa.Table:
    """Return the mentions that state a number itself, not a comparison or a total."""
    facts = split_facts(part["fact"].combine_chunks())
    wanted = np.array([*(name in asked for name in facts.columns), False])[facts.codes]  # -1 is of no column
    direct = pc.invert(pc.is_in(part["stance"], pa.array([RELATIVE, TOTAL]))).to_numpy()
    return part.filter(pa.array(wanted & direct))


def _read(
    asked: Mapping[str, tuple[str, str]],
    tables: Mapping[str, pa.Table],
    sites: PageSites,
    told: pa.Table,
    forms: ValueFormats,
    kinds: pa.ChunkedArray,
) -> Iterator[tuple[tuple[str, str, str], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """Yield table, column and site, with three arrays: places in `told`, rows of the table, figures."""
    facts, pages = split_facts(told["fact"].combine_chunks()), rows_of(told["page"])
    true = pc.is_in(told["stance"], pa.array(TRUE_STANCES)).to_numpy()
    for code, name in enumerate(facts.columns):
        table, column = asked[name]
        places = np.flatnonzero(facts.codes == code)
        rows = facts.rows[places]
        held = tables[table][column].combine_chunks().cast(pa.float64()).to_numpy(zero_copy_only=False)
        values = held[rows]
        untrue = np.flatnonzero(~true[places])
        written = as_tables_write(forms, kinds, told.take(pa.array(places[untrue])))["value"].to_pylist()
        values[untrue] = [_number(text) for text in written]
        own = sites.owners[pages[places]] == rows
        for number, site in enumerate(sites.names):
            there = sites.sites[pages[places]] == number
            if " " in site:
                there = there & own if site == f"{OWN_SITE} {table}" else np.zeros(len(there), np.bool_)
            if there.any():
                yield (table, column, OWN_SITE if " " in site else site), places[there], rows[there], values[there]


def _number(text: str) -> float:
    value = read_value(text, "number")
    return float(value) if isinstance(value, int | float) else float("nan")
