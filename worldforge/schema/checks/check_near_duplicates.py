"""Near twins: that a type which asks for some has attributes that they could share."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.near_duplicates import shared_by_twins

_FEWEST = 2  # one that differs, and one that does not


def check_twins(draft: PartialSpec) -> Iterator[Rejection]:
    """Check every type that asks for `distractors`; nothing while other parts of the spec are at fault."""
    if any(draft.broken):
        return
    for name, kind in draft.spec.types.items():
        if kind.distractors and len(shared_by_twins(draft.spec, name)) < _FEWEST:
            message = f"entities of `{name}` have too little that near twins could share"
            hint = "give the type references, or attributes that `values.…` draws, that no constraint keeps apart"
            yield Rejection(draft.at_key(("types", name, "distractors"), message, hint))
