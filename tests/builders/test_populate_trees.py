"""Aggregates over rows that lead to an entity in several steps: paths of references, and trees of a type."""

import collections

from worldforge.builders.audit.check_columns import check_derived
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect

RIVERS = {
    "river": {
        "count": 120,
        "name": {"generator": "names.river"},
        "attributes": {
            "into": {"references": "river", "acyclic": True, "missing": 0.05},
            "inflow": {"generator": "values.integer", "params": {"low": 1, "high": 90}},
        },
        "derived": {
            "discharge": {"tree": "into", "sql": "sum(inflow)"},
            "feeders": {"tree": "into", "sql": "count(*) - 1"},
            "small": {"tree": "into", "sql": "max(inflow)", "where": "inflow < 40"},
            "middle": {"tree": "into", "sql": "median(inflow)"},
        },
    }
}
CLUBS = {
    "region": {
        "count": 5,
        "name": {"generator": "names.region"},
        "derived": {
            "clubs": {"over": "club.town.region", "sql": "count(*)"},
            "caps": {
                "over": "plays_for.target.town.region",
                "sql": "sum(caps)",
                "where": "target.town.name is not null",
            },
        },
    },
    "town": {"count": 20, "name": {"generator": "names.town"}, "attributes": {"region": {"references": "region"}}},
    "club": {"count": 50, "name": {"generator": "names.club"}, "attributes": {"town": {"references": "town"}}},
    "player": {"count": 60, "name": {"generator": "names.person"}},
}
PLAYS_FOR = {
    "source": "player",
    "target": "club",
    "per_source": {"low": 1, "high": 3},
    "columns": {"caps": {"generator": "values.integer", "params": {"low": 1, "high": 40}}},
}


def made(types, **more):
    spec = WorldSpec.model_validate({"name": "trees", "types": types} | more)
    tables = populate(spec, Progress())
    with connect(tables) as connection:
        finding = check_derived(spec, tables, connection)
    assert finding.n_checked and not finding.n_failed, finding
    return {name: {row["id"]: row for row in table.to_pylist()} for name, table in tables.items()}


def test_a_tree_is_summed_down_to_its_root():
    rivers = made(RIVERS)["river"]
    below = collections.defaultdict(list)
    for id_, river in rivers.items():
        below[river["into"]].append(id_)
    assert len(below[None]) > 1 and max(map(len, below.values())) > 2

    def discharge(id_):
        return rivers[id_]["inflow"] + sum(map(discharge, below[id_]))

    def within(id_):
        return [id_, *(further for one in below[id_] for further in within(one))]

    for id_, river in rivers.items():
        assert river["discharge"] == discharge(id_)
        assert river["feeders"] == len(within(id_)) - 1
        small = [rivers[one]["inflow"] for one in within(id_) if rivers[one]["inflow"] < 40]
        assert river["small"] == (max(small) if small else None)


def test_rows_are_aggregated_over_paths_of_references():
    tables = made(CLUBS, relations={"plays_for": PLAYS_FOR})
    region_of = {id_: tables["town"][club["town"]]["region"] for id_, club in tables["club"].items()}
    for id_, region in tables["region"].items():
        assert region["clubs"] == list(region_of.values()).count(id_)
        assert region["caps"] == sum(r["caps"] for r in tables["plays_for"].values() if region_of[r["target"]] == id_)


def test_derived_columns_and_trees_rest_on_one_another():
    more = {"twice": {"sql": "2 * discharge"}, "most": {"tree": "into", "sql": "max(twice)"}}
    rivers = made({"river": RIVERS["river"] | {"derived": RIVERS["river"]["derived"] | more}})["river"]
    assert all(river["most"] == river["twice"] == 2 * river["discharge"] for river in rivers.values())
