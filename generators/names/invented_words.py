"""List the words that a culture's syllables can form, without words of well-known real names."""

from __future__ import annotations

from functools import lru_cache, reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import Sort, Syllables, culture_of
from worldforge.core.imports import shipped_lines


@lru_cache
def vocabulary(culture: str, sort: Sort) -> pa.Array:
    """List every word of a kind (family name, town, …) once, in the order of the syllable tables. Raises InputError."""
    chosen = culture_of(culture)
    words = pa.concat_arrays([every_word(table) for table in chosen.words[sort]]).unique()
    if sort in chosen.borne:
        return words
    return words.filter(pc.invert(pc.is_in(pc.utf8_lower(words), real_words())))


def every_word(table: Syllables) -> pa.Array:
    """List all words that a table of syllables can form."""
    words, *others = map(pa.array, table)
    for part in others:
        n_words, n_endings = len(words), len(part)
        begun = words.take(pa.array(np.repeat(np.arange(n_words), n_endings)))
        words = pc.binary_join_element_wise(begun, part.take(pa.array(np.tile(np.arange(n_endings), n_words))), "")
    return words


@lru_cache
def real_names() -> pa.Array:
    """List the well-known real names that are shipped, in lower case."""
    return pa.array(shipped_lines("names", "real_names.txt"))


@lru_cache
def real_words() -> pa.Array:
    """List the words of all real names, once each: `saint-etienne` gives `saint` and `etienne`, 李白 also 白."""
    listed = real_names()
    latin = pc.split_pattern_regex(listed, r"[^a-z]+").flatten()
    chinese = listed.filter(pc.match_substring_regex(listed, r"^\p{Han}{2,}$"))
    given = [pc.utf8_slice_codeunits(chinese, family) for family in (1, 2)]
    return pa.concat_arrays([latin, chinese, *given]).unique()


def join_words(*columns: pa.Array, space: str = " ") -> pa.Array:
    """Join columns of words into one, with `space` between."""
    return reduce(lambda left, right: pc.binary_join_element_wise(left, right, space), columns)
