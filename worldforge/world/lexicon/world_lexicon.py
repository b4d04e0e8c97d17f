"""Reads out of a world what its lexicon knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.schema.column_paths import PREVIOUS, built_in_columns, references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import labels_in_language, options_in
from worldforge.world.lexicon.chinese_text import HAN, pairs_in
from worldforge.world.world import World

_SAMPLED_PAGES = 400  # whose lower-case words are no names
_LOWER = re.compile(r"(?<![^\W_])[a-z]{2,}(?![^\W_])")
_ADDRESS, _LINK = re.compile(r"\S+://\S+"), re.compile(r"\w+://[^\s()\[\]]+")


class WorldVocabulary(NamedTuple):
    """What a world's texts can speak of; the arguments of a `Lexicon`."""

    names: Iterable[str]
    values: Iterable[str]
    labels: Iterable[str]
    vocabulary: Iterable[str]
    hosts: Iterable[str]
    units: Iterable[str]


def read_words(world: World) -> WorldVocabulary:
    """Read names and aliases, text values, columns' labels, hosts, and the lower-case words of some pages."""
    spec = world.spec
    names: set[str] = {site.title for site in spec.sites.values() if site.title} | {spec.title}
    values: set[str] = set(spec.web.currencies)
    for type_name in spec.types:
        table = world.entities(type_name)
        names.update(table["name"].to_pylist())
        names.update(table["aliases"].combine_chunks().flatten().to_pylist())
        values |= _texts(table, {"id", "name", *references_of(spec, type_name)})
    for language in spec.languages[1:]:
        names |= {site.title for site in labels_in_language(spec, language).sites.values() if site.title}
        values |= set(options_in(spec, language).values())
    for relation in spec.relations:
        values |= _texts(world.relation(relation), {"id", *references_of(spec, relation)})
    told = [labels_in_language(spec, language) for language in spec.languages]
    labels = {label for one in told for label in _labels(one)}
    vocabulary = _vocabulary(world.pages["text"], names | values)
    vocabulary |= {word for one in told for kind in one.types.values() for word in (kind.label, kind.plural) if word}
    return WorldVocabulary(
        names, values, labels, vocabulary, _hosts(world.pages["url"]), {unit for one in told for unit in _units(one)}
    )


def _texts(table: pa.Table, but: set[str]) -> set[str]:
    """Return the distinct texts of a table's text columns."""
    columns = [table[field.name] for field in table.schema if field.type == pa.string() and field.name not in but]
    return {text for column in columns for text in pc.unique(column).to_pylist() if text}


def _labels(spec: WorldSpec) -> set[str]:
    """Return what columns are called, without the words for what has them: every sentence may say `club`."""
    kinds = {word for name, kind in spec.types.items() for word in f"{kind.label or name} {kind.plural}".split()}
    called = [
        column.label or name
        for kind in spec.types.values()
        for name, column in [*kind.attributes.items(), *kind.derived.items()]
    ]
    called += [
        column.label or name for relation in spec.relations.values() for name, column in relation.columns.items()
    ]
    called += [name for relation in spec.relations for name in built_in_columns(spec, relation) if name != PREVIOUS]
    return {word for label in called for word in label.replace("_", " ").lower().split() if word not in kinds}


def _units(spec: WorldSpec) -> Iterator[str]:
    for kind in spec.types.values():
        yield from (column.unit for column in (*kind.attributes.values(), *kind.derived.values()))
    for relation in spec.relations.values():
        yield from (column.unit for column in relation.columns.values())


def _vocabulary(texts: pa.ChunkedArray, known: set[str]) -> set[str]:
    """Return the words of pages spread evenly over the world, addresses put aside: in lower-case Latin letters, and
    pairs of Chinese signs that are no part of a `known` name or value.
    """
    rows = np.unique(np.linspace(0, max(len(texts) - 1, 0), _SAMPLED_PAGES).astype(np.int64))
    sampled = texts.take(pa.array(rows[: len(texts)])).to_pylist()
    plain = [_ADDRESS.sub(" ", text) for text in sampled]
    words = {word for text in plain for word in _LOWER.findall(text)}
    if not any(map(HAN.search, sampled)):
        return words
    return words | pairs_in((_LINK.sub(" ", text) for text in sampled), known)


def _hosts(urls: pa.ChunkedArray) -> set[str]:
    parts = pc.extract_regex(urls, r"^[a-z]+://(?P<host>[^/]+)")
    return set(pc.unique(pc.struct_field(parts, "host")).to_pylist())
