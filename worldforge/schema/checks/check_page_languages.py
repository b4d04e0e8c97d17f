"""What pages are written in: that their generator writes the language that they are to be in."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from typing import Any

from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.web_section import PageKind
from worldforge.schema.yaml_tree import Path


def check_written_language(
    draft: PartialSpec, path: Path, kind: PageKind, generator: Callable[..., Any]
) -> Iterator[Rejection]:
    """Check that a kind's generator writes its language, where the generator's `Layout` says what it writes."""
    language = kind.language or draft.spec.languages[0]
    written = languages_of(generator)
    if written is not None and language not in written:
        hint = f"it writes {' and '.join(f'`{one}`' for one in written)}"
        message = f"`{kind.generator}` does not write `{language}`"
        yield Rejection(draft.at_value((*path, "generator"), message, hint))


def languages_of(generator: Callable[..., Any]) -> tuple[str, ...] | None:
    """Read off a page generator's annotation what it writes; None where that cannot be read."""
    try:
        returned = typing.get_type_hints(generator, include_extras=True).get("return")
    except (NameError, TypeError):
        return None
    notes = getattr(returned, "__metadata__", ())
    found: tuple[str, ...] | None = next((note.languages for note in notes if hasattr(note, "languages")), None)
    return found
