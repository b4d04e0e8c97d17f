"""Names by pattern: `{family} {trade} Ltd` has a slot for each word that may change, and fixed words between them.

A slot is filled from a culture's words (`{given}`, `{family}`, `{place}`, `{region}`; `{place2}` is another one), or
from a pool of ordinary words that the frames bring along. Row by row the patterns take turns, in an order of each
round's own, so that no pattern crowds out those with fewer words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import SORTS, Language, culture_of
from generators.names.distinct import digits, in_form, own_order, refuse_too_many
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import RowsError

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Frames:
    """Patterns, the pools their slots draw from, and the forms that names take once all are used up."""

    patterns: tuple[str, ...]
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    again: tuple[str, ...] = ()


ByLanguage = Mapping[Language, Frames]
Kind = Mapping[Language, Mapping[str, tuple[str, ...]]]
Kinds = Mapping[str, Kind]
"""Pools that each kind of thing has of its own, by language: the words of a trade, a genre or a field."""


def words(text: str) -> tuple[str, ...]:
    """Read a pool of words: split at commas where there are any, else at spaces."""
    return tuple(word.strip() for word in text.split(",")) if "," in text else tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """Read a table of words and what stands for each: `River:河 Lake:湖`."""
    return {word: meant for word, _, meant in (pair.partition(":") for pair in text.split())}


def framed(stream: Stream, rows: Rows, culture: str, frames: ByLanguage) -> pa.Array:
    """Give each row a name in one of the patterns of its culture's language, no two rows the same.

    Raises InputError where there are not as many names as `rows` asks for.
    """
    chosen = frames[culture_of(culture).language]
    pools = [_pools(pattern, chosen, culture) for pattern in chosen.patterns]
    sizes = [math.prod(len(pool) for pool in one) for one in pools]
    n_patterns = len(pools)
    refuse_too_many(rows, min(sizes) * (1 + len(chosen.again)) * n_patterns)
    lap, turn = np.divmod(rows, n_patterns)
    pattern = own_order(stream, lap, turn, n_patterns)

    def made(number: int, members: Rows) -> pa.Array:
        text, own = chosen.patterns[number], pools[number]
        repeat, start = np.divmod(lap[members], sizes[number])
        combination = stream.child(text).permutation(start, sizes[number])
        names = _filled(text, own, combination)
        again = in_form(names, chosen.again, (combination + repeat - 1) % len(chosen.again)) if repeat.any() else names
        return pc.if_else(pa.array(repeat == 0), names, again)

    return _by_group(pattern, made)


def framed_by(
    stream: Stream, rows: Rows, culture: str, frames: ByLanguage, kinds: Kinds, kind: pa.Array | str | None, name: str
) -> pa.Array:
    """Name rows as `framed` does, with the pools of their kind: one for all rows, one a row, or any.

    `name` is what a spec calls the kind. Raises InputError for a kind there is none of.
    """
    if kind is None:
        listed = sorted(kinds)
        kind = pa.array(listed).take(pa.array(stream.child(name).integers(rows, 0, len(listed) - 1)))
    language = culture_of(culture).language
    if isinstance(kind, str):
        _refuse_unknown(pa.array([kind]), kinds, name)
        shared = frames[language]
        own = replace(shared, pools={**shared.pools, **kinds[kind][language]})
        return framed(stream.child(kind), rows, culture, {language: own})
    _refuse_unknown(kind, kinds, name)
    encoded = kind.dictionary_encode()
    names = encoded.dictionary.to_pylist()
    return _by_group(
        encoded.indices.to_numpy(zero_copy_only=False),
        lambda number, members: framed_by(stream, rows[members], culture, frames, kinds, names[number], name),
    )


def _by_group(groups: Rows, make: Callable[[int, Rows], pa.Array]) -> pa.Array:
    """Make the texts of each group by `make(group, its rows)`, and return them in the order of the rows."""
    members = {int(group): np.flatnonzero(groups == group) for group in np.unique(groups)}
    if not members:
        return pa.array([], pa.string())
    place = np.argsort(np.concatenate(list(members.values())))
    return pa.concat_arrays([make(group, rows) for group, rows in members.items()]).take(pa.array(place))


def _pools(pattern: str, frames: Frames, culture: str) -> list[pa.Array]:
    """Find the words for each slot of a pattern, in order."""
    pools = []
    for slot in _SLOT.findall(pattern):
        sort = slot.rstrip("2")
        pools.append(vocabulary(culture, sort) if sort in SORTS else pa.array(frames.pools[slot]))
    return pools


def _filled(pattern: str, pools: list[pa.Array], combination: Rows) -> pa.Array:
    """Put the words that each combination stands for into a pattern."""
    pieces = _SLOT.split(pattern)[::2]
    columns: list[pa.Array | str] = [pieces[0]]
    for (pool, index), piece in zip(digits(combination, pools), pieces[1:], strict=True):
        columns += [pool.take(pa.array(index)), piece]
    return pc.binary_join_element_wise(*columns, "")


def _refuse_unknown(given: pa.Array, kinds: Kinds, name: str) -> None:
    unknown = pc.invert(pc.is_in(given, pa.array(sorted(kinds)))).to_numpy(zero_copy_only=False)
    if unknown.any():
        rows = np.flatnonzero(unknown)
        raise RowsError(
            f"unknown {name} `{given[int(rows[0])].as_py()}`", f"choose among {', '.join(sorted(kinds))}", rows
        )
