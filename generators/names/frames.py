"""Names by pattern, without repeats: `{family} {trade} Ltd` has a slot for each word that may change.

A slot is filled from a culture's words (`{given}`, `{family}`, `{place}`, `{region}`; `{place2}` is another one), or
from a pool of ordinary words that the frames bring along. Row by row the patterns take turns, in an order of each
round's own, so that no pattern crowds out those with fewer words. A keyed permutation gives each row its own words;
*forms*, patterns with one blank slot such as `{} Rovers` or `New {}`, tell apart the names that share them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import SORTS, Language, culture_of
from generators.names.invented_words import join_words, vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError, RowsError
from worldforge.core.group_ranks import Indices, first_in_group, rank_in_group


def distinct_names(
    stream: Stream, rows: Rows, pools: Sequence[pa.Array], again: Sequence[str] = (), *, space: str = " "
) -> pa.Array:
    """Give each row a name of one word from each pool, with `space` between them, no two rows the same.

    Once all are used up they come again, each time in another of the forms `again`. Raises InputError where
    there are not as many names as `rows` asks for.
    """
    size = math.prod(len(pool) for pool in pools)
    refuse_too_many(rows, size * (1 + len(again)))
    lap, start = np.divmod(rows, size)
    combination = stream.permutation(start, size)
    names = join_words(*(pool.take(pa.array(index)) for pool, index in digits(combination, pools)), space=space)
    if not lap.any():
        return names
    form = (stream.child("form").integers(combination, 0, len(again) - 1) + lap - 1) % len(again)
    return pc.if_else(pa.array(lap == 0), names, in_form(names, again, form))


def distinct_forms(
    stream: Stream, rows: Rows, places: pa.Array, forms: Sequence[str], words: pa.Array, *, space: str = " "
) -> pa.Array:
    """Put each place into a form, no two rows of one place into the same.

    A place's first rows get each form once, in an order of that place's own; then `words` are added to tell
    its rows apart, each with every form. Raises InputError where a place has more rows than that gives names.
    """
    groups = places.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    rank, first = rank_in_group(groups), rows[first_in_group(groups)]
    refuse_too_many(rank, len(forms) * (1 + len(words)))
    lap, turn = np.divmod(rank, len(forms))
    form = order_of_key(stream, first, turn, len(forms))
    word = words.take(pa.array((stream.child("word").integers(first, 0, len(words) - 1) + lap) % len(words)))
    told_apart = pc.if_else(pa.array(lap == 0), places, join_words(places, word, space=space))
    return in_form(told_apart, forms, form)


def in_form(names: pa.Array, forms: Sequence[str], chosen: Indices) -> pa.Array:
    """Put each name into its chosen form: `New {}` or `{} Rovers`."""
    before, after = zip(*(form.split("{}") for form in forms), strict=True)
    index = pa.array(chosen)
    return pc.binary_join_element_wise(pa.array(before).take(index), names, pa.array(after).take(index), "")


def order_of_key(stream: Stream, keys: Rows, turn: Indices, size: int) -> Indices:
    """Permute turns [0, size) in an order that each key draws for itself: a start, a stride coprime to size."""
    strides = np.array([stride for stride in range(1, size + 1) if math.gcd(stride, size) == 1], np.int64)
    stride = strides[stream.child("stride").integers(keys, 0, len(strides) - 1)]
    start = stream.child("form").integers(keys, 0, size - 1)
    return (start + stride * turn) % size


def digits(numbers: Indices, pools: Sequence[pa.Array]) -> list[tuple[pa.Array, Indices]]:
    """Write numbers in the mixed radix of the pools' sizes: the word of each pool."""
    digits = np.unravel_index(numbers, [len(pool) for pool in pools])
    return list(zip(pools, digits, strict=True))


def refuse_too_many(ranks: Indices, size: int) -> None:
    """Raise InputError where the highest of the ranks, which count from 0, lies beyond `size`."""
    asked = int(ranks.max(initial=-1)) + 1
    if asked > size:
        raise InputError(
            f"there are {size:,} different names of this sort, and {asked:,} are asked for",
            "lower the count",
        )


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
    pattern = order_of_key(stream, lap, turn, n_patterns)

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
