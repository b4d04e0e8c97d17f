"""Round bounds lie in their gap, whatever the gap."""

import numpy as np
import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from worldforge.builders.tasks.condition_sampling import Dice, pick_bound
from worldforge.builders.tasks.round_bounds import bound_below, bound_text
from worldforge.builders.tasks.table_view import AskableColumn
from worldforge.core.chance import Stream
from worldforge.core.columns import ARROW_TYPES
from worldforge.schema.spec_section import Range
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.value_text import as_written, canonical, read_value

whole = st.integers(-(10**9), 10**9)


@given(whole, whole, st.sampled_from(["integer", "year", "date"]), st.booleans())
def test_a_whole_bound_cuts_between_its_values(low, high, kind, above):
    assume(low < high and (kind != "date" or (low > -100_000 and high < 100_000)))
    bound = bound_below(float(low), float(high), kind, keep_above=above)
    assert bound is not None and bound == int(bound)
    assert low <= bound < high if above else low < bound <= high
    _, written = bound_text(bound, kind)
    assert read_value(written, kind) is not None


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6), st.booleans())
def test_a_decimal_bound_cuts_between_its_values(low, gap, above):
    lowest, highest = low / 1000, (low + gap) / 1000
    bound = bound_below(lowest, highest, "number", keep_above=above)
    assert bound is not None
    assert lowest <= bound < highest if above else lowest < bound <= highest
    assert read_value(bound_text(bound, "number")[1], "number") == bound


def test_a_bound_is_as_round_as_its_gap_allows():
    assert bound_below(1893, 1911, "year", keep_above=True) == 1900
    assert bound_below(12_340, 12_368, "integer", keep_above=False) == 12_360
    assert bound_text(bound_below(18_000, 18_400, "date", keep_above=True), "date")[1] == "1 January 2020"


@given(whole, st.sampled_from(["integer", "year", "number", "date"]))
def test_a_bound_is_written_as_columns_are(value, kind):
    assume(kind != "date" or -100_000 < value < 100_000)
    bound = value / 1000 if kind == "number" else float(value)
    held = pa.array([bound if kind == "number" else int(bound)]).cast({"date": pa.int32()}.get(kind, ARROW_TYPES[kind]))
    column = held.cast(ARROW_TYPES[kind])
    assert bound_text(bound, kind) == (canonical(column, kind)[0].as_py(), as_written(column, kind)[0].as_py())


def test_no_bound_asks_for_fewer_than_one_or_more_than_none():
    holds = [0, 0, 0, 0, 1, 1, 2, 2, 3, 5]
    column = ColumnInfo(name="towns", label="number of towns", kind="integer")
    everyone = np.arange(len(holds))
    option = AskableColumn(column, "towns", np.ones(len(holds), bool), pa.array(holds), np.empty(0, np.int64))
    found = set()
    for seed in range(400):
        picked = pick_bound(option, Dice(Stream(seed), 8), everyone, Range(low=1, high=9))
        if picked is not None:
            found.add((picked[0].operator, picked[0].value))
    assert (">", "1") in found and ("<", "2") in found
    assert not found & {(">", "0"), ("<", "1")}
