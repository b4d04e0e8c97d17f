"""The bytes of a column of texts, seen as one array: for what Arrow has no column operation for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def bytes_of(texts: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return where each text begins, and after them where the last one ends; and the bytes of all, without a copy.

    `texts` is an array of strings; what a null holds is undefined.
    """
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets or bytes(4), np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    return bounds - bounds[0], np.frombuffer(content or b"", np.uint8)[bounds[0] : bounds[-1]]
