"""Checks on what entities are called: names that are shared as far as the spec asks, aliases that are nobody else's."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter
from worldforge.core.groups import rank_in_group
from worldforge.schema.spec import Name
from worldforge.world.stable_ids import rows_of

_SIGMAS = 5  # how far a share that was drawn may be from the share that was asked for
_ALONE = 2  # entities that may be left over where names are shared


def check_called(tally: CheckCounter, type_name: str, asked: Name, table: pa.Table) -> None:
    """Names are there, unique but for the namesakes asked for; aliases are unique, and nobody's name."""
    names = pc.fill_null(table["name"].combine_chunks(), "")
    counts = pc.struct_field(names.value_counts(), "counts").to_numpy()
    values = pc.struct_field(names.value_counts(), "values")
    wrong = pc.equal(values, "").to_numpy(zero_copy_only=False) | ((counts > 1) & (not asked.namesakes))
    shown = values.filter(pa.array(wrong)).slice(0, MOST_SHOWN).to_pylist()
    tally.failed([f"{type_name}: the name `{value}` is missing or not unique" for value in shown], int(wrong.sum()))
    if asked.namesakes:
        n = int(counts[counts > 1].sum())
        _check_share(tally, f"{type_name}: names are shared by", n, len(names), asked.namesakes, at_least=True)
    _check_aliases(tally, type_name, asked, names, table["aliases"].combine_chunks())


def by_alias(
    tables: Mapping[str, pa.Table],
    name: str,
    references: str | None,
    rows: npt.NDArray[np.int64],
    mentions: pa.Table,
    equal: pa.Array,
) -> pa.Array:
    """Say of the mentions of a column (`club#town`), one for each of `rows`, whether they hold.

    One whose stance is `alias` does where an alias of what it names is written; any other where `equal` says so.
    """
    said = pc.equal(mentions["stance"].combine_chunks(), "alias")
    if not pc.any(said).as_py():
        return equal
    table, _, column = name.partition("#")
    if references is None and column != "name":
        return pc.if_else(said, False, equal)
    entities = rows if references is None else rows_of(tables[table][column].take(pa.array(rows)))
    aliases = tables[references or table]["aliases"].combine_chunks()
    listed = _marked(pc.list_parent_indices(aliases), pc.list_flatten(aliases))
    written = _marked(pa.array(entities), mentions["value"].combine_chunks())
    return pc.if_else(said, pc.is_in(written, listed), equal)


def _marked(rows: pa.Array, texts: pa.Array) -> pa.Array:
    """Write which row each text is of before it."""
    return pc.binary_join_element_wise(rows.cast(pa.string()), texts, "\0")


def _check_aliases(tally: CheckCounter, type_name: str, asked: Name, names: pa.Array, aliases: pa.Array) -> None:
    texts = pc.fill_null(pc.list_flatten(aliases), "")
    keys = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    places = rank_in_group(keys.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64))
    is_name = pc.is_in(keys, pc.utf8_lower(names)).to_numpy(zero_copy_only=False)
    empty = pc.equal(keys, "").to_numpy(zero_copy_only=False)
    for wrong, said in ((empty, "empty"), (is_name & ~empty, "a name"), ((places > 0) & ~empty, "there before")):
        shown = texts.filter(pa.array(wrong)).slice(0, MOST_SHOWN).to_pylist()
        tally.failed([f"{type_name}: the alias `{alias}` is {said}" for alias in shown], int(wrong.sum()))
    n_any = len(pc.unique(pc.list_parent_indices(aliases)))
    share = asked.aliases.share if asked.aliases else 0.0
    _check_share(tally, f"{type_name}: aliases are borne by", n_any, len(names), share, at_least=False)


def _check_share(tally: CheckCounter, said: str, n: int, of: int, share: float, *, at_least: bool) -> None:
    slack = _SIGMAS * math.sqrt(of * share * (1 - share)) + _ALONE * (share > 0)
    if n > of * share + slack or (at_least and n < of * share - slack):
        tally.failed([f"{said} {n} of {of}, where a share of {share} is asked for"])
