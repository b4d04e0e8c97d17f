"""Copies of pages: that they are of another kind, about what that is about, and ask for nothing of their own."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.web_section import PageKind
from worldforge.schema.yaml_tree import Path

_OF_THE_ORIGINAL = ("states", "completeness", "by", "page_size", "part_rows")
"""What an original says, its copy says after it."""


def check_copies(draft: PartialSpec, path: Path, kind: PageKind) -> Iterator[Rejection]:
    """Check a kind of page that copies another."""
    if kind.copies is None:
        return
    where = (*path, "copies")
    others = {name: one for name, one in draft.spec.pages.items() if one.copies is None}
    if kind.copies not in others:
        if draft.is_broken(("pages", kind.copies)):
            yield Rejection(None, path)
            return
        copy = kind.copies in draft.spec.pages
        message = f"`{kind.copies}` is a copy itself" if copy else f"unknown kind of page `{kind.copies}`"
        hint = "copies are of pages that were first written there" if copy else did_you_mean(kind.copies, others)
        yield Rejection(draft.at_value(where, message, hint), path)
        return
    about = others[kind.copies].about
    if kind.about != about:
        message = f"`{kind.copies}` is about `{about}`, and so are its copies"
        yield Rejection(draft.at_value((*path, "about"), message, f"write `about: {about}`"), path)
    first = draft.spec.languages[0]
    said = others[kind.copies].language or first
    if (kind.language or first) != said:
        message = f"`{kind.copies}` is in `{said}`, and so are its copies"
        yield Rejection(draft.at_value((*path, "language"), message, f"write `language: {said}`"))
    for name in _OF_THE_ORIGINAL:
        if getattr(kind, name) != PageKind.model_fields[name].default:
            message = f"`{name}` does not go with `copies`: a copy says what its original says"
            yield Rejection(draft.at_key((*path, name), message), path)
