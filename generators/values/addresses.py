"""Make addresses of own sites from names."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Addresses
from worldforge.core.errors import InputError
from worldforge.world.slugs import host_stems, marks, slugs

_ZONE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def website(stream: Stream, rows: Rows, *, name: pa.Array | str, zone: str = "") -> Addresses:
    """Make the address of an own site from each name: `https://www.velmar-rovers.example/`, no two in one call alike.

    With a `zone` hosts are below it, apart from those of other types: `https://www.velmar-rovers.clubs.example/`.
    Raises InputError for a zone that is no part of a host name.
    """
    if zone and not _ZONE.fullmatch(zone):
        raise InputError(f"`zone` must be lower-case letters, digits and hyphens, not {zone!r}")
    names = pa.repeat(name, len(rows)) if isinstance(name, str) else name
    own_marks = marks(stream, rows)
    stems = host_stems(slugs(names, own_marks))
    seen = np.ones(len(rows), np.bool_)
    seen[np.unique(stems.to_numpy(zero_copy_only=False), return_index=True)[1]] = False
    marked = host_stems(pc.binary_join_element_wise(stems, own_marks, "-"))
    stems = pc.if_else(pa.array(seen), marked, stems)
    below = f".{zone}.example/" if zone else ".example/"
    return pc.binary_join_element_wise("https://www.", stems, below, "")
