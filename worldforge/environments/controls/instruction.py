"""What a model that renders observations is told of the controls: what its wording must keep to. Code does the rest."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.environments.controls.plan import ControlPlan


def instruction(plan: ControlPlan) -> str:
    """Say, in plain sentences, what the environment does under the controls of content; empty where there are none."""
    said = list(_sentences(plan))
    if not said:
        return ""
    return " ".join([*said, "Errors, delays and cut answers are made elsewhere: never write one of your own."])


def _sentences(plan: ControlPlan) -> Iterator[str]:
    if plan.snippets.acts:
        yield "Snippets hint at what a page says and do not answer: add nothing to the snippet that is given."
        if plan.snippets.characters is not None:
            yield f"Where one was shortened, it has {plan.snippets.characters} characters at most; write no more."
    if plan.withheld.acts:
        yield "Where `…` stands, or a link or a column is missing, something is withheld on purpose: leave it out."
    if plan.relevance.acts or plan.distractors.acts:
        yield "Some results are about something else than the query: keep them, in their places, and do not mark them."
    if plan.pagination.acts:
        yield "Pages of results may be short: write as many items as are given."
    if plan.fields.acts:
        yield "Fields may have other names than tools describe, or another order: write them as they are given."
    if plan.wrong_facts.acts:
        yield "Write every value exactly as it is given, also where you believe that another is right."
