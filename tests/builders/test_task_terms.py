"""Terms compile two ways to the same rows, SQL and the walk over the graph; and survive as JSON."""

import json
from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx_ground import NetworkxGround

from worldforge.builders.tasks.gold_sql import counts_query, gold_query, rows_query, run_gold_query
from worldforge.builders.tasks.gold_walk import GoldWalker
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.graph_arrays import ArrayGraph
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import (
    AnyOf,
    Condition,
    DescribedTerm,
    GivenEntities,
    NoneOf,
    RelatedTerm,
    Shape,
    from_plain,
    to_plain,
)

YEAR, WORD = {"generator": "values.year"}, {"generator": "values.choice", "params": {"options": ["red", "blue"]}}
SPEC = WorldSpec.model_validate({
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
            "attributes": {"town": {"references": "town"}, "titles": {"generator": "values.integer"}, "colour": WORD},
        },
    },
    "relations": {
        "twinned": {
            "source": "club",
            "target": "town",
            "per_source": {"low": 0, "high": 2},
            "columns": {"from": YEAR, "until": YEAR},
        }
    },
})  # fmt: skip
YEARS, NUMBERS, COLOURS = ["1200", "1250", "1300"], ["0", "3", "4", "12"], ["red", "blue", "green"]
COLUMNS = tuple(
    TaskColumn(name, name, kind) for name, kind in (("name", "text"), ("town", "text"), ("titles", "integer"))
)


def some(low, high, of):
    return st.lists(st.one_of(st.none(), of), min_size=low, max_size=high)


@st.composite
def worlds(draw):
    """Tables with missing values and ties, drawn small enough that terms often hold."""
    n_towns, n_clubs = draw(st.integers(1, 4)), draw(st.integers(3, 7))
    towns, clubs = ([f"{name}/{row:04d}" for row in range(n)] for name, n in (("town", n_towns), ("club", n_clubs)))
    pairs = sorted(draw(st.lists(st.tuples(st.sampled_from(clubs), st.sampled_from(towns)), max_size=6)))
    years = st.sampled_from([int(year) for year in YEARS])
    column = lambda values, n, kind: pa.array(draw(some(n, n, st.sampled_from(values))), kind)  # noqa: E731
    return {
        "region": pa.table({"id": ["region/0000", "region/0001"], "name": ["Ost", "West"], "aliases": [[], []]}),
        "town": pa.table({
            "id": towns, "name": [f"Town {id_}" for id_ in towns], "aliases": [[]] * n_towns,
            "region": column(["region/0000", "region/0001"], n_towns, pa.string()),
            "founded": pa.array(draw(some(n_towns, n_towns, years)), pa.int32()),
        }),
        "club": pa.table({
            "id": clubs, "name": [f"Club {id_}" for id_ in clubs], "aliases": [[]] * n_clubs,
            "town": column(towns, n_clubs, pa.string()),
            "titles": column([int(number) for number in NUMBERS], n_clubs, pa.int64()),
            "colour": column(COLOURS, n_clubs, pa.string()),
        }),
        "twinned": pa.table({
            "id": pa.array([f"twinned/{row:04d}" for row in range(len(pairs))], pa.string()),
            "source": pa.array([source for source, _ in pairs], pa.string()),
            "target": pa.array([target for _, target in pairs], pa.string()),
            "from": pa.array(draw(some(len(pairs), len(pairs), years)), pa.int32()),
            "until": pa.array(draw(some(len(pairs), len(pairs), years)), pa.int32()),
        }),
    }  # fmt: skip


def condition(path, kind, values, operators):
    return st.builds(
        Condition, st.just(path), st.sampled_from(operators), st.sampled_from(values), st.just(""), st.just(kind),
        st.sampled_from(values) if "between" in operators else st.just(""),
    )  # fmt: skip


ORDERED = ["=", "!=", "<", "<=", ">", ">=", "between", "missing"]
ON_TOWN = st.one_of(
    condition("region", "text", ["region/0000", "region/0001"], ["=", "!=", "missing"]),
    condition("founded", "year", YEARS, [*ORDERED, "highest", "lowest"]),
)
ON_TWINNED = st.one_of(
    condition("from", "year", YEARS, ORDERED),
    condition("until", "year", YEARS, ORDERED),
    condition("target.region", "text", ["region/0000"], ["=", "!="]),
    condition("source", "text", ["club/0000", "club/0001"], ["=", "!="]),
)
OPEN = AnyOf(((Condition("until", "missing", "", "", "year"),), (Condition("until", ">", "1250", "", "year"),)))
ON_CLUB = st.one_of(
    condition("town", "text", ["town/0000", "town/0001"], ["=", "!=", "missing"]),
    condition("town.region", "text", ["region/0001"], ["=", "!="]),
    condition("town.founded", "year", YEARS, ORDERED),
    condition("titles", "integer", NUMBERS, [*ORDERED, "highest", "lowest"]),
    condition("colour", "text", ["red", "it's"], ["=", "!=", "missing"]),
    st.builds(
        RelatedTerm,
        st.just("twinned"),
        st.just("source"),
        st.lists(ON_TWINNED, max_size=2).map(lambda terms: (*terms, OPEN)),
    ),
    st.builds(
        DescribedTerm, st.just("town"), st.just("town"), st.lists(ON_TOWN, min_size=1, max_size=2).map(tuple),
        st.just(""), st.just(""),
    ),
    st.just(GivenEntities(("club/0000", "club/0002"), ("a", "b"))),
)  # fmt: skip
PARTS = st.lists(st.lists(ON_CLUB, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple)
TERMS = st.lists(st.one_of(ON_CLUB, PARTS.map(AnyOf), PARTS.map(NoneOf)), max_size=3).map(tuple)
SHAPES = st.one_of(
    st.just(Shape()),
    st.just(Shape(within="town")),
    st.builds(Shape, st.just("titles"), st.booleans(), st.integers(1, 4)),
    st.builds(
        lambda highest, limit, within: Shape("titles", highest, limit, within=within),
        st.booleans(), st.integers(1, 2), st.sampled_from(["town", "colour"]),
    ),
)  # fmt: skip
TOWN_TERMS = st.lists(
    st.one_of(
        ON_TOWN,
        st.builds(RelatedTerm, st.just("club"), st.just("town"), st.lists(ON_CLUB, max_size=2).map(tuple)),
        st.builds(RelatedTerm, st.just("twinned"), st.just("target"), st.lists(ON_TWINNED, max_size=2).map(tuple)),
    ),
    max_size=3,
).map(tuple)


def opened(tables):
    relations = {"twinned": tables["twinned"]}
    entities = {name: tables[name] for name in SPEC.types}
    walkers = [GoldWalker(ground(SPEC, entities, relations)) for ground in (ArrayGraph, NetworkxGround)]
    return connect(tables), walkers


@settings(deadline=None, max_examples=8)
@given(tables=worlds(), asked=st.lists(st.tuples(TERMS, SHAPES, TOWN_TERMS), min_size=6, max_size=10))
def test_all_derivations_agree(tables, asked):
    connection, walkers = opened(tables)
    for terms, shape, of_towns in asked:
        by_query = run_gold_query(connection, gold_query(SPEC, "club", terms, COLUMNS, shape))
        assert [by_query] * 2 == [walker.gold("club", terms, COLUMNS, shape) for walker in walkers]
        for about, wanted in (("club", terms), ("town", of_towns)):
            by_query = run_gold_query(connection, gold_query(SPEC, about, wanted, COLUMNS[:1]))
            assert [by_query] * 2 == [walker.gold(about, wanted, COLUMNS[:1]) for walker in walkers]
            ids = tables[about]["id"].to_pylist()
            rows = connection.execute(rows_query(SPEC, about, wanted)).fetchall()
            assert tuple(ids[row] for (row,) in rows) == by_query.ids
            met = Counter(id_ for term in wanted for id_ in walkers[0].gold(about, [term], COLUMNS[:1]).ids)
            counts = tuple(sum(met[id_] == len(wanted) - n for id_ in ids) for n in (0, 1))
            assert connection.execute(counts_query(SPEC, about, wanted)).fetchone() == counts


@given(terms=TERMS)
def test_terms_come_back_from_json(terms):
    assert from_plain(json.loads(json.dumps(to_plain(terms)))) == terms
