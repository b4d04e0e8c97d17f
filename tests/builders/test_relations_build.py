"""A league with matches, chief executives with tenures, share prices: built, audited and read by the command."""

import json
import re
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import digest, worldforge

from worldforge.core.errors import InputError
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.database.catalog import read_catalog
from worldforge.schema.spec_loader import load_spec
from worldforge.world.lexicon.lexicon import read_words
from worldforge.world.world import open_world

SPEC = """\
name: leagues
seed: 11
types:
  league: {count: 3, scaled: false, name: {generator: names.region}}
  club:
    count: 16
    name: {generator: names.town}
    attributes:
      league: {references: league, missing: 0.1}
    derived:
      points: {over: match, sql: "sum(case when goals > against then 3 when goals = against then 1 else 0 end)"}
  person: {count: 30, name: {generator: names.person}}
  company:
    count: 8
    name: {generator: names.place}
    attributes:
      founded: {generator: values.year, params: {low: 1950, high: 1980}}
  season: {count: 9, scaled: false, name: {generator: names.festival}}
relations:
  match:
    source: club
    target: club
    title: Home matches
    pairs: {within: league, legs: 2}
    columns:
      goals: {generator: values.integer, params: {low: 0, high: 6}}
      against: {generator: values.integer, params: {low: 0, high: 6}}
  leads:
    source: person
    target: company
    title: Chief executive of
    per_source: {low: 0, high: 2}
    series: target
    columns:
      from:
        generator: values.year
        params:
          low: = coalesce(previous.until, target.founded)
          high: = coalesce(previous.until, target.founded) + 1
      until: {generator: values.year, params: {low: = from + 1, high: = from + 9}}
  quoted:
    source: company
    target: season
    series: source
    title: Share price
    per_source: {low: 7, high: 9}
    columns:
      price:
        generator: values.number
        params:
          low: = coalesce(previous.price * 0.9, 100)
          high: = coalesce(previous.price * 1.2, 120)
          decimals: 2
constraints:
  - {on: quoted, sql: price != previous.price}
  - {on: leads, sql: from >= previous.until}
pages:
  club_article: {generator: pages.encyclopedia, about: club}
  company_article: {generator: pages.encyclopedia, about: company}
  person_article: {generator: pages.encyclopedia, about: person}
tasks:
  list: {family: list, count: 4, rows: {low: 2, high: 20}, columns: {low: 1, high: 3}}
"""


@pytest.fixture(scope="module")
def leagues(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leagues")
    (folder / "world.yaml").write_text(SPEC)
    worldforge("build", folder, "-o", folder / "out")
    return folder / "out"


def audit(world, code):
    done = worldforge("audit", world, "--json", "--no-report", code=code)
    return {check["check"]: check for check in json.loads(done.stdout)["checks"]}


def test_it_builds_passes_its_audit_and_gives_the_same_bytes_again(leagues, tmp_path):
    checks = audit(leagues, 0)
    world = open_world(leagues)
    rows = [world.relation(name).num_rows for name in ("match", "leads", "quoted")]
    assert all(rows) and checks["relations"]["n_checked"] == sum(rows)
    worldforge("build", leagues.parent, "-o", tmp_path / "again", env={"PYTHONHASHSEED": "5"})
    assert digest(tmp_path / "again") == digest(leagues)


def test_pages_state_rounds_and_positions_and_never_previous(leagues):
    facts = pq.read_table(leagues / "mentions.parquet")["fact"].to_pylist()
    columns = {fact.partition("/")[0] + "#" + fact.partition("#")[2] for fact in facts}
    assert {"match#round", "leads#position", "quoted#position", "quoted#price"} <= columns
    assert not any(column.endswith("#previous") for column in columns)
    [text, *_] = [text for text in pq.read_table(leagues / "pages.parquet")["text"].to_pylist() if "## People" in text]
    assert re.search(r"\| Person \| Position \| From \| Until \|", text)
    first, second = re.findall(r"^\| \[[^|]*\| (\d+) \| \d{4} \| \d{4} \|$", text, re.MULTILINE)[:2]
    assert (first, second) == ("1", "2")


def test_explain_traces_rows_and_what_came_before(leagues):
    row = next(row for row in open_world(leagues).relation("leads").to_pylist() if row["previous"])
    assert row["previous"] in worldforge("explain", leagues, row["id"]).stdout
    assert row["previous"] in worldforge("explain", leagues, f"{row['id']}#previous").stdout


def test_tools_graph_controls_and_lexicon_know_the_columns(leagues):
    world = open_world(leagues)
    catalog = read_catalog(world.spec, world.tables())
    assert catalog.tables["leads"].columns["previous"].references == "leads"
    assert catalog.tables["match"].columns["round"].kind == "integer"
    assert ("leads", "previous") in catalog.referrers["leads"]
    edges = [data for *_, key, data in world.graph().edges(keys=True, data=True) if key == "leads"]
    assert edges and all(set(data) == {"position", "from", "until"} for data in edges)
    values = Substitutions(world, 1)
    held = next(number for number, row in enumerate(world.relation("leads").to_pylist()) if row["previous"])
    assert values.true(("leads", held, "previous")).cell == world.relation("leads")["previous"][held].as_py()
    assert values.false(("leads", held, "previous")) is None and values.false(("leads", held, "position")) is not None
    words = read_words(world)
    assert {"round", "position"} <= set(words.labels) and not any("/" in value for value in words.values)


def test_agents_and_datasets_get_by(leagues, tmp_path):
    world = shutil.copytree(leagues, tmp_path / "world")
    done = worldforge("rollout", world, "--environment", "database", "--controls", "mild")
    assert "success" in done.stdout + done.stderr
    worldforge("export", world, "--view", "trajectories", "--view", "entities")


@pytest.mark.parametrize(
    ("relation", "column", "row", "value", "said"),
    [
        ("match", "round", 3, 1, "meets 2 others in round 1"),
        ("match", "target", 0, "club/0015", "times"),
        ("leads", "position", 0, 9, "run from"),
        ("quoted", "previous", 4, "quoted/0001", "comes after quoted/0001, not after quoted/0003"),
        ("quoted", "previous", 0, "quoted/0001", "comes after quoted/0001, not after None"),
    ],
)
def test_the_audit_names_what_was_changed(leagues, tmp_path, relation, column, row, value, said):
    world = shutil.copytree(leagues, tmp_path / "world")
    path = world / "relations" / f"{relation}.parquet"
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[row] = value
    field = table.schema.field(column)
    pq.write_table(table.set_column(table.column_names.index(column), field, pa.array(values, field.type)), path)
    failures = audit(world, 3)["relations"]["failures"]
    assert any(said in failure and failure.startswith(relation) for failure in failures), failures


BAD = [
    ("within: league,", "within: leage,", "leage", "did you mean `league`?"),
    ("within: league,", "within: points,", "points, legs", "is no reference"),
    ("within: league,", "within: league.name,", "league.name", "is no reference"),
    ("legs: 2}", "legs: 0}", "0}\n    columns", "must be at least 1"),
    ("legs: 2}\n", "legs: 2}\n    series: source\n", "match:", "without `per_target` and `series`"),
    ("legs: 2}\n", "legs: 2}\n    per_source: {low: 1, high: 1}\n", "match:", "give exactly one of `per_source` and"),
    ("within: league, legs: 2}", "legs: 8}", "pairs:", "32,399,640,000 rows are more than a table can have"),
    ("      goals: {", "      round: {", "round: {", "`match` has a column `round` without asking"),
    ("      price:\n", "      previous:\n", "previous:\n", "`quoted` has a column `previous` without asking"),
    ("      price:\n", "      position:\n", "position:\n", "`quoted` has a column `position` without asking"),
    ("previous.until, target", "previous.untl, target", "previous.untl", "`leads` has no column `untl`"),
    ("{low: 0, high: 6}", "{low: = previous.goals, high: 6}", "previous.goals", "`match` has no column `previous`"),
    ("price * 0.9, 100", "price, previous.price, price", "price:", "columns need one another in a circle"),
    ("series: target", "series: both", "both", "must not be the text `both`"),
]


@pytest.mark.parametrize(("old", "new", "at", "said"), BAD)
def test_what_is_wrong_is_told_at_its_place(tmp_path, old, new, at, said):
    text = SPEC.replace(old, new, 1)
    if "rows are more" in said:
        text = text.replace("count: 16\n", "count: 90000\n")
    place = tmp_path / "world.yaml"
    place.write_text(text)
    with pytest.raises(InputError) as raised:
        load_spec(str(place))
    line = text[: text.index(at, text.index("relations:"))].count("\n") + 1
    assert said in str(raised.value) and re.search(rf"world\.yaml:{line}:\d+", str(raised.value)), str(raised.value)
