"""Invented words: all that a culture's syllables make of a sort, but for the words of well-known real names."""

from __future__ import annotations

from functools import lru_cache, reduce
from importlib.resources import files

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import Sort, syllables_of


@lru_cache
def vocabulary(culture: str, sort: Sort) -> pa.Array:
    """List every word of a sort, each once, in the order of the syllable tables."""
    syllables = syllables_of(culture, sort)
    parts = (syllables.beginnings, syllables.middles, syllables.ends)
    chosen = np.unravel_index(np.arange(np.prod([len(part) for part in parts])), [len(part) for part in parts])
    columns = [pa.array(part).take(pa.array(index)) for part, index in zip(parts, chosen, strict=True)]
    words = pc.binary_join_element_wise(*columns, "").unique()
    return words.filter(pc.invert(pc.is_in(pc.utf8_lower(words), real_words())))


@lru_cache
def real_names() -> pa.Array:
    """List the well-known real names that are shipped, in lower case."""
    lines = files("generators.names").joinpath("real_names.txt").read_text(encoding="utf-8").splitlines()
    return pa.array(line for line in lines if line and not line.startswith("#"))


@lru_cache
def real_words() -> pa.Array:
    """List the words of all real names, once each: `saint-etienne` gives `saint` and `etienne`."""
    return pc.split_pattern_regex(real_names(), r"[^a-z]+").flatten().unique()


def join_words(*columns: pa.Array) -> pa.Array:
    """Join columns of words into one, with a space between."""
    return reduce(lambda left, right: pc.binary_join_element_wise(left, right, " "), columns)
