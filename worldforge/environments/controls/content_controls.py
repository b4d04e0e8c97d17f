"""Content controls: change requests and views by the seed and the call alone.

By default they work on the excerpts of any view: withhold facts or show them wrongly, remove links, show an old copy,
shorten snippets. An environment extends them for its own views: pages of results, names of fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.controls.statements import ELISION, PageStatement
from worldforge.environments.controls.substitutions import Substitution, Substitutions
from worldforge.environments.disclosure import Edit, Shaped
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import Excerpt, ToolView

_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_LINK_TARGET = re.compile(r"\]\([^)\n]*\)")
_NAMES = frozenset({"name", "source", "target"})  # who is meant: no fact in a snippet's budget


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
        """Change the excerpts of a view; also return the names of the controls that did."""
        plan, stale_days = call.plan, call.stale_days
        acts = stale_days is not None or plan.withheld.acts or plan.wrong_facts.acts or plan.snippets.acts
        if not acts or not view.excerpts:
            return Shaped(view), ()
        names = {"stale"} if stale_days is not None else set()
        texts, edits = [], []
        for excerpt in view.excerpts:
            own = without_overlaps(list(_edits(excerpt, plan, call.substitutions, stale_days)))
            text = edited(excerpt.text, own)
            if plan.snippets.characters is not None and _is_limited(excerpt, plan, call.substitutions):
                shown = _cut(text, plan.snippets.characters)
                if shown != text:
                    own, text = _edits_within(own, len(shown) - 1), shown
                    names.add("snippets")
            texts.append(text)
            edits.append(tuple(own))
            names |= {edit.control for edit in own}
        altered = dict.fromkeys(one for own in edits for edit in own for one in edit.altered)
        aged = view.aged(stale_days) if stale_days is not None else view
        return Shaped(aged.with_excerpts(texts), tuple(altered), tuple(edits)), tuple(sorted(names))

    def relabel(self, text: str, request: ToolRequest, plan: ControlPlan) -> str:
        """Change the names of fields in the text that the agent reads."""
        return text


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Apply ordered edits without overlaps to the text of an excerpt."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.shown]
        at = edit.end
    return "".join([*pieces, text[at:]])


def without_overlaps(edits: Sequence[Edit]) -> list[Edit]:
    """Sort edits; of two that overlap, keep the one that begins first, or the longer one."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def _edits(excerpt: Excerpt, plan: ControlPlan, substitutions: Substitutions, stale_days: int | None) -> Iterator[Edit]:
    """Yield the replacements of an excerpt's statements and links.

    Of a statement that is cut in two, a snippet shows neither part; a page shows its replacement in the first part.
    """
    decide = substitutions.on_page(excerpt.page, plan.withheld.rate, plan.wrong_facts.rate)
    budget = plan.snippets.facts if _is_limited(excerpt, plan, substitutions) else None
    seen: set[str] = set()
    acts = plan.withheld.rate > 0 or plan.wrong_facts.rate > 0 or stale_days is not None or budget is not None
    for start, end, stated in substitutions.statements.located(excerpt) if acts else ():
        substitution, control = decide(stated), "withheld"
        if substitution is None or substitution.altered:
            if budget is not None and stated.cell[2] not in _NAMES:
                if len(seen | {stated.fact}) > budget:
                    yield Edit(start, end, ELISION, control="snippets")
                    continue
                seen.add(stated.fact)
            control = "wrong_facts"
        if substitution is None and stale_days is not None:
            substitution, control = substitutions.older(stated, plan.stale.changed), "stale"
        if substitution is None:
            continue
        yield _replacement(excerpt, start, end, stated, substitution, control)
    if excerpt.page >= 0 and not excerpt.plain and substitutions.without_links(excerpt.page, plan.withheld.links):
        for link in _LINK.finditer(excerpt.text):
            yield Edit(link.start(), link.start(1), "", control="withheld")
            yield Edit(link.end(1), link.end(), "", control="withheld")


def _replacement(
    excerpt: Excerpt, start: int, end: int, stated: PageStatement, substitution: Substitution, control: str
) -> Edit:
    whole, begins = end - start == stated.end - stated.start, excerpt.start + start == stated.start
    shown = substitution.shown if whole or (begins and not excerpt.plain) else ELISION
    altered = substitution.altered if whole or not excerpt.plain else ()
    return Edit(*_with_link(excerpt.text, start, end), shown, altered, control)


def _with_link(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the characters of the link around a statement, whose target would give it away, or of the statement."""
    target = _LINK_TARGET.match(text, end)
    return (start - 1, target.end()) if target is not None and text[start - 1 : start] == "[" else (start, end)


def _is_limited(excerpt: Excerpt, plan: ControlPlan, substitutions: Substitutions) -> bool:
    return excerpt.plain and 0 < plan.snippets.rate > substitutions.draw(excerpt.page, "snippets")


def _edits_within(edits: Sequence[Edit], most: int) -> list[Edit]:
    """Return the edits whose replacement ends within the first `most` characters of the edited text."""
    kept, longer = [], 0
    for edit in edits:
        longer += len(edit.shown) - (edit.end - edit.start)
        if edit.end + longer <= most:
            kept.append(edit)
    return kept


def _cut(text: str, most: int) -> str:
    """Cut at a word's end, with an ellipsis; `most` characters with it, at most."""
    if len(text) <= most:
        return text
    end = text.rfind(" ", 0, most)
    return text[: end if end > 0 else most - 1].rstrip() + ELISION
