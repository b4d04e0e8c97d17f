"""Columns of texts by their bytes: what Arrow does not do with one, or not without a copy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_BEYOND_ASCII = 128


def bytes_of(texts: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return where each text begins, and after them where the last one ends; and the bytes of all, without a copy.

    `texts` is an array of strings; what a null holds is undefined.
    """
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets or bytes(4), np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    return bounds - bounds[0], np.frombuffer(content or b"", np.uint8)[bounds[0] : bounds[-1]]


def characters(texts: pa.Array) -> npt.NDArray[np.int64]:
    """Count the characters of each text: none where it is null. In ASCII each is a byte."""
    if texts.null_count == 0:
        bounds, content = bytes_of(texts)
        if content.max(initial=0) < _BEYOND_ASCII:
            return np.diff(bounds)
    counted: npt.NDArray[np.int64] = pc.fill_null(pc.utf8_length(texts), 0).to_numpy().astype(np.int64)
    return counted


def joined_runs(texts: pa.Array, offsets: npt.NDArray[np.int64]) -> pa.Array:
    """Make one text of each run: text i is offsets[i] to offsets[i + 1]. Where none is null they lie so already."""
    _, bounds, data = texts.buffers()
    if data is None or bounds is None:
        return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), texts), "")
    bytes_at = np.frombuffer(bounds, np.int32)[texts.offset + offsets]
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(bytes_at), data)


def nulled(texts: pa.Array, kept: npt.NDArray[np.bool_]) -> pa.Array:
    """Leave out texts where `kept` is false. No text is copied: the bytes of what is left out stay where they are."""
    _, offsets, data = texts.buffers()
    if texts.offset or data is None:
        return pc.if_else(pa.array(kept), texts, pa.scalar(None, pa.string()))
    if texts.null_count:
        kept = kept & texts.is_valid().to_numpy(zero_copy_only=False)
    return pa.StringArray.from_buffers(len(texts), offsets, data, pa.py_buffer(np.packbits(kept, bitorder="little")))
