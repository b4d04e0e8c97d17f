"""Assign shared names (homonyms), and draw aliases.

    assign_homonyms(draft, "town")        some towns now bear the very name of another one
    draw_aliases(draft, "club")        [["V.R."], [], ["Rovers", "FC Velmar"], …]

Both are drawn after all else of a name, from streams of their own: they move no other value.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.column_drawers import drawer_of, in_part, name_key, scatter
from worldforge.builders.populate.draft_tables import DraftTables, flags_of
from worldforge.core.arrays import Integers, rank_in_group
from worldforge.core.chance import Rows, Stream
from worldforge.core.imports import load, shipped_lines
from worldforge.schema.column_dependencies import dependency_graph
from worldforge.schema.spec import Aliases, WorldSpec
from worldforge.world.lexicon.english_lexicon import COMMON, MONTH_NUMBERS, NEGATIONS, NUMBER_WORDS, UNITS

_ALIKE = (2, 2, 3)  # how many share a name: so in turn
_TRIES = 2  # draws of one form
_TWO = 0.25  # of those with an alias, who has another
_UNFIT = r"[|\[\]\n\r]"  # would break a table or a link
_READ_OTHERWISE = sorted({*COMMON, *NEGATIONS, *NUMBER_WORDS, *UNITS, *MONTH_NUMBERS})
"""Words that a text is read for as something else: no alias is one of them."""


def assign_homonyms(draft: DraftTables, table: str) -> None:
    """Let a share of a type's entities share names in groups of two and three."""
    share = draft.spec.types[table].name.namesakes
    rows = draft.rows(table)
    chosen = rows[draft.stream(table, "name").child("namesakes").uniform(rows) < share]
    names = draft.column(table, "name")
    if len(chosen) > 1:
        rows[chosen] = chosen[_first_of_group(len(chosen))]
        draft.put(table, "name", names.take(pa.array(rows)))


def name_sources_with_homonyms(spec: WorldSpec, table: str) -> list[str]:
    """List the types with namesakes whose names are part of the names of a type."""
    behind = nx.ancestors(dependency_graph(spec), (table, "name"))
    return [name for name, kind in spec.types.items() if kind.name.namesakes and (name, "name") in behind]


def draw_aliases(draft: DraftTables, table: str) -> pa.Array:
    """Draw the aliases of a type's entities (list of string); each is unique among names and aliases.

    Each form is tried in turn, from one that chance begins with; where none gives what nobody else is called, an
    entity that was to have aliases has none.
    """
    aliases = draft.spec.types[table].name.aliases
    rows, names = draft.rows(table), draft.column(table, "name")
    if aliases is None:
        return _lists(len(rows), np.empty(0, np.int64), names.slice(0, 0))
    stream = draft.stream(table, "aliases")
    wanted = (stream.child("share").uniform(rows) < aliases.share).astype(np.int64)
    wanted += wanted * (stream.child("another").uniform(rows) < _TWO)
    candidates = _candidates(draft, table, aliases, stream, np.flatnonzero(wanted))
    turn = stream.child("form").integers(rows, 0, len(aliases.forms) - 1)
    given: list[Rows] = []
    texts: list[pa.Array] = []
    real = pa.array(shipped_lines("names", "real_names.txt"), pa.string())
    taken = name_key(pa.concat_arrays([names, real, pa.array(_READ_OTHERWISE)])).unique()
    n_given = np.zeros_like(wanted)
    for attempt in range(len(aliases.forms) * _TRIES):
        draw, step = divmod(attempt, len(aliases.forms))
        form = (turn + step) % len(aliases.forms)
        offered = candidates.take(pa.array((draw * len(aliases.forms) + form) * len(rows) + rows))
        keys = name_key(offered)
        free = (n_given < wanted) & flags_of(pc.invert(pc.is_in(keys, taken))) & flags_of(pc.not_equal(keys, ""))
        free &= flags_of(pc.invert(pc.match_substring_regex(offered, _UNFIT)))
        if draft.spec.names_part is not None:
            free &= in_part(draft.spec.names_part, offered)
        own = np.flatnonzero(free)
        own = own[rank_in_group(keys.take(pa.array(own)).dictionary_encode().indices.to_numpy()) == 0]
        given.append(own)
        texts.append(offered.take(pa.array(own)))
        taken = pa.concat_arrays([taken, keys.take(pa.array(own))])
        n_given[own] += 1
    return _lists(len(rows), np.concatenate(given), pa.concat_arrays(texts))


def _first_of_group(n: int) -> Integers:
    """Split n items into groups of two and three; return the index of the first of its group for each."""
    starts = np.cumsum(np.tile((0, *_ALIKE[:-1]), 1 + n // sum(_ALIKE)).reshape(-1, len(_ALIKE)), axis=1)
    starts += sum(_ALIKE) * np.arange(len(starts))[:, None]
    firsts = starts[starts < n - 1]  # what is left alone at the end joins those before it
    return firsts[np.searchsorted(firsts, np.arange(n), side="right") - 1]


def _candidates(draft: DraftTables, table: str, aliases: Aliases, stream: Stream, chosen: Rows) -> pa.Array:
    """Return the alias of each form for each row (null for none), form after form, once for each try."""
    rows, names = draft.rows(table), draft.column(table, "name")
    made = []
    for draw in range(_TRIES):
        for form in aliases.forms:
            own = stream.child(form, draw)
            if form == "former":
                present = np.isin(rows, chosen)
                made.append(scatter(drawer_of(draft, table, "name")(own, chosen), present))
            else:
                made.append(load(f"names.{form}")(own, rows, of=names))
                if form == "transliterated" and "zh" in draft.spec.languages:
                    in_chinese = load("names.in_chinese")(own, rows, of=names)
                    made[-1] = pc.if_else(pc.equal(in_chinese, names), made[-1], in_chinese)
    return pa.concat_arrays([column.cast(pa.string()) for column in made])


def _lists(n_rows: int, rows: Rows, texts: pa.Array) -> pa.Array:
    """Put texts into lists, one list a row, in the order in which they are given."""
    order = np.argsort(rows, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), texts.take(pa.array(order)).cast(pa.string()))
