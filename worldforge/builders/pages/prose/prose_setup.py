"""Opens the rewriting of pages by a model: the lexicon of a world, and the checks that drafts must pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from worldforge.builders.pages.compose import Chunk, write_chunk
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.prose.archive import FILE
from worldforge.builders.pages.prose.chinese_paragraphs import ChineseChecker
from worldforge.builders.pages.prose.draft_check import DraftChecker, spoken_of
from worldforge.builders.pages.prose.prose_rewrite import ProseRewriter
from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.schema.table_columns import ColumnInfo
from worldforge.schema.translations import label_of, plural_of
from worldforge.world.lexicon.chinese_text import pairs_in
from worldforge.world.lexicon.lexicon import Lexicon

_LOWER = re.compile(r"(?<!\{)\b[a-z]{2,}\b")
_LINK = re.compile(r"\w+://[^\s()\[\]]+")
_READ = 100  # pages of a kind, whose words drafts may use


def open_prose(outline: Outline, folder: Path) -> ProseRewriter | None:
    """Get ready to word the pages of the world in `folder`; None where no page is worded by a model."""
    if not any(pages.kind.prose == "model" for pages in outline.kinds):
        return None
    spec, tables = outline.spec, outline.written.tables
    own = [written.column for table in tables.values() for written in table.columns.values()]
    columns = [own[code] for code in outline.written.columns_of]
    kinds = [called for name in spec.types for called in (label_of(spec, name), plural_of(spec, name))]
    said = [*(column.label for column in columns), *kinds, *(text for column in columns for text in column.sentences)]
    names = [spec.title, *(pages.site.title for pages in outline.kinds), *_texts(outline, names=True)]
    values, labels = list(_texts(outline, names=False)), [column.label for column in columns]
    chinese = _chinese_words(outline, {*names, *values})
    words = {*(word for text in said for word in _LOWER.findall(text)), *chinese, *(kinds if chinese else ())}
    lexicon = Lexicon(names, values, vocabulary=words)
    in_chinese = ChineseChecker(names, values, labels, words) if chinese else None
    checker = DraftChecker(lexicon, spoken_of([*labels, *kinds]), in_chinese)
    return ProseRewriter(spec, tuple(_by_code(outline.written, columns)), checker, folder / FILE)


def _chinese_words(outline: Outline, names: Iterable[str]) -> set[str]:
    """Return the words of Chinese templates, as pairs of signs that some pages of each kind have outside `names`."""
    words: set[str] = set()
    for place, pages in enumerate(outline.kinds):
        if len(pages) and pages.kind.prose == "model" and pages.page_language.language == "zh":
            written = write_chunk(outline, Chunk(place, 0, min(_READ, pages.n_heads)))
            words |= pairs_in((_LINK.sub(" ", str(page.text)) for page in written), names)
    return words


def _by_code(written: RenderedTables, columns: Sequence[ColumnInfo]) -> list[ColumnInfo]:
    """Return the column that each code is of: versions of columns are known by the facts that they state."""
    facts = list(zip(written.first_id.tolist(), written.suffixes.to_pylist(), strict=True))
    of = dict(zip(facts[: len(columns)], columns, strict=True))
    return [of[fact] for fact in facts]


def _texts(outline: Outline, *, names: bool) -> Iterator[str]:
    """Give the names of all entities, or all other texts that the tables hold, each once a column."""
    for name, table in outline.written.tables.items():
        for key, written in table.columns.items():
            named = name in outline.spec.types and key == "name"
            if written.column.kind == "text" and written.targets is None and named == names:
                cells = outline.written.values(written.code, np.arange(table.n_rows))
                yield from cells.unique().drop_null().to_pylist()
