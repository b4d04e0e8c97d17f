"""What pages state, in the tables' own forms, and which of it they disagree on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import authority_of
from worldforge.world.conflict_resolution import Conflicts, contested_mentions, find_conflicts
from worldforge.world.parquet_reader import Table
from worldforge.world.stable_ids import rows_of, split_fact
from worldforge.world.value_formats import ValueFormat, ValueFormats

_IN_FORM = ("restated", "outdated", "mistaken")  # stances of what is in its site's form, where that has one
_UNREADABLE = "\0"  # reads as no value


def as_tables_write(forms: ValueFormats, kinds: pa.ChunkedArray, mentions: pa.Table) -> pa.Table:
    """Rewrite restated and untrue values as `value_text.as_written` does; `kinds` are those of all pages.

    What cannot be read in the form of its page, or has none, becomes what reads as no value.
    """
    restated = pc.is_in(mentions["stance"], pa.array(_IN_FORM)).combine_chunks()
    places = np.flatnonzero(restated.to_numpy(zero_copy_only=False))
    if not len(places):
        return mentions
    chosen = mentions.select(["page", "fact", "value", "stance"]).take(places)
    pages = kinds.take(pa.array(rows_of(chosen["page"]))).to_pylist()
    facts, plain, stances = (chosen[name].to_pylist() for name in ("fact", "value", "stance"))
    waiting: dict[int, tuple[ValueFormat, list[int]]] = {}
    for place, (kind, fact, stance) in enumerate(zip(pages, facts, stances, strict=True)):
        table, _, column = split_fact(fact)
        form = forms.of(kind, table, column)
        if form is not None:
            waiting.setdefault(id(form), (form, []))[1].append(place)
        elif stance == "restated":
            plain[place] = _UNREADABLE
    for form, own in waiting.values():
        for place, text in zip(own, form.all_plainly([plain[place] for place in own]), strict=True):
            plain[place] = _UNREADABLE if text is None else text
    values = pc.replace_with_mask(mentions["value"].combine_chunks(), restated, pa.array(plain, pa.string()))
    return mentions.set_column(mentions.schema.get_field_index("value"), "value", values)


def conflicts_of(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Conflicts:
    """Find the facts that a world's pages disagree on, and those that its rule does not settle."""
    forms = ValueFormats(spec, lambda name: tables[name])
    plain = as_tables_write(forms, pages["kind"], contested_mentions(mentions))
    authority = {key: authority_of(spec, key) for key in spec.pages}
    return find_conflicts(plain, pages.select(["kind", "published"]), authority, spec.web.settled_by)
