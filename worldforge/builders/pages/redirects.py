"""Addresses that do not lead straight to their page: such as it has left, and such as nothing stands at any more.

Which links bear them is drawn by the pages at both ends. Links from part to part of a list or a table are a site's own,
and hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.slugs import marks
from worldforge.core.chance import Stream
from worldforge.schema.spec import WorldSpec
from worldforge.world.passages import Positions

_BY_OLD_ADDRESS = 0.5  # of the links to a page that has one
_BY_ID = 0.5  # of the hosts whose pages had an id for an address; those of the others have left a folder


@dataclass(frozen=True, slots=True)
class Redirects:
    """Two more addresses of each page, null where it has none: one that leads on to it, one where nothing stands."""

    old: pa.Array
    gone: pa.Array


def redirects_of(spec: WorldSpec, urls: pa.Array, hosts: pa.Array) -> Redirects:
    """Decide which pages have left an address, and what links to a page that is gone say. No page stands there."""
    none = pa.nulls(len(urls), pa.string())
    numbers = np.arange(len(urls))
    old = gone = none
    if spec.web.redirects:
        stream = Stream(spec.seed).child("pages", "redirects")
        left = stream.child("left").uniform(numbers) < spec.web.redirects
        old = _unlike(_left_addresses(stream, urls, hosts), urls, left)
    if spec.web.dead_links:
        stream = Stream(spec.seed).child("pages", "gone")
        gone = _unlike(_below(hosts, "/node/", marks(stream, numbers)), urls)
    return Redirects(old, gone)


@dataclass(frozen=True, slots=True)
class LinkTargets:
    """How links are written: which lead to a page that is gone, which by an old address, and the addresses of both."""

    gone: npt.NDArray[np.bool_]
    old: npt.NDArray[np.bool_]
    urls: pa.Array


def ways_of(spec: WorldSpec, detours: Redirects, sources: Positions, targets: Positions) -> LinkTargets:
    """Draw for links from page to page, by number, how each is written."""
    to = pa.array(targets)
    gone_urls, old_urls = detours.gone.take(to), detours.old.take(to)
    stream = Stream(spec.seed).child("pages", "links")
    gone = (_drawn(stream.child("gone"), sources, targets) < spec.web.dead_links) & _there(gone_urls)
    old = (_drawn(stream.child("old"), sources, targets) < _BY_OLD_ADDRESS) & _there(old_urls) & ~gone
    return LinkTargets(gone, old, pc.if_else(pa.array(gone), gone_urls, old_urls))


def _drawn(stream: Stream, sources: Positions, targets: Positions) -> npt.NDArray[np.float64]:
    """Draw a number in [0, 1) for each pair of pages: the sum, modulo 1, of one for either end."""
    return (stream.child("from").uniform(sources) + stream.child("to").uniform(targets)) % 1.0


def _left_addresses(stream: Stream, urls: pa.Array, hosts: pa.Array) -> pa.Array:
    """Write where pages stood before; those of one host have left it in the same way."""
    encoded = hosts.dictionary_encode()
    ways = stream.child("way").uniform(np.arange(len(encoded.dictionary))) < _BY_ID
    by_id = _below(hosts, "/?id=", marks(stream.child("id"), np.arange(len(urls))))
    in_folder = _below(hosts, "/old", pc.replace_substring_regex(urls, "^https://[^/]*", ""))
    return pc.if_else(pa.array(ways[encoded.indices.to_numpy()]), by_id, in_folder)


def _below(hosts: pa.Array, *parts: str | pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("https://", hosts, *parts, "")


def _unlike(addresses: pa.Array, urls: pa.Array, chosen: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Keep the chosen addresses that are no page's own; null for the others."""
    kept = pc.invert(pc.is_in(addresses, value_set=urls))
    if chosen is not None:
        kept = pc.and_(kept, pa.array(chosen))
    return pc.if_else(kept, addresses, pa.scalar(None, pa.string()))


def _there(addresses: pa.Array) -> npt.NDArray[np.bool_]:
    there: npt.NDArray[np.bool_] = addresses.is_valid().to_numpy(zero_copy_only=False)
    return there
