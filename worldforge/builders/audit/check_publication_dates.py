"""Check that no page states what came after its own day: see `known_days`."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.builders.known_days import ALWAYS, KnownDays
from worldforge.schema.spec import WorldSpec
from worldforge.world.parquet_reader import Table, parts
from worldforge.world.stable_ids import rows_of, split_facts
from worldforge.world.table_files import TRUE_STANCES

_EPOCH = datetime.date(1970, 1, 1)


def check_dates(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Finding:
    """Compare the day of each page with the days of what it states as it is in the tables."""
    tally, days = CheckCounter("dates"), KnownDays(spec, tables)
    published = pc.fill_null(pages["published"].combine_chunks().cast(pa.int32()), 2**31 - 1).to_numpy()
    for part in parts(mentions, ["page", "fact", "stance"]):
        true = pc.is_in(part["stance"].combine_chunks(), value_set=pa.array(TRUE_STANCES))
        part = part.filter(true).combine_chunks()
        columns, codes, rows = split_facts(part["fact"].combine_chunks())
        day = published[rows_of(part["page"])]
        for code, name in enumerate(columns):
            own = np.flatnonzero(codes == code)
            table, column = name.split("#")
            stated = np.maximum(days.of(table, column), days.begun(table))[rows[own]]
            tally.checked(int((stated != ALWAYS).sum()))
            late = own[(stated > day[own]) & (stated <= days.today)]
            shown = [
                f"{part['page'][row].as_py()}, of {_EPOCH + datetime.timedelta(int(day[row]))}, states "
                f"{part['fact'][row].as_py()}, which came later"
                for row in late[:MOST_SHOWN].tolist()
            ]
            tally.failed(shown, len(late))
    return tally.finding()
