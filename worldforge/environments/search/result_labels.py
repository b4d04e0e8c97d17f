"""Search results under other labels, or with their lines in another order: fields where they are text."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from worldforge.core.chance import Stream
from worldforge.environments.controls.plan import ControlPlan

_LABELS = {
    "Title: ": "Headline: ",
    "Snippet: ": "Excerpt: ",
    "Date: ": "Published: ",
    "[title] ": "[headline] ",
    "[snippt] ": "[excerpt] ",
    "[datePublished] ": "[published] ",
}
"""What dialects write before the fields of a result, and what else might stand there."""


def relabelled(text: str, plan: ControlPlan) -> str:
    """Write search results with other labels, or their lines in another order; other text stays as it is."""
    labels = {label: other for label, other in _LABELS.items() if _hit(plan, label) < plan.fields.rate}
    reverse = _hit(plan, "order") < plan.fields.reordered
    return "\n\n".join(_paragraph(paragraph, labels, reverse=reverse) for paragraph in text.split("\n\n"))


def _paragraph(paragraph: str, labels: Mapping[str, str], *, reverse: bool) -> str:
    head, *lines = paragraph.split("\n")
    found = [next((label for label in _LABELS if line.startswith(label)), None) for line in lines]
    if sum(label is not None for label in found) < 3:
        return paragraph
    named = [
        labels.get(label, label) + line.removeprefix(label) if label is not None else line
        for label, line in zip(found, lines, strict=True)
    ]
    return "\n".join([head, *(reversed(named) if reverse else named)])


def _hit(plan: ControlPlan, label: str) -> float:
    return float(Stream(plan.seed).child("search fields", label).uniform(np.zeros(1, np.int64))[0])
