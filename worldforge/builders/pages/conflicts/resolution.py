"""Where a page may say what is not so: where the world's rule settles the fact by what other pages say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldforge.builders.pages.conflicts.kind_statements import KindStatements
from worldforge.builders.pages.conflicts.overrides import Mask


def may_differ(rule: str | None, told: Sequence[KindStatements], differing: Sequence[Mask]) -> list[Mask]:
    """Return where each of `told`, the kinds of page that state one column, may differ; one entry a row of its table.

    `differing` says where they would. By date a page of a site without mistakes must state the fact as it is, and not
    be out of date: such pages are published last, but for reports. By authority a page of a site with more of it must.
    By majority more pages must state the fact as it is than differ in any way.

    Copies of a page that differs differ as it does, on their own sites. Those of a page that does not are not counted
    for it, for a copy drops a paragraph here and there.
    """
    if rule == "majority":
        return _by_majority(told, differing)
    if rule == "authority":
        most = np.max([np.where(one.told, one.authority, -1.0) for one in told], axis=0)
        return [one.loudest < most for one in told]
    sound = np.logical_or.reduce(
        [one.told & (one.back == 0) for one in told if not one.mistaken and one.pages.rows is None],
        axis=0,
        initial=False,
    )
    return [np.broadcast_to(sound, one.told.shape) for one in told]


def _by_majority(told: Sequence[KindStatements], differing: Sequence[Mask]) -> list[Mask]:
    n_true = np.sum([one.told for one in told], axis=0)
    n_untrue = np.zeros_like(n_true)
    allowed = []
    for one, own in zip(told, differing, strict=True):
        may = own & (n_true - 1 > n_untrue + 1 + one.copies)
        n_true = n_true - may
        n_untrue = n_untrue + np.where(may, 1 + one.copies, 0)
        allowed.append(may)
    return allowed
