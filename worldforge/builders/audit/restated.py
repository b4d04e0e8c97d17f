"""Values that sites write in forms of their own, read back one by one, and written as the tables' values are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.world.ids import rows_of, split_fact
from worldforge.world.styles import Forms

_IN_FORM = ("restated", "outdated", "mistaken")  # stances of what is in its site's form, where that has one
_UNREADABLE = "\0"  # reads as no value


def as_tables_write(forms: Forms, kinds: pa.ChunkedArray, mentions: pa.Table) -> pa.Table:
    """Give mentions with restated and untrue values as `values.as_written` writes them; `kinds` are the pages'.

    What cannot be read in the form of its page, or has none, becomes what reads as no value.
    """
    restated = pc.is_in(mentions["stance"], pa.array(_IN_FORM)).combine_chunks()
    places = np.flatnonzero(restated.to_numpy(zero_copy_only=False))
    if not len(places):
        return mentions
    chosen = mentions.select(["page", "fact", "value", "stance"]).take(places)
    plain = []
    pages = kinds.take(pa.array(rows_of(chosen["page"]))).to_pylist()
    columns = (chosen[name].to_pylist() for name in ("fact", "value", "stance"))
    for kind, fact, value, stance in zip(pages, *columns, strict=True):
        table, _, column = split_fact(fact)
        form = forms.of(kind, table, column)
        if form is None:
            plain.append(_UNREADABLE if stance == "restated" else value)
        else:
            plain.append(_UNREADABLE if form.read(value) is None else form.plainly(value))
    values = pc.replace_with_mask(mentions["value"].combine_chunks(), restated, pa.array(plain, pa.string()))
    return mentions.set_column(mentions.schema.get_field_index("value"), "value", values)
