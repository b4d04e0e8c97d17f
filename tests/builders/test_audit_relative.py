"""The check on relative statements finds wrong differences, other values, and names of others."""

import datetime

import pyarrow as pa
import pytest

from worldforge.builders.audit.check_mentions import check_relative
from worldforge.world.table_files import MENTIONS

TABLES = {
    "club": pa.table(
        {
            "name": ["Velm", "Torv", "Ost"],
            "aliases": [["VC"], [], None],
            "founded": [1901, 1904, None],
            "town": [1, 1, 2],
            "budget": [0.1, 0.3, None],
            "opened": [datetime.date(1903, 2, 28), datetime.date(1903, 3, 2), None],
        }
    )
}


@pytest.mark.parametrize(
    ("fact", "value", "other", "difference", "failed"),
    [
        ("club/0001#founded", "Velm", "club/0000#founded", 3, 0),
        ("club/0001#founded", "VC", "club/0000#founded", 3, 0),
        ("club/0001#founded", "Velm", "club/0000#founded", 4, 1),
        ("club/0001#founded", "Velm", "club/0000#founded", None, 1),
        ("club/0001#founded", "Torv", "club/0000#founded", 3, 1),
        ("club/0001#budget", "Velm", "club/0000#budget", 0.2, 0),
        ("club/0001#budget", "Velm", "club/0000#budget", 0.3, 1),
        ("club/0001#opened", "Velm", "club/0000#opened", 2, 0),
        ("club/0001#opened", "Velm", "club/0000#opened", 3, 1),
        ("club/0002#opened", "Velm", "club/0000#opened", 3, 1),
        ("club/0001#town", "Velm", "club/0000#town", None, 0),
        ("club/0002#town", "Velm", "club/0000#town", None, 1),
        ("club/0002#founded", "Velm", "club/0000#founded", 3, 1),
        ("club/0001#founded", "Velm", "club/0009#founded", 3, 1),
        ("club/0001#founded", "Velm", "club/0000#nosuch", 3, 1),
        ("club/0001#founded", "Velm", None, 3, 1),
        ("club/0001#founded", "Velm", "rubbish", 3, 1),
    ],
)
def test_a_statement_beside_another_fact_is_true(fact, value, other, difference, failed):
    row = ("page/000000", fact, 0, 4, "relative", value, other, difference)
    direct = ("page/000000", "club/0000#name", 9, 13, "current", "Velm", None, None)
    mentions = pa.Table.from_pylist(
        [dict(zip(MENTIONS.names, one, strict=True)) for one in (row, direct)], schema=MENTIONS
    )
    found = check_relative(TABLES, mentions)
    assert (found.n_checked, found.n_failed) == (1, failed)
