"""Ranks: as counting better rows gives them, through build, pages, tasks and audit; and edits that break a world."""

import hashlib
import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import worldforge
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.builders.audit.check_columns import check_derived
from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.builders.populate.populate_stage import derive_column
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.stable_ids import entity_ids

LEAGUE = """\
name: leagues
seed: 4
types:
  league:
    count: 3
    name: {generator: names.region}
    derived:
      best: {over: club.league, sql: min(points)}
      mean: {over: club.league, sql: avg(points) + count(*) filter (where place > 3)}
      leader: {over: club.league, sql: "arg_min(name, place)", where: place = 1}
  club:
    count: 30
    name: {generator: names.town}
    attributes:
      league: {references: league, missing: 0.1}
      parent: {references: club, acyclic: true, missing: 0.3, label: parent club}
    derived:
      won: {over: meets, sql: sum(goals)}
      lost: {over: meets.target, sql: sum(goals), where: goals > 1}
      points: {sql: won - lost}
      place: {rank: "points desc, won desc, name", within: league, label: place in the league}
      overall: {rank: "won / (lost + 1) desc, parent.won"}
      safe: {sql: place <= 4}
  coach:
    count: 12
    name: {generator: names.person}
relations:
  meets:
    source: club
    target: club
    distinct: false
    per_source: {low: 1, high: 4}
    columns:
      day: {generator: values.date, params: {low: 2030-01-01, high: 2030-03-31}}
      goals: {generator: values.integer, params: {low: 0, high: 5}}
  leads:
    source: coach
    target: club
    per_source: {low: 1, high: 2}
    columns:
      from: {generator: values.year, params: {low: 1950, high: 2020}}
      until: {generator: values.year, params: {low: "= from + 1", high: "= from + 6"}, missing: 0.05}
constraints:
  - {on: meets, unique: [[source, target], day], redraw: day}
  - {on: club, unique: [league, place]}
  - {on: club, acyclic: parent}
  - {on: leads, exclusive: {per: target}, redraw: until}
pages:
  club_article: {generator: pages.encyclopedia, about: club}
  league_article: {generator: pages.encyclopedia, about: league}
  clubs: {generator: pages.directory, about: club, by: league, states: [place, points]}
  table: {generator: pages.statistics, about: club, states: [place, won, overall]}
tasks:
  list: {family: list, about: [club], count: 30, rows: {low: 2, high: 20}}
"""


def rows_spec(rank, within, n_rows):
    group = {"count": 3, "scaled": False, "name": {"generator": "names.region"}}
    drawn = {"low": 0, "high": 9}
    return WorldSpec.model_validate(
        {
            "name": "ranks",
            "types": {
                "group": group,
                "row": {
                    "count": n_rows,
                    "name": {"generator": "names.person"},
                    "attributes": {
                        "group": {"references": "group"},
                        "points": {"generator": "values.integer", "params": drawn},
                        "share": {"generator": "values.number", "params": drawn},
                    },
                    "derived": {"place": {"rank": rank, **({"within": within} if within else {})}},
                },
            },
        }
    )


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "é", "Z", "ab"]),
        st.none() | st.sampled_from([0, 1]),
        st.none() | st.integers(0, 3),
        st.none() | st.sampled_from([0.0, 0.5, 2.0, -1.0]),
    ),
    min_size=1,
    max_size=12,
)
TERMS = st.lists(
    st.tuples(
        st.sampled_from(["name", "points", "share", "points + share", "points > 1", '"group".name']),
        st.sampled_from(["", " asc", " desc", " DESC"]),
    ),
    min_size=1,
    max_size=3,
)


def compared(terms, one, other):
    """Say whether `one` comes before (-1), beside (0) or after `other`."""
    for term, way in terms:
        ours, theirs = (value_of(term, row) for row in (one, other))
        if ours == theirs:
            continue
        if ours is None or theirs is None:
            return 1 if ours is None else -1
        return (-1 if ours < theirs else 1) * (-1 if way.lower() == " desc" else 1)
    return 0


def value_of(term, row):
    name, group, points, share = row
    match term:
        case "name":
            return name.encode()
        case "points":
            return points
        case "share":
            return share
        case "points > 1":
            return None if points is None else points > 1
        case "points + share":
            return None if points is None or share is None else points + share
        case _:
            return group


@settings(max_examples=20, deadline=None)
@given(ROWS, TERMS, st.booleans())
def test_a_rank_is_one_more_than_the_rows_before(rows, terms, apart):
    spec = rows_spec(", ".join(map("".join, terms)), "group" if apart else None, len(rows))
    draft = DraftTables(spec)
    draft.put("group", "name", pa.array(["G", "H", "I"]))
    columns = {
        "name": pa.array([row[0] for row in rows]),
        "group": entity_ids("group", np.arange(2)).take(pa.array([row[1] for row in rows], pa.int64())),
        "points": pa.array([row[2] for row in rows], pa.int64()),
        "share": pa.array([row[3] for row in rows], pa.float64()),
    }
    for name, values in columns.items():
        draft.put("row", name, values)
    found = derive_column(draft, "row", "place")
    expected = [
        None
        if apart and row[1] is None
        else 1 + sum(compared(terms, other, row) < 0 for other in rows if not apart or other[1] == row[1])
        for row in rows
    ]
    assert found.type == pa.int64() and found.to_pylist() == expected
    draft.put("row", "place", found)
    tables = {
        name: draft.finished(name, list(held)) for name, held in {"group": ["name"], "row": [*columns, "place"]}.items()
    }
    assert check_derived(spec, tables, connect(tables)).n_failed == 0
    wrong = pa.array([(expected[0] or 0) + 1, *expected[1:]], pa.int64())
    changed = {**tables, "row": tables["row"].drop_columns(["place"]).append_column("place", wrong)}
    said = f"row/0000#place is {wrong[0].as_py()}, where {expected[0]} is computed"
    assert check_derived(spec, changed, connect(changed)).failures == (said,)


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    folder = tmp_path_factory.mktemp("league")
    (folder / "leagues.yaml").write_text(LEAGUE)
    worldforge("build", folder / "leagues.yaml", "--out", folder / "world")
    return folder / "world"


def table(world, name):
    return pq.read_table(world / name)


def test_a_world_with_ranks_is_built_and_audited(league):
    done = worldforge("audit", league, "--json")
    checks = {check["check"]: check for check in json.loads(done.stdout)["checks"]}
    assert not any(check["n_failed"] for check in checks.values())
    assert checks["derived"]["n_checked"] == 3 * 3 + 6 * 30
    clubs = table(league, "entities/club.parquet").to_pylist()
    for club in clubs:
        better = [
            other
            for other in clubs
            if other["league"] == club["league"]
            and (-other["points"], -other["won"], other["name"]) < (-club["points"], -club["won"], club["name"])
        ]
        assert club["place"] == (None if club["league"] is None else 1 + len(better))
    assert sum(club["place"] is None for club in clubs) > 0


def test_pages_state_ranks_and_tasks_ask_for_them(league):
    facts = table(league, "mentions.parquet")["fact"].to_pylist()
    assert sum(fact.endswith("#place") for fact in facts) > 25
    tasks = table(league, "tasks.parquet")
    assert any('_self."place" ' in query.partition("WHERE")[2] for query in tasks["query"].to_pylist())
    assert any("Place in the league" in wording for wording in tasks["wording"].to_pylist())


def test_where_a_rank_comes_from_is_told(league):
    said = worldforge("explain", league, "club/0000#place").stdout
    assert "rank by points desc, won desc, name, within league" in said


def edit(world, file, column, row, value):
    """Write another value into a cell, and make world.json agree with the changed file."""
    old = table(world, file)
    cells = old[column].to_pylist()
    cells[row] = value
    field = old.schema.field(column)
    new = old.set_column(old.column_names.index(column), field, pa.array(cells, field.type))
    pq.write_table(new, world / file)
    manifest = json.loads((world / "world.json").read_text())
    manifest["files"][file]["sha256"] = hashlib.sha256((world / file).read_bytes()).hexdigest()
    (world / "world.json").write_text(json.dumps(manifest))


def failures(world):
    checks = json.loads(worldforge("audit", world, "--json", "--no-report", code=3).stdout)["checks"]
    return {check["check"]: "\n".join(check["failures"]) for check in checks}


def test_edits_between_rows_are_caught_with_the_rows(league, tmp_path):
    world = shutil.copytree(league, tmp_path / "world")
    sources, days = (table(world, "relations/meets.parquet")[name].to_pylist() for name in ("source", "day"))
    row = next(row for row, source in enumerate(sources) if source in sources[:row])
    other = sources.index(sources[row])
    edit(world, "relations/meets.parquet", "day", row, days[other])
    edit(world, "relations/leads.parquet", "until", 2, 1900)
    edit(world, "entities/club.parquet", "parent", 4, "club/0004")
    said = failures(world)["constraints"]
    assert f"meets/{other:04d} and meets/{row:04d}: `unique: [[source, target], day]` does not hold" in said
    assert "leads/0002: `exclusive: {per: target, begin: from, end: until}` does not hold" in said
    assert "club/0004 -> club/0004: `acyclic: parent` does not hold" in said


def test_edits_of_computed_columns_are_caught_with_the_row(league, tmp_path):
    world = shutil.copytree(league, tmp_path / "world")
    mean = table(world, "entities/league.parquet")["mean"][1].as_py()
    won = table(world, "entities/club.parquet")["won"][7].as_py()
    edit(world, "entities/league.parquet", "mean", 1, mean + 0.01)
    edit(world, "entities/club.parquet", "won", 7, won + 1)
    said = failures(world)["derived"]
    assert f"league/0001#mean is {mean + 0.01}, where {mean} is computed" in said
    assert f"club/0007#won is {won + 1}, where {won} is computed" in said


def test_an_edited_rank_is_caught_with_its_row(league, tmp_path):
    world = shutil.copytree(league, tmp_path / "world")
    place = table(world, "entities/club.parquet")["place"][5].as_py()
    edit(world, "entities/club.parquet", "place", 5, 9)
    assert f"club/0005#place is 9, where {place} is computed" in failures(world)["derived"]
