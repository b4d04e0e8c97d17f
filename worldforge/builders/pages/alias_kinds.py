"""What sort of other name an alias is, read off the two: what a Chinese page has to say before it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.arrays import Integers

SORTS = ("原名", "简称", "又称", "外文名为", "中文名为", "曾用名")
"""What stands before an alias on a Chinese page, by the number that `sort_of` gives."""
_HAN = r"\p{Han}"


def sort_of(names: pa.Array, aliases: pa.Array, number: int = 0) -> Integers:
    """Return for each name and its alias (null for none) the place in `SORTS`.

    An alias in another script is the name there; one whose characters stand in the name, in their order, is a shorter
    form of it; any other is a name borne before. `number`
    aliases have been said before.
    """
    bare = [pc.replace_substring_regex(texts, r"[\s.'’·-]", "") for texts in (names, aliases)]  # of A. Tarn
    name, alias = (_letters(_texts(texts)) for texts in bare)
    at = np.zeros(len(names), np.int64)
    rows, length = np.arange(len(names)), (alias > 0).sum(axis=1)
    padded = np.pad(alias, ((0, 0), (0, 1)))
    for place in range(name.shape[1]):
        at += (padded[rows, at] == name[:, place]) & (name[:, place] > 0)
    whole = np.char.find(_texts(names), _texts(aliases)) >= 0
    sorts = np.where(at == length, np.where(whole, 2, 1), 5 if number else 0)
    chinese, other = _has(names, _HAN), _has(aliases, _HAN)
    return np.where(chinese == other, sorts, np.where(chinese, 3, 4))


def _texts(column: pa.Array) -> npt.NDArray[np.str_]:
    return np.array(pc.fill_null(column, "").to_pylist(), dtype="U")


def _letters(texts: npt.NDArray[np.str_]) -> npt.NDArray[np.uint32]:
    """Return the code points of texts, a row a text, filled up with 0."""
    return texts.view(np.uint32).reshape(len(texts), texts.dtype.itemsize // 4)


def _has(texts: pa.Array, pattern: str) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = pc.fill_null(pc.match_substring_regex(texts, pattern), False).to_numpy(
        zero_copy_only=False
    )
    return found
