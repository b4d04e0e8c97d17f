"""Pages that stand again elsewhere: which pages of a kind are copied, and what a generator is told of them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import numpy as np

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.web_section import PageKind
from worldforge.world.page_draft import OriginalPages, PageDraft
from worldforge.world.passages import Positions


@dataclass(frozen=True, slots=True)
class CopiedPages:
    """What a kind of copies copies: the pages `pages`, in order, of the kind `of`."""

    of: str
    pages: Positions


def copied_pages(kind: PageKind, stream: Stream, rows: Positions) -> CopiedPages:
    """Draw which pages of the kind that is copied stand again; `rows` are what chance knows its pages by."""
    assert kind.copies is not None
    drawn = stream.child("share").uniform(rows)
    return CopiedPages(kind.copies, np.flatnonzero(drawn < kind.share))


def check_form(key: str, kind: PageKind, takes: set[object]) -> None:
    """See that a generator of copies is used for copies, and no other. Raises InputError where it is not."""
    if kind.copies is not None and OriginalPages not in takes:
        raise InputError(
            f"pages.{key}: `{kind.generator}` writes pages of its own, and no copies",
            "copies are written by `pages.reprint`",
        )
    if kind.copies is None and OriginalPages in takes:
        raise InputError(f"pages.{key}: `{kind.generator}` writes copies", "say of which pages: `copies: KIND`")


def originals(
    draft: PageDraft, first: int, pages: Positions, rows: Positions, sites: tuple[str, str], day: str, language: str
) -> OriginalPages:
    """Tell of the originals of copies: the drafted pages from number `first` of their kind on, of them the `pages`.

    `rows` are the copies' numbers, `sites` what the site of the originals and that of the copies are called, `language`
    what both are in.
    """
    chosen = pages - first
    return OriginalPages(
        rows=rows,
        titles=draft.title.take(chosen),
        text=draft.text.select(chosen),
        published=draft.published.take(chosen),
        first_site=sites[0],
        site=sites[1],
        as_of=datetime.date.fromisoformat(day),
        language=language,
    )
