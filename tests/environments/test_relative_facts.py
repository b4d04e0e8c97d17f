"""Facts that pages state beside others: read by the oracle, and shown once both parts were."""

from dataclasses import replace
from types import SimpleNamespace

import pyarrow as pa
import pytest
from paper_world import task_on_paper

from worldforge.environments.coverage import readers_of_facts
from worldforge.environments.search.evidence_plan import (
    PlannedPage,
    PlannedReading,
    read_page,
    read_relations,
    related_value,
)
from worldforge.world.evidence import FactRelation
from worldforge.world.table_files import MENTIONS

LINE = "It was founded three years after [Velm](https://a.example/velm)."
TASK = replace(
    task_on_paper(0), gold=(("Torv", "1904"),), facts=(("club/0003#name", "club/0003#founded"),), conditions=()
)


@pytest.mark.parametrize(
    ("value", "difference", "related"),
    [
        ("1901", 3, "1904"),
        ("1,998", 12, "2,010"),
        ("Velm", None, "Velm"),
        ("Velm", 3, None),
        ("1901年", -2, "1899年"),
        ("0.1", 0.2, "0.3"),
        ("1,312.5", 12.25, "1,324.75"),
        ("12.5", -0.5, "12"),
        ("28 February 1903", 2.0, "2 March 1903"),
        ("1903年3月2日", -2.0, "1903年2月28日"),
    ],
)
def test_a_value_follows_from_another(value, difference, related):
    assert related_value(value, difference) == related


def test_a_relation_is_read_where_its_line_stands_and_is_no_value():
    at = LINE.index("Velm")
    relation = FactRelation("club/0001#founded", 3)
    page = PlannedPage("u", "t", (PlannedReading("club/0003#founded", 1, LINE, at, at + 4, relation=relation),))
    assert read_page(page, 1, LINE) == {}
    assert read_relations(page, 1, LINE) == {"club/0003#founded": relation}
    assert read_relations(page, 1, "It was founded three years after Velm.") == {"club/0003#founded": relation}
    assert read_relations(page, 1, LINE.replace("three", "four")) == {}
    assert read_relations(page, 2, LINE) == {}


def observed(page, **more):
    return {"disclosed": [{"page": page, "start": 0, "end": 99}], "altered": [], **more}


@pytest.mark.parametrize("first", [0, 1])
def test_a_cell_is_shown_when_both_parts_were(first):
    rows = [
        ("page/000000", "club/0001#founded", 0, 4, "current", "1901", None, None),
        ("page/000001", "club/0003#founded", 0, 4, "relative", "Velm", "club/0001#founded", 3),
    ]
    mentions = pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in rows], schema=MENTIONS)
    texts = ["1901", "Velm"]
    shown = readers_of_facts(SimpleNamespace(mentions=mentions, tasks=[TASK]))(TASK)
    assert shown("open", texts[first], observed(first)) == []
    assert shown("open", texts[1 - first], observed(1 - first)) == [1]
    shown = readers_of_facts(SimpleNamespace(mentions=mentions, tasks=[TASK]))(TASK)
    assert shown("open", texts[1], observed(1)) == []
    assert shown("open", texts[0], observed(0, altered=[{"fact": "club/0001#founded"}])) == []
