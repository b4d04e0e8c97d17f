"""The full-text engine, Tantivy: a folder whose every byte follows from the documents and their order.

Tantivy names a segment by a random id, merges segments when its threads get to it, and leaves lock files. So
documents come in shards that fit its memory. Each is indexed alone, by one thread in one commit, into one
segment whose bytes depend on its documents only. Segments are numbered and listed in order, and equal scores
come in that order.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import tantivy

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.files import replace, write_json
from worldforge.core.temp_dir import temp_dir
from worldforge.search.analysis import cjk_terms, without_cjk

_PANIC = "PanicException"  # of PyO3: a Rust panic; it cannot be imported
_META = "meta.json"
_MANAGED = ".managed.json"
_REFUSED = re.compile(r"(?:os error|code:) (\d+)")  # how Rust words an error of the system
_HEAP_BYTES = 4_000_000_000  # what one segment may grow to: near Tantivy's limit, and taken only as needed


@cache
def schema(*, cjk: bool) -> tantivy.Schema:
    """Return the fields of an index; with `cjk` also for Chinese, Japanese and Korean: terms with blanks between."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", tokenizer_name="en_stem")
    builder.add_text_field("body", tokenizer_name="en_stem")
    if cjk:
        builder.add_text_field("cjk_title", tokenizer_name="whitespace")
        builder.add_text_field("cjk_body", tokenizer_name="whitespace")
    builder.add_text_field("url", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("page", fast=True)
    return builder.build()


def document(page: int, urls: Iterable[str], title: str, body: str, *, cjk: bool = False) -> tantivy.Document:
    """Make the document of the page in row `page`, which is found at any of `urls`."""
    words = {"title": title, "body": body}
    if cjk:
        words = {name: without_cjk(text) for name, text in words.items()} | {
            f"cjk_{name}": cjk_terms(text) for name, text in words.items()
        }
    made = tantivy.Document(**words, url=[*urls])
    made.add_unsigned("page", page)  # the constructor would make it signed, which this field refuses
    return made


def index_shard(folder: Path, documents: Iterable[tantivy.Document], *, cjk: bool = False) -> Path:
    """Index documents into the new folder `folder`, as one segment, and return it. Leaves nothing where that fails.

    Raises OSError where the disk refuses: it is full, say.
    """
    folder.mkdir()
    try:
        writer = tantivy.Index(schema(cjk=cjk), path=str(folder)).writer(_HEAP_BYTES, num_threads=1)
        for made in documents:
            writer.add_document(made)
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:
        _remove(folder)
        raise _as_os_error(error, folder) from error
    except BaseException:
        _remove(folder)
        raise
    return folder


def _as_os_error(error: ValueError, folder: Path) -> Exception:
    """Make what the system has refused Tantivy, which tells it in words, what Python raises for it."""
    code = _REFUSED.search(str(error))
    return OSError(int(code[1]), os.strerror(int(code[1])), str(folder)) if code else error


def write_tantivy(folder: Path, shards: Iterable[Path]) -> None:
    """Put shards, at least one, together in the new folder `folder`: a segment each. Their own folders go."""
    folder.mkdir()
    segments = []
    for number, shard in enumerate(shards, start=1):
        with _temporary(shard):
            meta = json.loads((shard / _META).read_bytes())
            if len(meta["segments"]) > 1:
                raise WorldForgeError(f"shard {number} of the index came out in {len(meta['segments'])} segments")
            segments += [_move_segment(segment, number, shard, folder) for segment in meta["segments"]]
    write_json(folder / _META, meta | {"segments": segments, "opstamp": 0})
    write_json(folder / _MANAGED, sorted(p.name for p in folder.iterdir() if p.name != _MANAGED))


def open_tantivy(folder: Path) -> tantivy.Index:
    """Open what `write_tantivy` left, writing nothing into it. Raises ValueError where it is damaged.

    Tantivy leaves a lock file in the folder it opens: so it is given a passing one, of links to the files, which
    stay mapped when it is gone.
    """
    with temp_dir() as folder_of_links, _temporary(folder_of_links / "links") as links:
        for file in folder.iterdir():
            (links / file.name).symlink_to(file.resolve())
        with damage_as_input_error(folder):
            index = tantivy.Index.open(str(links))
            index.config_reader("manual")
    return index


class Searcher:
    """Tantivy's searcher of the index in `folder`, whose calls raise InputError where the files turn out to be damaged.

    Tantivy says so by a ValueError, or by a Rust panic, which is no Exception.
    """

    def __init__(self, searcher: tantivy.Searcher, folder: Path) -> None:
        self._searcher, self._folder = searcher, folder

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._searcher, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            with damage_as_input_error(self._folder):
                return found(*arguments, **named)

        setattr(self, name, call)
        return call


@contextmanager
def damage_as_input_error(folder: Path) -> Iterator[None]:
    """Raise InputError where Tantivy finds the files of the search index in `folder` damaged."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, OSError | ValueError) and type(error).__name__ != _PANIC:
            raise
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        message = f"the search index in {folder} is damaged: {reason}"
        raise InputError(message, "build the world again: `worldforge build --fresh`") from error


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """Lend a folder, and remove it."""
    folder.mkdir(exist_ok=True)
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, though Tantivy's watching thread may put a last lock file into it meanwhile."""
    for pause_s in (0, 0.001, 0.01, 0.1, 1):
        time.sleep(pause_s)
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _move_segment(segment: dict[str, str], number: int, work: Path, folder: Path) -> dict[str, str]:
    """Move a shard's segment from `work` to `folder`, its random id replaced by `number`."""
    name = uuid.UUID(int=number)
    for file in sorted(work.glob(f"{uuid.UUID(segment['segment_id']).hex}.*")):
        replace(file, folder / f"{name.hex}{file.suffix}")
    return segment | {"segment_id": str(name)}
