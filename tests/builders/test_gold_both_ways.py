"""Gold by SQL and gold by walking the graph agree on every condition, operator and kind, and on paths of references."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx_ground import NetworkxGround

from worldforge.builders.tasks.gold_sql import QueryResult, gold_query, run_gold_query
from worldforge.builders.tasks.gold_walk import GoldWalker
from worldforge.builders.tasks.question_languages import gold_in_words
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.graph_arrays import ArrayGraph
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Condition
from worldforge.world.world import open_world

YEAR = {"generator": "values.year", "params": {"low": 1, "high": 2}}
SPEC = WorldSpec.model_validate(
    {
        "name": "small",
        "types": {
            "region": {"count": 2, "name": {"generator": "names.region"}},
            "town": {
                "count": 3,
                "name": {"generator": "names.town"},
                "attributes": {"region": {"references": "region"}, "founded": YEAR},
            },
            "club": {
                "count": 5,
                "name": {"generator": "names.club"},
                "attributes": {
                    "town": {"references": "town"},
                    "titles": YEAR,
                    "fee": YEAR,
                    "since": YEAR,
                    "open": YEAR,
                    "colour": YEAR,
                },
            },
        },
    }
)
D = datetime.date
TABLES = {
    "region": pa.table({"id": ["region/0000", "region/0001"], "name": ["Ost", "West"], "aliases": [[], []]}),
    "town": pa.table(
        {
            "id": ["town/0000", "town/0001", "town/0002"],
            "name": ["Alm", "Brin's Ford", "Cor"],
            "aliases": [[], [], []],
            "region": ["region/0001", "region/0000", "region/0001"],
            "founded": pa.array([1200, 1300, None], pa.int32()),
        }
    ),
    "club": pa.table(
        {
            "id": [f"club/000{i}" for i in range(5)],
            "name": ["Alm Rovers", "Alm United", "Brin FC", "Cor FC", "Cor Town"],
            "aliases": [[]] * 5,
            "town": ["town/0000", "town/0000", "town/0001", "town/0002", None],
            "titles": pa.array([0, 3, 12, None, 5], pa.int64()),
            "fee": pa.array([1.5, 20.25, None, 7.0, 0.1]),
            "since": pa.array([D(1901, 2, 3), None, D(1950, 1, 1), D(2000, 12, 31), D(1901, 2, 3)], pa.date32()),
            "open": pa.array([True, False, None, True, False]),
            "colour": ["red", "it's blue", "red", None, "green"],
        }
    ),
}
COLUMNS = tuple(
    TaskColumn(path, path, kind)
    for path, kind in [
        ("name", "text"),
        ("town", "text"),
        ("town.region", "text"),
        ("town.founded", "year"),
        ("titles", "integer"),
        ("fee", "number"),
        ("since", "date"),
        ("open", "boolean"),
        ("colour", "text"),
    ]
)
VALUES = [
    ("town", "text", ["town/0000", "town/0002"], ["="]),
    ("town.region", "text", ["region/0000", "region/0001"], ["=", "!="]),
    ("town.founded", "year", ["1200", "1250"], ["=", ">", "<="]),
    ("titles", "integer", ["0", "3", "4", "12"], ["=", "!=", "<", "<=", ">", ">="]),
    ("fee", "number", ["1.5", "7", "20.25", "0.1"], ["=", "<", ">", ">="]),
    ("since", "date", ["1901-02-03", "1950-01-01"], ["=", "<", ">"]),
    ("open", "boolean", ["yes", "no"], ["="]),
    ("colour", "text", ["red", "it's blue"], ["=", "!="]),
]
conditions = st.sampled_from(VALUES).flatmap(
    lambda v: st.builds(
        Condition, st.just(v[0]), st.sampled_from(v[3]), st.sampled_from(v[2]), st.just(""), st.just(v[1])
    )
)


@pytest.fixture(scope="module")
def both():
    return connect(TABLES), GoldWalker(ArrayGraph(SPEC, TABLES, {}))


@pytest.fixture(scope="module")
def over_networkx():
    return GoldWalker(NetworkxGround(SPEC, TABLES, {}))


@given(chosen=st.lists(conditions, max_size=3))
def test_both_derivations_agree(both, over_networkx, chosen):
    connection, walker = both
    query = gold_query(SPEC, "club", chosen, COLUMNS)
    by_query = run_gold_query(connection, query)
    assert by_query == walker.gold("club", chosen, COLUMNS)
    assert by_query == over_networkx.gold("club", chosen, COLUMNS)


def test_gold_is_what_a_person_would_read_off(both):
    connection, _ = both
    asked = [
        Condition("town.region", "=", "region/0001", "West", "text"),
        Condition("titles", "<", "4", "4", "integer"),
    ]
    found = run_gold_query(connection, gold_query(SPEC, "club", asked, COLUMNS))
    assert found == QueryResult(
        ("club/0000", "club/0001"),
        (
            ("Alm Rovers", "Alm", "West", "1200", "0", "1.5", "1901-02-03", "yes", "red"),
            ("Alm United", "Alm", "West", "1200", "3", "20.25", None, "no", "it's blue"),
        ),
    )


def test_a_value_from_a_stranger_stays_a_value(both):
    connection, walker = both
    asked = [Condition("colour", "=", "'; DROP TABLE club; --", "", "text")]
    assert run_gold_query(connection, gold_query(SPEC, "club", asked, COLUMNS)) == walker.gold("club", asked, COLUMNS)
    assert connection.execute("SELECT count(*) FROM club").fetchone() == (5,)


def test_a_built_worlds_gold_is_what_a_walk_over_networkx_gives(quickstart):
    world = open_world(quickstart)
    relations = {name: world.relation(name) for name in world.spec.relations}
    walker = GoldWalker(
        NetworkxGround(world.spec, {name: world.entities(name) for name in world.spec.types}, relations)
    )
    for task in world.tasks[:6]:
        found = walker.gold(task.about, task.conditions, task.columns, task.shape)
        assert found.ids and gold_in_words(world.spec, task, found.rows) == task.gold
