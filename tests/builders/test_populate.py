"""Populate from the outside: a spec in, tables out; what is stable, what is refused."""

import copy
import datetime
import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from worldforge.builders.populate.populate_stage import populate
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import entity_ids

PERSON = {"generator": "names.person"}
ISLES = {
    "name": "isles",
    "seed": 7,
    "types": {
        "region": {
            "count": 5,
            "name": {"generator": "names.region"},
            "attributes": {"area": {"generator": "values.number", "params": {"low": 10, "high": 900, "decimals": 1}}},
            "derived": {
                "n_towns": {"over": "town.region", "sql": "count(*)"},
                "people": {"over": "town.region", "sql": "sum(population)"},
                "density": {"sql": "people / area"},
            },
        },
        "town": {
            "count": 40,
            "name": {"generator": "names.town"},
            "attributes": {
                "region": {"references": "region", "distribution": "zipf"},
                "chartered": {"generator": "values.year", "params": {"low": 1140, "high": 1890}},
                "population": {"generator": "values.integer", "params": {"low": 100, "high": 9000}},
                "motto": {"generator": "values.choice", "params": {"options": ["on", "up"]}, "missing": 0.3},
            },
        },
        "club": {
            "count": 60,
            "name": {"generator": "names.club", "params": {"town": "= town.name"}},
            "attributes": {
                "town": {"references": "town", "capacity": 3},
                "founded": {"generator": "values.year", "params": {"low": "= town.chartered + 10", "high": 2008}},
            },
            "derived": {
                "age": {"sql": "2031 - founded"},
                "squad": {"over": "plays_for", "sql": "count(*)", "where": "until is null"},
            },
        },
        "player": {
            "count": 90,
            "name": PERSON,
            "attributes": {
                "born": {"generator": "values.date", "params": {"low": "1992-01-01", "high": "2012-12-31"}},
                "captain": {"references": "player"},
            },
        },
    },
    "relations": {
        "plays_for": {
            "source": "player",
            "target": "club",
            "per_source": {"low": 1, "high": 3},
            "per_target": {"low": 1, "high": 12},
            "columns": {
                "from": {"generator": "values.year", "params": {"low": "= year(source.born) + 16", "high": 2029}},
                "until": {"generator": "values.year", "params": {"low": "= from + 1", "high": 2031}, "missing": 0.4},
                "loan_from": {"references": "club", "missing": 0.8},
            },
        }
    },
    "constraints": [
        {"on": "club", "sql": "founded > town.chartered + 100"},
        {"on": "plays_for", "sql": "until is null or until < 2031"},
    ],
}


def made(tree):
    return populate(WorldSpec.model_validate(tree), Progress())


def changed(tree, path, value):
    """Return a copy of a tree with one value put in: `types.town.count`."""
    copied = copy.deepcopy(tree)
    *way, last = path.split(".")
    place = copied
    for step in way:
        place = place.setdefault(step, {})
    place[last] = value
    return copied


@pytest.fixture(scope="module")
def isles():
    return made(ISLES)


def test_tables_have_the_columns_of_the_spec_in_their_order_and_types(isles):
    assert list(isles) == ["region", "town", "club", "player", "plays_for"]
    assert isles["region"].column_names == ["id", "name", "aliases", "area", "n_towns", "people", "density"]
    assert isles["plays_for"].column_names == ["id", "source", "target", "from", "until", "loan_from"]
    assert isles["club"].schema == pa.schema(
        {
            "id": pa.string(),
            "name": pa.string(),
            "aliases": pa.list_(pa.string()),
            "town": pa.string(),
            "founded": pa.int32(),
            "age": pa.int64(),
            "squad": pa.int64(),
        }
    )
    assert isles["club"]["aliases"].to_pylist() == [[]] * 60


def test_rows_have_ids_and_references_lead_to_rows(isles):
    for name, table in isles.items():
        assert table["id"].combine_chunks().equals(entity_ids(name, np.arange(table.num_rows)))
    for table, column, target in [
        ("town", "region", "region"),
        ("club", "town", "town"),
        ("player", "captain", "player"),
        ("plays_for", "source", "player"),
        ("plays_for", "target", "club"),
        ("plays_for", "loan_from", "club"),
    ]:
        assert set(isles[table][column].to_pylist()) - {None} <= set(isles[target]["id"].to_pylist())


def test_bounds_that_look_through_references_hold(isles):
    chartered = dict(zip(*(isles["town"][column].to_pylist() for column in ("id", "chartered")), strict=True))
    born = dict(zip(*(isles["player"][column].to_pylist() for column in ("id", "born")), strict=True))
    for club in isles["club"].to_pylist():
        assert chartered[club["town"]] + 100 < club["founded"] <= 2008
    for row in isles["plays_for"].to_pylist():
        assert born[row["source"]].year + 16 <= row["from"] <= 2029
        assert row["until"] is None or row["from"] < row["until"] < 2031


def test_names_follow_what_they_are_made_after(isles):
    towns = dict(zip(*(isles["town"][column].to_pylist() for column in ("id", "name")), strict=True))
    assert all(towns[club["town"]] in club["name"] for club in isles["club"].to_pylist())
    assert all(len(isles[name]["name"].unique()) == isles[name].num_rows for name in ISLES["types"])


def test_derived_columns_agree_with_what_they_are_derived_from(isles):
    towns = isles["town"].to_pylist()
    for region in isles["region"].to_pylist():
        own = [town["population"] for town in towns if town["region"] == region["id"]]
        assert (region["n_towns"], region["people"]) == (len(own), sum(own))
        assert region["density"] == round(sum(own) / region["area"], 2)
    careers = isles["plays_for"].to_pylist()
    for club in isles["club"].to_pylist():
        assert club["age"] == 2031 - club["founded"]
        assert club["squad"] == sum(row["target"] == club["id"] and row["until"] is None for row in careers)


def test_a_share_of_the_rows_is_left_empty():
    towns = made(changed(ISLES, "types.town.count", 4000))["town"]
    assert abs(towns["motto"].null_count / 4000 - 0.3) < 0.03
    assert towns["population"].null_count == 0


def test_nobody_refers_to_itself(isles):
    assert not pc.any(pc.equal(isles["player"]["captain"], isles["player"]["id"])).as_py()


def test_the_same_spec_gives_the_same_tables_in_another_process(isles):
    script = (
        "import sys, json, hashlib; from worldforge.builders.populate.populate_stage import populate;"
        "from worldforge.core.progress import Progress; from worldforge.schema.spec import WorldSpec;"
        "tables = populate(WorldSpec.model_validate(json.loads(sys.argv[1])), Progress());"
        "print(hashlib.sha256(repr([(n, t.to_pydict()) for n, t in tables.items()]).encode()).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", script, json.dumps(ISLES)],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    here = hashlib.sha256(repr([(n, t.to_pydict()) for n, t in isles.items()]).encode()).hexdigest()
    assert other.stdout == here + "\n"


def test_another_seed_gives_another_world(isles):
    other = made(changed(ISLES, "seed", 8))
    assert all(not other[name].equals(isles[name]) for name in isles)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("types.club.attributes.colour", {"generator": "values.colour"}),
        ("types.town.attributes.mayor", {"references": "player", "distribution": "zipf", "capacity": 1}),
        ("types.player.derived.loud", {"sql": "upper(name)"}),
        ("relations.plays_for.columns.goals", {"generator": "values.integer", "params": {"low": 0, "high": 9}}),
    ],
)
def test_another_column_changes_no_other_value(isles, path, value):
    richer = made(changed(ISLES, path, value))
    table, column = path.split(".")[1], path.split(".")[-1]
    assert column in richer[table].column_names
    assert {name: one.select(isles[name].column_names) for name, one in richer.items()} == isles


def test_another_type_or_relation_changes_no_other_table(isles):
    ship = {"count": 30, "name": PERSON, "attributes": {"home": {"references": "town"}}}
    calls = {"source": "ship", "target": "town", "per_source": {"low": 1, "high": 4}}
    richer = made(changed(changed(ISLES, "types.ship", ship), "relations.calls_at", calls))
    assert set(richer) == {*isles, "ship", "calls_at"}
    assert {name: richer[name] for name in isles} == isles


@pytest.mark.parametrize("name", ["town", "club", "player"])
def test_more_rows_change_no_earlier_row(isles, name):
    larger = made(changed(ISLES, f"types.{name}.count", ISLES["types"][name]["count"] * 2))
    drawn = [key for key in isles[name].column_names if key not in ("squad", "captain")]  # what all of them decide
    assert larger[name].slice(0, isles[name].num_rows).select(drawn) == isles[name].select(drawn)


def test_more_sources_change_no_earlier_row_of_a_relation():
    loose = changed(ISLES, "relations.plays_for.per_target", {"low": 0, "high": 200})
    few, many = made(loose), made(changed(loose, "types.player.count", 140))
    n_rows = few["plays_for"].num_rows
    assert many["plays_for"].num_rows > n_rows
    assert many["plays_for"].slice(0, n_rows) == few["plays_for"]


@pytest.mark.parametrize(
    "sums",
    [
        {"sql": "sum(founded)", "where": "founded < 0"},
        {"sql": "sum(founded) filter (where founded < 0)"},
        {"sql": "sum(if(founded < 0, founded, null))"},
    ],
)
def test_a_sum_of_nothing_is_0_and_a_mean_of_nothing_is_missing(sums):
    mean = {**sums, "sql": sums["sql"].replace("sum", "avg")}
    tree = changed(ISLES, "types.town.derived", {})
    for name, derived in (("summed", sums), ("averaged", mean)):
        tree = changed(tree, f"types.town.derived.{name}", {"over": "club.town", **derived})
    town = made(tree)["town"]
    assert set(town["summed"].to_pylist()) == {0}
    assert town["averaged"].null_count == town.num_rows


def test_dates_and_years_need_no_quotes():
    tree = changed(ISLES, "types.player.attributes.born.params.low", datetime.date(1992, 1, 1))
    assert made(tree)["player"] == made(ISLES)["player"]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            "types.club.attributes.founded.params",
            {"low": "= town.chartered + 10", "high": 1500},
            r"club.founded: `low` is above `high` \(\d+ > 1500.*\n  club/00\d\d: town.chartered = \d+\n",
        ),
        ("types.club.attributes.town.capacity", 1, "club.town: 20 of 60 rows find no `town` that is free"),
        ("types.club.name.params.town", "= town.motto", r"club.name: \d+ of 60 rows have no name"),
        (
            "types.club.name",
            {"generator": "values.choice", "params": {"options": ["a"]}},
            "bear the name of an earlier",
        ),
        ("types.club.name", {"generator": "names.town", "params": {"culture": "x"}}, "club.name: unknown culture `x`"),
        (
            "relations.plays_for.per_target",
            {"low": 9, "high": 90},
            "rows are missing to give every `club` its `per_target.low` of 9",
        ),
        ("relations.plays_for.per_target", {"low": 0, "high": 1}, "rows find no `club` that is free"),
        ("relations.plays_for.per_source", {"low": 61, "high": 90}, "rows find no `club` that is free"),
        ("types.club.attributes.x", {"generator": "no:such"}, "runs only where you allow it"),
        ("types.region.derived.bad", {"sql": "name::bigint"}, "cannot be computed"),
        (
            "types.region.derived.bad",
            {"sql": "people * 1000000", "kind": "year"},
            "region.bad: its values are",
        ),
    ],
)
def test_what_cannot_be_made_is_explained(path, value, said):
    with pytest.raises(InputError, match=said):
        made(changed(ISLES, path, value))


def test_a_generator_of_ones_own_is_called_and_held_to_its_word(tmp_path, monkeypatch):
    (tmp_path / "own_words.py").write_text(
        "import pyarrow as pa\n"
        "from worldforge.core.columns import Texts, Years\n"
        "def shout(stream, rows, *, name) -> Texts:\n"
        "    return pa.array([f'{n}!' for n in name.to_pylist()])\n"
        "def wrong(stream, rows) -> Years:\n"
        "    return pa.array(['x'] * len(rows))\n"
        "def broken(stream, rows) -> Years:\n"
        "    return rows[10**6]\n"
    )

    def own(generator, **params):
        tree = changed(ISLES, "types.town.attributes.own", {"generator": generator, "params": params})
        return populate(WorldSpec.model_validate(tree), Progress(), tmp_path)["town"]

    monkeypatch.setattr(sys, "path", list(sys.path))
    towns = own("own_words:shout", name="= name")
    assert towns["own"].to_pylist() == [f"{name}!" for name in towns["name"].to_pylist()]
    with pytest.raises(InputError, match=r"town.own: `own_words:wrong` gave 40 × string for 40 × int32"):
        own("own_words:wrong")
    with pytest.raises(InputError, match=r"town.own: `own_words:broken` failed: IndexError"):
        own("own_words:broken")


def test_progress_counts_every_column():
    class Counting(Progress):
        total, done = None, 0

        def start(self, stage, total=None, why=""):
            self.stage, self.total = stage, total

        def advance(self, items=1):
            self.done += items

    progress = Counting()
    populate(WorldSpec.model_validate(ISLES), progress)
    assert progress.stage == "populate" and progress.done == progress.total > 20
