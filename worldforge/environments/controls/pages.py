"""What controls do to a page: statements withheld or shown wrongly, links taken out, an old copy in its place."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldforge.environments.control import Edit, Shaped
from worldforge.environments.controls.plan import ControlPlan
from worldforge.environments.controls.stand_ins import ELISION, StandIn, StandIns
from worldforge.environments.controls.statements import Stated
from worldforge.environments.protocol import write_date
from worldforge.environments.views import PageView

_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_LINK_TARGET = re.compile(r"\]\([^)\n]*\)")


def shape_page(
    view: PageView, plan: ControlPlan, stand_ins: StandIns, stale_days: int | None
) -> tuple[Shaped, tuple[str, ...]]:
    """Shape one part of a page: the view, and the names of the controls that touched it.

    `stale_days` is the age of the copy that is shown, None for the page as it is.
    """
    chosen = list(_chosen(view, plan, stand_ins, stale_days))
    edits = [_edit(view, stated, stand_in) for stated, stand_in, _ in chosen]
    names = {name for _, _, name in chosen}
    if stand_ins.without_links(view.row, plan.withheld.links):
        edits += _unlinked(view)
        names |= {"withheld"} if _LINK.search(view.body) else set()
    if stale_days is not None:
        view = replace(view, notice=" ".join(filter(None, (view.notice, _notice(view.date, stale_days)))))
        names.add("stale")
    kept = without_overlaps(edits)
    shaped = Shaped(
        replace(view, body=edited(view.body, view.start, kept)),
        altered=tuple(dict.fromkeys(each for _, one, _ in chosen for each in one.alterations)),
        edits=tuple(kept),
    )
    return shaped, tuple(sorted(names))


def edited(body: str, start: int, edits: Sequence[Edit]) -> str:
    """Make `edits`, in order and none overlapping another, in a stretch of a page that begins at `start`."""
    pieces, at = [], start
    for edit in edits:
        pieces += [body[at - start : edit.start - start], edit.shown]
        at = edit.end
    return "".join([*pieces, body[at - start :]])


def without_overlaps(edits: Sequence[Edit]) -> list[Edit]:
    """Put edits in order; of two that overlap, the one that begins first stays, the longer where both do."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def _chosen(
    view: PageView, plan: ControlPlan, stand_ins: StandIns, stale_days: int | None
) -> Iterator[tuple[Stated, StandIn, str]]:
    """Give the statements of a part that are shown otherwise, what stands in their place, and by which control."""
    decide = stand_ins.on_page(view.row, plan.withheld.rate, plan.wrong_facts.rate)
    for stated in stand_ins.statements.on_page(view.row):
        if stated.end <= view.start or stated.start >= view.start + len(view.body):
            continue
        stand_in = decide(stated)
        if stand_in is not None:
            yield stated, stand_in, "wrong_facts" if stand_in.alteration is not None else "withheld"
        elif stale_days is not None and (older := stand_ins.older(stated, plan.stale.changed)) is not None:
            yield stated, older, "stale"


def _edit(view: PageView, stated: Stated, stand_in: StandIn) -> Edit:
    """Replace a statement, with the link around it: what it links to would give it away."""
    start, end = max(stated.start, view.start), min(stated.end, view.start + len(view.body))
    shown = stand_in.shown if start == stated.start else ELISION  # the part before this one shows its beginning
    target = _LINK_TARGET.match(view.body, end - view.start)
    if target is not None and start > view.start and view.body[start - view.start - 1] == "[":
        return Edit(start - 1, view.start + target.end(), shown)
    return Edit(start, end, shown)


def _unlinked(view: PageView) -> Iterator[Edit]:
    for link in _LINK.finditer(view.body):
        yield Edit(view.start + link.start(), view.start + link.start(1), "")
        yield Edit(view.start + link.end(1), view.start + link.end(), "")


def _notice(date: datetime.date | None, days: int) -> str:
    if date is None:
        return "Cached copy; the page may have changed since."
    then = datetime.date.fromordinal(max(1, date.toordinal() - days))
    return f"Cached copy from {write_date(then)}; the page may have changed since."
