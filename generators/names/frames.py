"""Draw names from patterns such as `{family} {trade} Ltd`, without repeats. Each slot is filled from a list of words.

A slot is filled from a culture's words (`{given}`, `{family}`, `{place}`, `{region}`; `{place2}` is another one), or
from a pool of ordinary words that the frames bring along. Row by row the patterns take turns, in an order of each
round's own, so that no pattern crowds out those with fewer words. A keyed permutation gives each row its own words;
*forms*, patterns with one blank slot such as `{} Rovers` or `New {}`, tell apart the names that share them.

Patterns and words are in `tables/`, a YAML file a subject.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from generators.names.cultures import SORTS, Language, culture_of
from generators.names.invented_words import join_words, vocabulary
from worldforge.core.arrays import Integers, first_in_group, rank_in_group
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError, RowsError

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Frames:
    """Name patterns, the word lists that fill their slots, and the variants used when all combinations are taken."""

    patterns: tuple[str, ...]
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    again: tuple[str, ...] = ()


ByLanguage = Mapping[Language, Frames]
Kinds = Mapping[str, Mapping[Language, Mapping[str, tuple[str, ...]]]]
"""Pools that each kind of thing has of its own, by language: the words of a trade, a genre or a field."""


def words(text: str) -> tuple[str, ...]:
    """Split a string of words at its commas, or at its spaces if it has no comma."""
    return tuple(word.strip() for word in text.split(",")) if "," in text else tuple(text.split())


@lru_cache
def read_table(path: str) -> Any:
    """Read a table of words, `sport`, or an entry of it: `sport.club`."""
    subject, *keys = path.split(".")
    file = files("generators.names").joinpath("tables", f"{subject}.yaml")
    if keys:
        return read_table(path.rpartition(".")[0])[keys[-1]]
    return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)


@lru_cache
def frames_of(path: str) -> ByLanguage:
    """Return the frames of a kind of thing: `food.dish`."""
    return {
        language: Frames(tuple(entry["patterns"]), _pools_of(entry.get("pools", {})), tuple(entry.get("again", ())))
        for language, entry in read_table(path).items()
    }


@lru_cache
def kinds_of(path: str) -> Kinds:
    """Return the word lists of each trade, genre or field: `academia.fields`."""
    return {
        kind: {language: _pools_of(pools) for language, pools in by_language.items()}
        for kind, by_language in read_table(path).items()
    }


@lru_cache
def forms_of(path: str, language: Language) -> tuple[str, ...]:
    """List the forms of a kind of thing: its patterns with every choice of words, the last pool's changing first.

    The word `_` stands for nothing.
    """
    frames = frames_of(path)[language]
    made = []
    for pattern in frames.patterns:
        slots = [slot for slot in frames.pools if f"{{{slot}}}" in pattern]
        for chosen in product(*(frames.pools[slot] for slot in slots)):
            form = pattern
            for slot, word in zip(slots, chosen, strict=True):
                form = form.replace(f"{{{slot}}}", word)
            made.append(form.replace(" _", "").replace("_", ""))
    return tuple(made)


def _pools_of(pools: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {slot: words(text) for slot, text in pools.items()}


def distinct_names(
    stream: Stream, rows: Rows, pools: Sequence[pa.Array], again: Sequence[str] = (), *, space: str = " "
) -> pa.Array:
    """Give each row a name of one word from each pool, with `space` between them, no two rows the same.

    Once all are used up they come again, each time in another of the forms `again`. Raises InputError where
    there are not as many names as `rows` asks for.
    """
    size = math.prod(len(pool) for pool in pools)
    _check_enough(rows, size * (1 + len(again)))
    lap, start = np.divmod(rows, size)
    combination = stream.permutation(start, size)
    names = join_words(*_words_at(combination, pools), space=space)
    if not lap.any():
        return names
    form = (stream.child("form").integers(combination, 0, len(again) - 1) + lap - 1) % len(again)
    return pc.if_else(pa.array(lap == 0), names, in_form(names, again, form))


def distinct_forms(
    stream: Stream, rows: Rows, places: pa.Array, forms: Sequence[str], words: pa.Array, *, space: str = " "
) -> pa.Array:
    """Fill each place name into a form; rows with the same place get different forms.

    A place's first rows get each form once, in an order of that place's own; then `words` are added to tell
    its rows apart, each with every form. Raises InputError where a place has more rows than that gives names.
    """
    groups = places.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    rank, first = rank_in_group(groups), rows[first_in_group(groups)]
    _check_enough(rank, len(forms) * (1 + len(words)))
    lap, turn = np.divmod(rank, len(forms))
    form = order_of_key(stream, first, turn, len(forms))
    word = words.take(pa.array((stream.child("word").integers(first, 0, len(words) - 1) + lap) % len(words)))
    names = pc.if_else(pa.array(lap == 0), places, join_words(places, word, space=space))
    return in_form(names, forms, form)


def in_form(names: pa.Array, forms: Sequence[str], chosen: Integers) -> pa.Array:
    """Put each name into its chosen form: `New {}` or `{} Rovers`."""
    before, after = zip(*(form.split("{}") for form in forms), strict=True)
    index = pa.array(chosen)
    return pc.binary_join_element_wise(pa.array(before).take(index), names, pa.array(after).take(index), "")


def order_of_key(stream: Stream, keys: Rows, turn: Integers, size: int) -> Integers:
    """Permute turns [0, size) in an order that each key draws for itself: a start, a stride coprime to size."""
    strides = np.array([stride for stride in range(1, size + 1) if math.gcd(stride, size) == 1], np.int64)
    stride = strides[stream.child("stride").integers(keys, 0, len(strides) - 1)]
    start = stream.child("form").integers(keys, 0, size - 1)
    return (start + stride * turn) % size


def framed(stream: Stream, rows: Rows, culture: str, frames: ByLanguage) -> pa.Array:
    """Give each row a name in one of the patterns of its culture's language, no two rows the same.

    Raises InputError where there are not as many names as `rows` asks for.
    """
    chosen = frames[culture_of(culture).language]
    pools = [_pools(pattern, chosen, culture) for pattern in chosen.patterns]
    sizes = [math.prod(len(pool) for pool in one) for one in pools]
    n_patterns = len(pools)
    _check_enough(rows, min(sizes) * (1 + len(chosen.again)) * n_patterns)
    lap, turn = np.divmod(rows, n_patterns)
    pattern = order_of_key(stream, lap, turn, n_patterns)

    def made(number: int, members: Rows) -> pa.Array:
        text = chosen.patterns[number]
        repeat, start = np.divmod(lap[members], sizes[number])
        combination = stream.child(text).permutation(start, sizes[number])
        first, *pieces = _SLOT.split(text)[::2]
        columns = [first]
        for word, piece in zip(_words_at(combination, pools[number]), pieces, strict=True):
            columns += [word, piece]
        names = pc.binary_join_element_wise(*columns, "")
        again = in_form(names, chosen.again, (combination + repeat - 1) % len(chosen.again)) if repeat.any() else names
        return pc.if_else(pa.array(repeat == 0), names, again)

    return _by_group(pattern, made)


def framed_by(
    stream: Stream, rows: Rows, culture: str, frames: ByLanguage, kinds: Kinds, kind: pa.Array | str | None, name: str
) -> pa.Array:
    """Name rows as `framed` does, with the word lists of their trade, genre or field.

    `name` is what a spec calls the kind. Raises InputError for a kind there is none of.
    """
    if kind is None:
        listed = sorted(kinds)
        kind = pa.array(listed).take(pa.array(stream.child(name).integers(rows, 0, len(listed) - 1)))
    language = culture_of(culture).language
    if isinstance(kind, str):
        _check_known(pa.array([kind]), kinds, name)
        shared = frames[language]
        own = replace(shared, pools={**shared.pools, **kinds[kind][language]})
        return framed(stream.child(kind), rows, culture, {language: own})
    _check_known(kind, kinds, name)
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


def _words_at(combinations: Integers, pools: Sequence[pa.Array]) -> list[pa.Array]:
    """Return each pool's word of a combination: a number in the mixed radix of their sizes."""
    places = np.unravel_index(combinations, [len(pool) for pool in pools])
    return [pool.take(pa.array(place)) for pool, place in zip(pools, places, strict=True)]


def _check_enough(ranks: Integers, size: int) -> None:
    """Raise InputError where the highest of the ranks, which count from 0, lies beyond `size`."""
    n_needed = int(ranks.max(initial=-1)) + 1
    if n_needed > size:
        message = f"there are {size:,} different names of this sort, and {n_needed:,} are asked for"
        raise InputError(message, "lower the count")


def _check_known(given: pa.Array, kinds: Kinds, name: str) -> None:
    unknown = pc.invert(pc.is_in(given, pa.array(sorted(kinds)))).to_numpy(zero_copy_only=False)
    if unknown.any():
        rows = np.flatnonzero(unknown)
        message = f"unknown {name} `{given[int(rows[0])].as_py()}`"
        raise RowsError(message, f"choose among {', '.join(sorted(kinds))}", rows)
