"""Content controls: change requests and views by the seed and the call alone.

By default they work on the excerpts of any view: withhold facts or show them wrongly, remove links, show an old copy.
An environment extends them for its own views: pages of results, names of fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldforge.environments.backend import SessionBackend
from worldforge.environments.call_controls import Edit, Shaped
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.controls.statements import ELISION, PageStatement
from worldforge.environments.controls.substitutions import Substitution, Substitutions
from worldforge.environments.requests import ToolRequest
from worldforge.environments.session import Alteration
from worldforge.environments.views import Excerpt, ToolView

_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_LINK_TARGET = re.compile(r"\]\([^)\n]*\)")


@dataclass(frozen=True, slots=True)
class ControlledCall:
    """The context of one call for content controls.

    `request` is the call's before it was resized, `stale_days` the age of the copy that is shown, None for none.
    """

    plan: ControlPlan
    substitutions: Substitutions
    request: ToolRequest
    backend: SessionBackend
    stale_days: int | None = None


class ContentControls:
    """The content controls of any environment."""

    def translate(self, request: ToolRequest, plan: ControlPlan, substitutions: Substitutions) -> ToolRequest:
        """Replace shown names in a request by the environment's own."""
        return request

    def resize(self, request: ToolRequest, plan: ControlPlan) -> tuple[ToolRequest, tuple[str, ...]]:
        """Reduce a request's size as the plan says; also return the names of the controls that did."""
        return request, ()

    def shape(self, view: ToolView, call: ControlledCall) -> tuple[Shaped, tuple[str, ...]]:
        """Change a view; also return the names of the controls that did."""
        return shape_excerpts(view, call.plan, call.substitutions, call.stale_days)

    def relabel(self, text: str, request: ToolRequest, plan: ControlPlan) -> str:
        """Change the names of fields in the text that the agent reads."""
        return text


def shape_excerpts(
    view: ToolView, plan: ControlPlan, substitutions: Substitutions, stale_days: int | None
) -> tuple[Shaped, tuple[str, ...]]:
    """Change the excerpts of a view; also return the names of the controls that did.

    `stale_days` is the age of the copy that is shown, None for the view as it is.
    """
    altered: dict[Alteration, None] = {}
    names: set[str] = set()
    edits: list[tuple[Edit, ...]] = []
    for excerpt in view.excerpts:
        own, changed, touched = _edits(excerpt, plan, substitutions, stale_days)
        edits.append(tuple(own))
        altered |= dict.fromkeys(changed)
        names |= touched
    if not edits:
        return Shaped(view), ()
    if stale_days is not None:
        view = view.aged(stale_days)
        names.add("stale")
    shown = [edited(e.text, e.start, own) for e, own in zip(view.excerpts, edits, strict=True)]
    return Shaped(view.with_excerpts(shown), tuple(altered), tuple(edits)), tuple(sorted(names))


def edited(text: str, start: int, edits: Sequence[Edit]) -> str:
    """Apply ordered edits without overlaps to an excerpt that begins at `start` of its page."""
    pieces, at = [], start
    for edit in edits:
        pieces += [text[at - start : edit.start - start], edit.shown]
        at = edit.end
    return "".join([*pieces, text[at - start :]])


def without_overlaps(edits: Sequence[Edit]) -> list[Edit]:
    """Sort edits; of two that overlap, keep the one that begins first, or the longer one."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def _edits(
    excerpt: Excerpt, plan: ControlPlan, substitutions: Substitutions, stale_days: int | None
) -> tuple[list[Edit], list[Alteration], set[str]]:
    """Return the edits of an excerpt, the facts made wrong, and the controls that acted."""
    chosen = list(_chosen(excerpt, plan, substitutions, stale_days))
    edits = [_edit(excerpt, stated, substitution) for stated, substitution, _ in chosen]
    names = {name for _, _, name in chosen}
    if excerpt.page >= 0 and substitutions.without_links(excerpt.page, plan.withheld.links):
        edits += _unlinked(excerpt)
        names |= {"withheld"} if _LINK.search(excerpt.text) else set()
    return without_overlaps(edits), [each for _, one, _ in chosen for each in one.alterations], names


def _chosen(
    excerpt: Excerpt, plan: ControlPlan, substitutions: Substitutions, stale_days: int | None
) -> Iterator[tuple[PageStatement, Substitution, str]]:
    """Yield the statements to replace in an excerpt, their replacements, and the control that replaces them."""
    decide = substitutions.on_page(excerpt.page, plan.withheld.rate, plan.wrong_facts.rate)
    for stated in substitutions.statements.overlapping(excerpt):
        substitution = decide(stated)
        if substitution is not None:
            yield stated, substitution, "wrong_facts" if substitution.alteration is not None else "withheld"
        elif stale_days is not None and (older := substitutions.older(stated, plan.stale.changed)) is not None:
            yield stated, older, "stale"


def _edit(excerpt: Excerpt, stated: PageStatement, substitution: Substitution) -> Edit:
    """Replace a statement and the link around it, whose target would give it away."""
    text, first = excerpt.text, excerpt.start
    start, end = max(stated.start, first), min(stated.end, first + len(text))
    shown = substitution.shown if start == stated.start else ELISION  # the part before this one shows its beginning
    target = _LINK_TARGET.match(text, end - first)
    if target is not None and start > first and text[start - first - 1] == "[":
        return Edit(start - 1, first + target.end(), shown)
    return Edit(start, end, shown)


def _unlinked(excerpt: Excerpt) -> Iterator[Edit]:
    for link in _LINK.finditer(excerpt.text):
        yield Edit(excerpt.start + link.start(), excerpt.start + link.start(1), "")
        yield Edit(excerpt.start + link.end(1), excerpt.start + link.end(), "")
