"""Archived copies: they state what was so on their day, in the older design, and the rule of the world settles them."""

import datetime
import re

import pytest
from harbours import harbour_spec, harbour_tables

from worldforge.builders.audit.check_mentions import check_dates, check_facts, check_spans
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import authority_of
from worldforge.world.conflict_resolution import find_conflicts
from worldforge.world.table_files import read_parquet

ARCHIVE = {"generator": "pages.archived", "about": "ship", "archives": "ship_article", "share": 0.5, "site": "attic"}


def archived_spec(rule="date", archive=ARCHIVE):
    spec = harbour_spec().model_dump()
    spec["sites"]["attic"] = {"title": "The Attic"}
    spec["web"] = {"settled_by": rule}
    spec["pages"]["old_ships"] = archive
    for name in ("length", "rig", "crew"):
        spec["types"]["ship"]["attributes"][name]["varies"] = 0.1
    return WorldSpec.model_validate(spec)


@pytest.mark.parametrize("rule", ["date", "authority", "majority"])
def test_archived_copies_state_old_values_that_the_rule_settles(tmp_path, rule):
    spec, tables = archived_spec(rule), harbour_tables()
    write_pages(spec, tables, tmp_path, LocalEngine(1), Progress())
    pages, mentions = (read_parquet(tmp_path / f"{name}.parquet") for name in ("pages", "mentions"))
    for finding in (check_spans(pages, mentions), check_facts(spec, tables, pages, mentions)):
        assert finding.n_failed == 0, finding
    assert check_dates(spec, tables, pages, mentions).n_failed == 0
    kinds = {page["id"]: page["kind"] for page in pages.to_pylist()}
    outdated = [row for row in mentions.to_pylist() if row["stance"] == "outdated"]
    assert len(outdated) > 20 and {kinds[row["page"]] for row in outdated} == {"old_ships"}
    found = find_conflicts(mentions, pages, {key: authority_of(spec, key) for key in spec.pages}, rule)
    assert found.contested and not found.unsettled


def test_a_copy_names_its_day_and_the_live_page(tmp_path):
    write_pages(archived_spec(), harbour_tables(), tmp_path, LocalEngine(1), Progress())
    pages = read_parquet(tmp_path / "pages.parquet").to_pylist()
    live = {page["title"]: page["url"] for page in pages if page["kind"] == "ship_article"}
    copies = [page for page in pages if page["kind"] == "old_ships"]
    old = [page for page in copies if page["published"] < datetime.date(2030, 6, 30)]
    assert 30 < len(copies) < 100 and len(old) > 0.8 * len(copies)
    for page in copies:
        note, _, rest = page["text"].partition("\n\n")
        day = page["published"]
        assert f"{day.day} {day:%B} {day.year}" in note and live[page["title"]] in note
        assert re.search(rf"^# {re.escape(page['title'])}", rest, re.M) and "attic" in page["url"]


@pytest.mark.parametrize(
    "changes", [{"archives": "harbours", "about": "harbour"}, {"archives": None}, {"generator": "pages.news"}]
)
def test_what_has_no_archived_copies_is_refused(tmp_path, changes):
    with pytest.raises(InputError):
        spec = archived_spec(archive=ARCHIVE | changes)
        write_pages(spec, harbour_tables(), tmp_path, LocalEngine(1), Progress())
