"""Who comes first among pages of equal score: the better linked, the newer, whom a keyed hash favours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Stream
from worldforge.world.stable_ids import rows_of

TIE_COLUMNS = ["id", "published"]
_HASH = Stream(0, "search/ties")


def tie_order(pages: pa.Table, authority: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the rows of `pages` (columns `TIE_COLUMNS`), each of an `authority`, the one that wins every tie first.

    Highest authority first, then latest publication (no date comes last), then lowest hash of the page id: going
    by row numbers would be a bias that agents can learn.
    """
    published = pc.fill_null(pages["published"].cast(pa.int32()), np.iinfo(np.int32).min)
    newest = -published.to_numpy().astype(np.int64)
    return np.lexsort((_HASH.bits(rows_of(pages["id"])), newest, -authority))
