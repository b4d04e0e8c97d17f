"""A page states nothing that came after its own day: years, dates, rows that had not begun."""

import datetime
import re
from functools import cache

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from harbours import PAGES, harbour_spec, harbour_tables
from test_pages_dissent import disagreeing_spec

from worldforge.builders.audit.check_mentions import check_dates
from worldforge.builders.audit.run_audit import refuse_broken
from worldforge.builders.known_days import KnownDays
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.errors import GateError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import read_source
from worldforge.schema.table_columns import columns_of
from worldforge.world.value_text import read_value

TODAY = datetime.date(2031, 6, 30)
FIFTH = "scale=0.2"


def recent_tables():
    """The harbours, whose ships were launched in the last 400 days or will be, and sail since the last three years."""
    tables = harbour_tables()
    ships = tables["ship"]
    n = ships.num_rows
    launched = pa.array([TODAY - datetime.timedelta(i * 7 % 430 - 30) for i in range(n)], pa.date32())
    built = pa.array([2028 + i % 4 for i in range(n)], ships.schema.field("built").type)
    for name, column in (("launched", launched), ("built", built)):
        ships = ships.set_column(ships.column_names.index(name), name, column)
    calls = tables["calls_at"]
    since = pa.array([2028 + i % 4 for i in range(calls.num_rows)], calls.schema.field("from").type)
    calls = calls.set_column(calls.column_names.index("from"), "from", since)
    return tables | {"ship": ships, "calls_at": calls}


def written(spec, tables, folder, code_from=None):
    write_pages(spec, tables, folder, LocalEngine(1), Progress(), code_from)
    return [pq.read_table(folder / f"{name}.parquet") for name in ("pages", "mentions")]


def days_stated(spec, pages, mentions):
    """The day of each page that states a year or a date, and that day, as its text has it: read without tables."""
    published = dict(zip(pages["id"].to_pylist(), pages["published"].to_pylist(), strict=True))
    columns = {table: columns_of(spec, table) for table in (*spec.types, *spec.relations)}
    for row in mentions.to_pylist():
        table, column = re.fullmatch(r"(\w+)/\d+#(\w+)", row["fact"]).groups()
        known = columns[table].get(column)
        if known is not None and known.kind in ("date", "year") and row["stance"] != "relative":
            value = read_value(row["value"], known.kind)
            yield published[row["page"]], datetime.date(value, 1, 1) if known.kind == "year" else value, row


def assert_nothing_came_later(spec, pages, mentions, least):
    today = datetime.date.fromisoformat(spec.as_of)
    found = list(days_stated(spec, pages, mentions))
    assert len(found) > least
    assert not [row for day, stated, row in found if day < stated <= today]


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """Gives the spec of a shipped world, its tables, pages and mentions: made once for all tests of this module."""

    @cache
    def made(topic, *settings):
        spec = load_spec(topic, ["tasks={}", *settings])
        tables = populate(spec, Progress())
        return spec, tables, *written(spec, tables, tmp_path_factory.mktemp(topic))

    return made


@pytest.mark.parametrize("topic", ["sports", "sports_zh"])
def test_shipped_pages_state_what_was_known_on_their_day(topic, shipped):
    assert_known_on_their_day(*shipped(topic, FIFTH))


def test_pages_on_an_album_that_comes_after_all_songs_it_holds_state_what_was_known(shipped):
    """The world of that seed has such an album; of its pages are written those about albums, songs and bands."""
    tree, _ = read_source("music")
    others = [key for key, kind in tree.data["pages"].items() if kind["about"] not in ("album", "song", "band")]
    assert_known_on_their_day(*shipped("music", "seed=77", *(f"pages.{key}=" for key in others)))


def assert_known_on_their_day(spec, tables, pages, mentions):
    assert_nothing_came_later(spec, pages, mentions, 3000)
    finding = check_dates(spec, tables, pages, mentions)
    assert finding.n_failed == 0 and finding.n_checked > 3000
    assert len(set(pages["published"].to_pylist())) > 200  # days are spread as before, and not all today


@pytest.mark.parametrize("part_rows", [None, 2])
def test_pages_of_recent_things_are_recent(part_rows, tmp_path):
    """All parts of a page bear its day, and none states what came later."""
    pages = {key: dict(kind) for key, kind in PAGES.items()}
    pages["harbour_article"] |= {"part_rows": part_rows, "completeness": 1.0}
    spec, tables = harbour_spec(pages), recent_tables()
    pages, mentions = written(spec, tables, tmp_path)
    assert_nothing_came_later(spec, pages, mentions, 500)
    assert check_dates(spec, tables, pages, mentions).n_failed == 0
    assert max(pages["published"].to_pylist()) <= TODAY


@pytest.mark.parametrize("rule", ["date", "authority", "majority"])
def test_pages_that_err_or_are_out_of_date_foresee_nothing(rule, tmp_path):
    spec, tables = disagreeing_spec(rule), recent_tables()
    pages, mentions = written(spec, tables, tmp_path)
    assert {"outdated", "mistaken"} <= set(mentions["stance"].to_pylist())
    assert_nothing_came_later(spec, pages, mentions, 300)
    assert check_dates(spec, tables, pages, mentions).n_failed == 0


def counted_since(spec, tables):
    """Of each fact that aggregates rows with a date: the last such date by today, by SQL over the tables alone."""
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, table)
    for type_name, one in spec.types.items():
        for column, derived in one.derived.items():
            over, _, key = (derived.over or "").partition(".")
            dates = [field.name for field in tables[over].schema if pa.types.is_date(field.type)] if over else []
            if not dates or (not key and over not in spec.relations):
                continue
            key = key or ("source" if spec.relations[over].source == type_name else "target")
            never = "DATE '9999-01-01'"
            known = ", ".join(f'coalesce("{date}", {never})' for date in dates)
            rows = f'SELECT "{key}" AS key, least({known}) AS begun FROM "{over}"'
            query = f"SELECT key, max(begun) FROM ({rows}) WHERE key IS NOT NULL AND begun <= ? GROUP BY key"
            found = connection.execute(query, [spec.as_of]).fetchall()
            yield from ((f"{id_}#{column}", day) for id_, day in found)


@pytest.mark.parametrize("topic", ["sports", "film"])
def test_what_is_counted_is_stated_once_all_of_it_is_there(topic, shipped):
    spec, tables, pages, mentions = shipped(topic, FIFTH)
    published = dict(zip(pages["id"].to_pylist(), pages["published"].to_pylist(), strict=True))
    since = dict(counted_since(spec, tables))
    counted = [row for row in mentions.to_pylist() if row["fact"] in since and row["stance"] == "current"]
    assert len(counted) > 500
    assert not [row for row in counted if published[row["page"]] < since[row["fact"]]]


def test_sums_of_sums_and_what_is_computed_of_them_wait_for_the_last_census(shipped):
    _, _, pages, mentions = shipped("geography", FIFTH)
    published = dict(zip(pages["id"].to_pylist(), pages["published"].to_pylist(), strict=True))
    told = re.compile(r"(city|county|province|country)/\d+#(census_2030|population|density|place)")
    days = [published[row["page"]] for row in mentions.to_pylist() if told.fullmatch(row["fact"])]
    assert len(days) > 500 and min(days) >= datetime.date(2030, 1, 1)


@pytest.mark.parametrize("topic", ["quickstart", "sports_zh"])
def test_a_thread_is_of_the_day_of_its_last_post(topic, shipped, world):
    pages = world.pages if topic == "quickstart" else shipped(topic, FIFTH)[2]
    threads = [page for page in pages.to_pylist() if page["kind"].endswith("_forum")]
    assert len(threads) > 3
    for page in threads:
        posts = re.findall(r"\*\* wrote on (\d+ \w+ \d{4})|\*\*发表于(\d+年\d+月\d+日)", page["text"])
        days = [read_value(english or chinese, "date") for english, chinese in posts]
        assert len(days) == page["text"].count("\n---\n") >= 2
        assert days == sorted(days) and days[-1] == page["published"]


def test_drawn_days_lie_between_what_is_told_and_today(tmp_path):
    spec = harbour_spec({"ship_news": {"generator": "pages.news", "about": "ship", "states": ["launched"]}})
    pages, mentions = written(spec, recent_tables(), tmp_path)
    days = set(pages["published"].to_pylist())
    assert max(days) == TODAY and len(days) > 15
    assert all(day >= stated or stated > TODAY for day, stated, _ in days_stated(spec, pages, mentions))


def test_the_audit_names_pages_that_foretell(tmp_path):
    spec = harbour_spec({"ship_article": {"generator": "pages.encyclopedia", "about": "ship"}})
    tables = recent_tables()
    pages, mentions = written(spec, tables, tmp_path)
    early = pa.array([datetime.date(2029, 3, 1)] * pages.num_rows)
    pages = pages.set_column(pages.column_names.index("published"), "published", early)
    finding = check_dates(spec, tables, pages, mentions)
    later = {row["fact"] for day, stated, row in days_stated(spec, pages, mentions) if day < stated <= TODAY}
    assert finding.n_failed >= len(later) > 100
    assert "of 2029-03-01, states ship/" in finding.failures[0]
    with pytest.raises(GateError, match="dates: "):
        refuse_broken([finding])


TREES = {
    "name": "trees",
    "as_of": "2031-06-30",
    "types": {
        "basin": {
            "count": 6,
            "name": {"generator": "names.region"},
            "derived": {"locks": {"over": "lock.river.basin", "sql": "count(*)"}},
        },
        "river": {
            "count": 80,
            "name": {"generator": "names.river"},
            "attributes": {
                "into": {"references": "river", "acyclic": True, "missing": 0.1},
                "basin": {"references": "basin"},
                "gauged": {"generator": "values.year", "params": {"low": 1990, "high": 2040}},
            },
            "derived": {"gauges": {"tree": "into", "sql": "count(*)"}},
        },
        "lock": {
            "count": 90,
            "name": {"generator": "names.place"},
            "attributes": {
                "river": {"references": "river"},
                "opened": {"generator": "values.year", "params": {"low": 1950, "high": 2040}},
            },
        },
    },
}


def test_aggregates_along_paths_and_trees_are_known_with_the_last_row_they_count():
    spec = WorldSpec.model_validate(TREES)
    tables = populate(spec, Progress())
    known = KnownDays(spec, tables)
    rivers = {row["id"]: row for row in tables["river"].to_pylist()}
    last = dict.fromkeys(rivers, 0)
    for row in rivers.values():
        year, below = row["gauged"], row["id"]
        while below is not None and year <= 2031:
            last[below] = max(last[below], year)
            below = rivers[below]["into"]
    days = known.of("river", "gauges").astype("datetime64[D]").astype("datetime64[Y]").astype(int) + 1970
    assert [
        year for year, by_hand in zip(days.tolist(), last.values(), strict=True) if by_hand and year != by_hand
    ] == []
    opened = dict.fromkeys(tables["basin"]["id"].to_pylist(), 0)
    for row in tables["lock"].to_pylist():
        basin = rivers[row["river"]]["basin"]
        opened[basin] = max(opened[basin], row["opened"] if row["opened"] <= 2031 else 0)
    days = known.of("basin", "locks").astype("datetime64[D]").astype("datetime64[Y]").astype(int) + 1970
    assert days.tolist() == list(opened.values())
