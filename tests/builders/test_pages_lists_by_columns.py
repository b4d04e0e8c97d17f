"""Lists by place, year and kind, and rankings: who stands on them, in which order, and what they state."""

import re
from collections import Counter

import pytest
from harbours import PAGES, harbour_spec, harbour_tables

from worldforge.builders.audit.check_mentions import check_dates, check_facts, check_spans
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.world.table_files import read_parquet

KINDS = {
    "ship_article": PAGES["ship_article"] | {"completeness": 1},
    "harbour_article": PAGES["harbour_article"] | {"share": 1},
    "lists": {"generator": "pages.catalogue", "about": "ship", "page_size": 40, "site": "gazette"},
    "rankings": {"generator": "pages.ranking", "about": "ship", "states": ["length"], "site": "gazette"},
}
SITES = {"gazette": {"title": "The Gazette of the Isles", "outdated": 0.5, "mistaken": 0.5}}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lists")
    spec = harbour_spec(KINDS, sites=SITES, web={"settled_by": "date"})
    write_pages(spec, harbour_tables(), folder, LocalEngine(1), Progress())
    return spec, {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions", "links")}


def pages_of(files, kind):
    """The pages of a kind, list by list, with their text without addresses."""
    lists = {}
    for page in files["pages"].to_pylist():
        if page["kind"] == kind:
            text = re.sub(r"\]\(.*?\)", "]", page["text"])
            lists.setdefault(page["title"].partition(" (page")[0], []).append(text)
    return lists


def test_each_list_by_a_value_holds_every_ship_that_has_one(written):
    ships = harbour_tables()["ship"].to_pylist()
    lists = pages_of(written[1], "lists")
    for title, texts in lists.items():
        key = {"home port": "home", "launched": "launched", "built": "built", "rig": "rig"}.get(title.split(" by ")[-1])
        wanted = [ship["name"] for ship in ships if key is None or ship[key] is not None]
        links = Counter(re.findall(r"\[(.*?)\]", "\n".join(texts)))
        assert all(links[name] >= 1 for name in wanted)
        assert len(texts) == -(-len(wanted) // 40)
    assert len(lists) == 4  # by name, place, year and kind


def test_ships_stand_under_the_harbour_that_the_table_gives(written):
    names = {row["id"]: row["name"] for row in harbour_tables()["harbour"].to_pylist()}
    homes = {(names.get(ship["home"]), ship["name"]) for ship in harbour_tables()["ship"].to_pylist()}
    found = 0
    for text in pages_of(written[1], "lists")["Old ships by home port"]:
        for section in text.split("\n## ")[1:]:
            heading, _, body = section.partition("\n")
            for name in re.findall(r"\[(.*?)\]", body.partition("\n*")[0].split("[Next page]")[0]):
                if name not in ("Previous page", "Next page"):
                    assert (heading.strip("[]"), name) in homes
                    found += 1
    assert found > 100


def test_a_ranking_has_the_first_hundred_in_order(written):
    ships = harbour_tables()["ship"].to_pylist()
    longest = sorted((ship["length"] for ship in ships if ship["length"] is not None), reverse=True)[:100]
    (texts,) = pages_of(written[1], "rankings").values()
    rows = [line.split("|") for text in texts for line in text.split("\n") if re.match(r"\| \d", line)]
    assert [int(row[1]) for row in rows] == list(range(1, len(longest) + 1))
    assert [int(row[3].replace(",", "")) for row in rows] == longest


def test_the_pages_of_a_list_are_of_one_day(written):
    days = {}
    for page in written[1]["pages"].to_pylist():
        if page["kind"] in ("lists", "rankings"):
            days.setdefault(page["title"].partition(" (page")[0], set()).add(page["published"])
    assert len(days) == 5 and all(len(own) == 1 for own in days.values())


def test_lists_state_what_the_tables_hold_even_on_a_site_that_errs(written):
    spec, files = written
    tables = harbour_tables()
    for finding in (
        check_spans(files["pages"], files["mentions"]),
        check_facts(spec, tables, files["pages"], files["mentions"]),
        check_dates(spec, tables, files["pages"], files["mentions"]),
        check_links(files["pages"], files["links"]),
    ):
        assert finding.n_failed == 0, finding
    listed = {page["id"] for page in files["pages"].to_pylist() if page["kind"] in ("lists", "rankings")}
    stances = {row["stance"] for row in files["mentions"].to_pylist() if row["page"] in listed}
    assert stances == {"current"}
