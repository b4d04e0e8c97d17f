"""Reports on events: a page for each row of a relation, dated soon after it, that states the row and nothing untrue."""

from collections import Counter

import pytest
from harbours import N_CALLS, harbour_spec, harbour_tables
from test_pages_dates import days_stated, recent_tables

from worldforge.builders.audit.check_mentions import check_dates, check_facts, check_spans
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.world.stable_ids import split_fact
from worldforge.world.table_files import read_parquet

ARTICLES = {f"{name}_article": {"generator": "pages.encyclopedia", "about": name} for name in ("ship", "harbour")}
REPORT = {"generator": "pages.report", "about": "ship", "rows": "calls_at"}


def written(spec, tables, folder):
    write_pages(spec, tables, folder, LocalEngine(1), Progress())
    files = {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions", "links")}
    assert check_spans(files["pages"], files["mentions"]).n_failed == 0
    assert check_links(files["pages"], files["links"]).n_failed == 0
    assert check_facts(spec, tables, files["pages"], files["mentions"]).n_failed == 0
    assert check_dates(spec, tables, files["pages"], files["mentions"]).n_failed == 0
    return files


def test_every_row_has_a_page_that_states_it(tmp_path):
    spec = harbour_spec(ARTICLES | {"call": REPORT, "call_zh": REPORT | {"language": "zh"}})
    spec = spec.model_copy(update={"languages": ["en", "zh"]})
    files = written(spec, harbour_tables(), tmp_path)
    for kind in ("call", "call_zh"):
        pages = {page["id"] for page in files["pages"].to_pylist() if page["kind"] == kind}
        facts = [one["fact"] for one in files["mentions"].to_pylist() if one["page"] in pages]
        calls = harbour_tables()["calls_at"]
        n_cells = sum(calls[name].length() - calls[name].null_count for name in ("source", "target", "from", "cargo"))
        assert len(pages) == N_CALLS
        assert len({fact for fact in facts if split_fact(fact)[0] == "calls_at"}) == n_cells


def test_a_phrasebook_tells_the_row_its_ends_and_rows_beside_it(tmp_path):
    overrides = [
        "scale=0.3",
        "seed=3",
        'pages.stint={"generator": "pages.report", "about": "player", "rows": "plays_for"}',
    ]
    spec = load_spec("quickstart", overrides)
    files = written(spec, populate(spec, Progress()), tmp_path)
    stints = {page["id"]: page for page in files["pages"].to_pylist() if page["kind"] == "stint"}
    tables, ends, own = {}, {page: set() for page in stints}, Counter()
    for mention in files["mentions"].to_pylist():
        if mention["page"] in stints:
            table, _, column = split_fact(mention["fact"])
            ends[mention["page"]].add(f"{table}#{column}")
            tables.setdefault(mention["page"], set()).add(table)
            own[mention["page"], mention["fact"].split("#")[0]] += 1
    assert len({page["title"] for page in stints.values()}) > 0.8 * len(stints)
    assert sum(not found.isdisjoint({"player", "club"}) for found in tables.values()) > 0.5 * len(stints)
    assert all({"plays_for#source", "plays_for#target"} <= found for found in ends.values())
    rows_told = Counter(page for page, row in own if row.startswith("plays_for/"))
    assert sum(n > 1 for n in rows_told.values()) > 0.5 * len(stints)


def test_a_report_is_written_soon_after_its_row_begins_and_tells_nothing_later(tmp_path):
    spec = harbour_spec(ARTICLES | {"call": REPORT})
    files = written(spec, harbour_tables() | {"calls_at": recent_tables()["calls_at"]}, tmp_path)
    reports = {page["id"] for page in files["pages"].to_pylist() if page["kind"] == "call"}
    stated = [one for one in days_stated(spec, files["pages"], files["mentions"]) if one[2]["page"] in reports]
    ages = [(page - told).days for page, told, row in stated if row["fact"].startswith("calls_at/") and told <= page]
    assert len(ages) > N_CALLS / 2
    assert min(ages) >= 0
    assert max(ages) < 500


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rows": "plays_form"}, "unknown relation"),
        ({"about": "town"}, "not `town`"),
        ({"completeness": 0.5}, "does not go with `rows`"),
    ],
)
def test_a_report_is_about_rows_that_there_are(changed, message):
    kind = {"generator": "pages.report", "about": "player", "rows": "plays_for"} | changed
    with pytest.raises(SpecError, match=message):
        load_spec("quickstart", [f"pages.stint={kind}".replace("'", '"')])


@pytest.mark.parametrize("kind", [{"generator": "pages.report"}, {"generator": "pages.news", "rows": "calls_at"}])
def test_reports_and_rows_go_together(tmp_path, kind):
    spec = harbour_spec(ARTICLES | {"call": {"about": "ship"} | kind})
    with pytest.raises(InputError, match="rows of"):
        write_pages(spec, harbour_tables(), tmp_path, LocalEngine(1), Progress())
