"""Strategies: what each makes of a spec, by the tables and pages that come of it."""

import datetime

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import worldforge as wf
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.resolved_spec import read_resolved
from worldforge.schema.shift_calendar import later_date
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.table_columns import columns_of

SPEC = """
name: old
as_of: "2031-06-30"
types:
  town:
    count: 40
    name: {generator: names.town}
    attributes:
      chartered: {generator: values.year, params: {low: 1200, high: "= least(1800, 1700 + 2 * length(name))"}}
      heads: {generator: values.integer, params: {low: 1000, high: 2999}}
      opened: {generator: values.date, params: {low: "1960-01-01", high: "2030-12-31"}}
      rebuilt: {generator: values.year, params: {low: "= greatest(1850, chartered + 60)", high: "= year(opened)"}}
    derived:
      age: {sql: "2031 - chartered"}
      old: {sql: "chartered < 1500 or rebuilt between 1900 and 1960"}
      era: {sql: "case when chartered < 1400 then 1 else 2000 end"}
      since: {sql: "coalesce(nullif(chartered, 1500), 1501)", kind: year}
      late: {sql: "opened > '1999-12-31'"}
      many: {sql: "heads > 2000"}
      next: {sql: "rebuilt + 2000 - 1900"}
constraints:
  - {on: town, sql: "rebuilt >= 1860", redraw: rebuilt}
"""
YEARS = 28
DAYS = YEARS * 365 + 7


@pytest.fixture
def spec_at(tmp_path):
    path = tmp_path / "world.yaml"

    def load(*overrides, text=SPEC):
        path.write_text(text)
        return load_spec(path, overrides)

    return load


def small_world(folder, *overrides):
    wf.build(load_spec("quickstart", ["scale=0.4", "tasks.list.count=10", *overrides]), folder)
    return wf.open_world(folder)


def as_later(spec, tables):
    """What the tables of a world hold once its calendar has moved."""
    later = {}
    for name, table in tables.items():
        columns = {column: table[column].combine_chunks() for column in table.column_names}
        for column, of in columns_of(spec, name).items():
            if of.kind == "year":
                columns[column] = pc.add(columns[column], pa.scalar(YEARS, pa.int32()))
            elif of.kind == "date":
                days = pc.add(columns[column].cast(pa.int32()), pa.scalar(DAYS, pa.int32()))
                columns[column] = days.cast(pa.date32())
        later[name] = pa.table(columns)
    return later


def test_a_shifted_world_is_the_same_world_later(spec_at):
    spec, shifted = spec_at(), spec_at("strategies.time_shifted={}")
    assert shifted.as_of == "2059-06-30" and shifted.applied == ["time_shifted: 28 years"]
    assert shifted.types["town"].derived["age"].sql == "2059 - chartered"
    assert shifted.types["town"].derived["era"].sql == "case when chartered < 1428 then 1 else 2000 end"
    assert shifted.types["town"].attributes["heads"].params == {"low": 1000, "high": 2999}
    assert populate(shifted, Progress()) == as_later(spec, populate(spec, Progress()))


@pytest.mark.parametrize("name", ["sports"])
def test_a_shipped_world_shifts_whole(name):
    spec, shifted = load_spec(name), load_spec(name, ["strategies.time_shifted={}"])
    assert populate(shifted, Progress()) == as_later(spec, populate(spec, Progress()))


@pytest.mark.parametrize(
    ("day", "years", "later"),
    [("2024-02-29", 1, "2025-02-28"), ("2024-02-29", 4, "2028-02-29"), ("1999-12-31", 28, "2027-12-31")],
)
def test_dates_move_by_whole_years(day, years, later):
    assert later_date(day, years) == later
    assert datetime.date.fromisoformat(later)


def test_mirrors_differ_in_names_alone_and_ask_the_same(tmp_path):
    one, two = (small_world(tmp_path / str(naming), f"strategies.mirror={naming}") for naming in (1, 2))
    names = {"name", "mayor", "stadium"}
    for table, rows in one.tables().items():
        other = two.tables()[table]
        assert {column for column in rows.column_names if not rows[column].equals(other[column])} <= names
    assert not set(one.entities("club")["name"].to_pylist()) & set(two.entities("club")["name"].to_pylist())
    asked, asked_too = ({task.query: task for task in world.tasks} for world in (one, two))
    pairs = asked.keys() & asked_too.keys()
    assert len(pairs) >= 8
    assert all(asked[query].facts == asked_too[query].facts for query in pairs)
    assert read_resolved(one.path / "spec.yaml").applied == ["mirror: 1"]


def test_an_intranet_has_hosts_of_its_own(tmp_path):
    organisation = "strategies.private.organisation=Tarn & Söhne"
    world = small_world(tmp_path / "in", organisation)
    sites = set(world.pages["site"].to_pylist())
    assert all(site.endswith(".tarn-sohne.example") for site in sites)
    assert {"wiki", "board", "tracker"} <= {site.split(".")[0] for site in sites}
    assert len(world.tasks) == 10
    texts = dict(zip(world.pages["kind"].to_pylist(), world.pages["text"].to_pylist(), strict=True))
    assert "## Page history" in texts["club_article"] and "**To:** all staff" in texts["club_news"]


def test_a_long_tail_is_many_and_little_documented():
    spec, tail = load_spec("quickstart"), load_spec("quickstart", ["strategies.long_tail={detail: 2.0}"])
    assert tail.types["club"].count == 2 * spec.types["club"].count
    assert tail.pages["club_article"].share == pytest.approx(0.4 * spec.pages["club_article"].share)
    assert tail.pages["club_statistics"].share == spec.pages["club_statistics"].share


def test_grounded_worlds_have_english_names_and_money_in_use():
    spec = load_spec("software", ["strategies.grounded.units={marks: euros}"])
    assert spec.types["vendor"].attributes["revenue"].unit == "million euros"
    assert spec.types["licence"].name.params["culture"] == "english"
    with pytest.raises(InputError, match="no unit, label or sentence has the word `groats`"):
        load_spec("software", ["strategies.grounded.units={groats: euros}"])
