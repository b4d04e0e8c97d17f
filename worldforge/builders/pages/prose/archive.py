"""What models have written, kept beside the world: prose.sqlite, one entry a paragraph, for good.

An entry is found by what the model was asked, never by which model was: a rebuild needs no model, and whoever has the
file gets the same pages. A paragraph that no draft came through for has an entry too, which says why; where another
model, or another check, has tried again, further ones, of which the last counts.
"""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from worldforge.builders.pages.prose.paragraphs import Paragraph
from worldforge.builders.pages.prose.prose_prompt import VERSION
from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.store import Store, TextStore

FILE = "prose.sqlite"


class ArchiveEntry(BaseModel):
    """What came of one paragraph: the words, with slots (null where no draft would do), and what it took.

    `refused` has the reason of each draft that would not do, `tried` is a digest of who drafted and who refused: the
    model's identity, the version of the check, the number of drafts.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    words: str | None
    refused: tuple[str, ...] = ()
    by: str
    tried: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


def key_of(url: str, sort: str, paragraph: Paragraph) -> str:
    """Return where the entry of a page's paragraph is kept: by page, so that the same words are not everywhere."""
    return value_digest([VERSION, url, sort, paragraph.slotted, [one.role for one in paragraph.locked]])


def find(store: TextStore, key: str) -> ArchiveEntry | None:
    """Return the last entry of a paragraph. Raises InputError where it cannot be read."""
    return _last(store, key)[1]


def keep(store: TextStore, key: str, entry: ArchiveEntry) -> None:
    """Keep what came of a paragraph, after the refusals that are there; an entry with words is the last for good."""
    number, before = _last(store, key)
    if before is None or before.words is None:
        store.put(_numbered(key, number), entry.model_dump_json())


def _last(store: TextStore, key: str) -> tuple[int, ArchiveEntry | None]:
    """Return the last entry of a paragraph, and the number that another after it would have."""
    entry = None
    for number in itertools.count():
        if entry is not None and entry.words is not None:
            return number, entry
        text = store.get(_numbered(key, number))
        if text is None:
            return number, entry
        try:
            entry = ArchiveEntry.model_validate_json(text)
        except ValidationError as error:
            raise InputError(f"{store.path} holds what no build wrote, under {key}", "move the file away") from error
    raise AssertionError


def _numbered(key: str, number: int) -> str:
    return f"{key}#{number}" if number else key


def archive_digest(folder: Path) -> str:
    """Return the digest of all that a world's archive holds; of nothing where there is none."""
    digest = hashlib.sha256()
    if (folder / FILE).exists():
        with Store(folder / FILE) as store:
            for key, text in store.items():
                digest.update(f"{key}\0{text}\0".encode())
    return digest.hexdigest()
