"""Numbers as columns hold them: six decimals, and what a page writes reads back as the cell."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.world.value_text import as_held, as_written, read_value

DECIMALS = st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=60)


@given(DECIMALS, st.integers(1, 6))
def test_a_sum_of_decimals_is_what_its_page_writes(parts, decimals):
    """Summed as binary fractions, 0.1 and 0.2 make 0.30000000000000004."""
    total = pc.sum(pa.array([part / 10**decimals for part in parts]))
    held = as_held(pa.array([total.as_py()]), pa.float64())
    [text] = as_written(held, "number").to_pylist()
    assert read_value(text, "number") == held[0].as_py() == round(sum(parts) / 10**decimals, 6)


@pytest.mark.parametrize(
    ("computed", "held"),
    [(0.47000000000000003, 0.47), (-0.0000001, 0.0), (1e300, 1e300), (float("nan"), None), (float("inf"), None)],
)
def test_what_is_no_number_is_missing_and_what_is_huge_stays(computed, held):
    assert as_held(pa.array([computed, None]), pa.float64()).to_pylist() == [held, None]
