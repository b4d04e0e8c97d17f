"""Names without repeats: a keyed permutation gives each row its own words, forms tell apart those that share.

A *form* is a frame around a name, `{} Rovers` or `New {}`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.invented_words import join_words
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError
from worldforge.core.groups import Indices, first_in_group, rank_in_group


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
    form = own_order(stream, first, turn, len(forms))
    word = words.take(pa.array((stream.child("word").integers(first, 0, len(words) - 1) + lap) % len(words)))
    told_apart = pc.if_else(pa.array(lap == 0), places, join_words(places, word, space=space))
    return in_form(told_apart, forms, form)


def in_form(names: pa.Array, forms: Sequence[str], chosen: Indices) -> pa.Array:
    """Put each name into its chosen form: `New {}` or `{} Rovers`."""
    before, after = zip(*(form.split("{}") for form in forms), strict=True)
    index = pa.array(chosen)
    return pc.binary_join_element_wise(pa.array(before).take(index), names, pa.array(after).take(index), "")


def own_order(stream: Stream, keys: Rows, turn: Indices, size: int) -> Indices:
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
