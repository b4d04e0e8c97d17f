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

from worldforge.core.chance import Stream
from worldforge.schema.spec import WorldSpec
from worldforge.world.slugs import marks

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


class LinkAddresses:
    """Gives links their addresses: that of the page, one that it has left, or one where nothing stands any more.

    Which links are so is drawn by the pages at both ends. Navigation between the parts of a list or a table always
    holds the current address.
    """

    def __init__(self, spec: WorldSpec, urls: pa.Array, redirects: Redirects) -> None:
        self._web = spec.web
        self._urls, self._old, self._gone = (column.to_pylist() for column in (urls, redirects.old, redirects.gone))
        stream, numbers = Stream(spec.seed).child("pages", "links"), np.arange(len(urls))
        drawn = spec.web.redirects or spec.web.dead_links
        self._draws = {
            (way, end): stream.child(way, end).uniform(numbers).tolist() if drawn else []
            for way in ("gone", "old")
            for end in ("from", "to")
        }

    def __call__(self, source: int, target: int, moves: bool) -> tuple[str, bool]:
        """Return the address of a link from page to page, by number, and whether the page is gone from there.

        Only a link that `moves` has another address than its page's.
        """
        if moves and self._gone[target] is not None and self._drawn("gone", source, target) < self._web.dead_links:
            return self._gone[target], True
        if moves and self._old[target] is not None and self._drawn("old", source, target) < _BY_OLD_ADDRESS:
            return self._old[target], False
        return self._urls[target], False

    def _drawn(self, way: str, source: int, target: int) -> float:
        """Return a number in [0, 1) for a pair of pages: the sum, modulo 1, of one for either end."""
        return (self._draws[way, "from"][source] + self._draws[way, "to"][target]) % 1.0


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
