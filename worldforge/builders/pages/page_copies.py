"""Copies of pages on other sites: which pages of a kind are copied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import ArchivedPage, Original


@dataclass(frozen=True, slots=True)
class CopiedPages:
    """What a kind of copies copies: the pages `pages`, in order, of the kind `of`."""

    of: str
    pages: Integers


@dataclass(frozen=True, slots=True)
class ArchivedPages:
    """What a kind of archived copies shows as it was: the pages `pages`, in order, of the kind `of`."""

    of: str
    title: str
    """What the original's site is called."""
    pages: Integers


def copied_pages(kind: PageKind, stream: Stream, rows: Integers) -> CopiedPages:
    """Draw which pages of the kind that is copied stand again; `rows` are what chance knows its pages by."""
    assert kind.copies is not None
    drawn = stream.child("share").uniform(rows)
    return CopiedPages(kind.copies, np.flatnonzero(drawn < kind.share))


def check_form(key: str, kind: PageKind, takes: set[object]) -> None:
    """See that a generator of copies is used for copies, and no other. Raises InputError where it is not."""
    if kind.copies is not None and Original not in takes:
        raise InputError(
            f"pages.{key}: `{kind.generator}` writes pages of its own, and no copies",
            "copies are written by `pages.reprint`",
        )
    if (kind.archives is not None) != (ArchivedPage in takes):
        raise InputError(
            f"pages.{key}: `archives` goes with `pages.archived`, and with no other", "give both or neither"
        )
    if kind.copies is None and Original in takes:
        raise InputError(f"pages.{key}: `{kind.generator}` writes copies", "say of which pages: `copies: KIND`")
