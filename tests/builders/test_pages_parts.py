"""Long pages in parts, from outside: what whole pages state is stated part by part, and each part leads to the next."""

import re

import pytest
from harbours import PAGES, harbour_spec, harbour_tables

from worldforge.builders.audit.check_mentions import check_spans
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.world.table_files import read_parquet

IN_PARTS = {"ship_article": 2, "harbour_article": 3, "harbour_site": 4}
COPY = {"generator": "pages.reprint", "about": "harbour", "copies": "harbour_site", "share": 0.5}


def write(folder, pages, **changes):
    write_pages(harbour_spec(pages, **changes), harbour_tables(), folder, LocalEngine(1), Progress())
    return {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions", "links")}


def in_parts(pages):
    return {key: {**kind, "part_rows": IN_PARTS[key]} if key in IN_PARTS else kind for key, kind in pages.items()}


@pytest.fixture(scope="module")
def parted(tmp_path_factory):
    return write(tmp_path_factory.mktemp("parts"), in_parts({"site_again": COPY} | PAGES))


def stated(files, key):
    """All that pages of a kind state, as (fact, value), names left out."""
    kinds = dict(zip(files["pages"]["id"].to_pylist(), files["pages"]["kind"].to_pylist(), strict=True))
    told = [(m["fact"], m["value"]) for m in files["mentions"].to_pylist() if kinds[m["page"]] == key]
    return sorted(one for one in told if not one[0].endswith("#name"))


def next_pages(files):
    """By page, the pages that its links called `Next page` lead to."""
    led = {}
    for link in files["links"].to_pylist():
        if link["anchor"] == "Next page":
            led.setdefault(link["source"], set()).add(link["target"])
    return led


@pytest.mark.parametrize("key", [*IN_PARTS])
def test_parts_state_together_what_a_whole_page_states(parted, tmp_path, key):
    whole = write(tmp_path, PAGES)
    assert stated(parted, key) == stated(whole, key)
    firsts, urls = (
        {page["url"] for page in files["pages"].to_pylist() if page["kind"] == key} for files in (whole, parted)
    )
    assert firsts < urls


@pytest.mark.parametrize("key", [*IN_PARTS])
def test_no_table_is_longer_than_a_part_and_each_part_leads_to_the_next(parted, key):
    pages = {page["id"]: page for page in parted["pages"].to_pylist() if page["kind"] == key}
    follows = next_pages(parted)
    title = re.compile(r"\(page (\d+) of (\d+)\)$")
    later = {id for id, page in pages.items() if title.search(page["title"])}
    assert later
    for page in pages.values():
        tables = re.findall(r"^\|[-:|]+\|\n((?:\|.*\n)*)", page["text"].partition("## ")[2], re.M)
        assert all(rows.count("\n") <= IN_PARTS[key] for rows in tables)
    reached = set()
    for head in pages.keys() - later:
        chain = [head]
        while chain[-1] in follows:
            chain.extend(follows[chain[-1]])
        numbers = [title.search(pages[id]["title"]).groups() for id in chain[1:]]
        assert numbers == [(str(place), str(len(chain))) for place in range(2, len(chain) + 1)]
        assert (
            len({pages[id]["title"].partition(" – ")[0].partition(" (page")[0] for id in chain}) == 1
        )  # the same subject
        reached.update(chain)
    assert reached == pages.keys()


def test_spans_links_and_copies_hold(parted):
    assert check_spans(parted["pages"], parted["mentions"]).n_failed == 0
    assert check_links(parted["pages"], parted["links"]).n_failed == 0
    again = {*stated(parted, "site_again")}
    assert again and again <= {*stated(parted, "harbour_site")}


def test_parts_are_of_one_day_where_pages_disagree_and_no_part_knows_what_came_later(tmp_path):
    sites = {"gazette": {"title": "Gazette"}, "old": {"title": "Old Pilot", "outdated": 1.0}}
    pages = in_parts({**PAGES, "harbour_article": {**PAGES["harbour_article"], "site": "old"}})
    spec = harbour_spec(pages, sites=sites, web={"settled_by": "date"}).model_dump()
    spec["types"]["harbour"]["attributes"]["depth"]["varies"] = 0.1
    write_pages(harbour_spec().model_validate(spec), harbour_tables(), tmp_path, LocalEngine(2), Progress())
    files = {name: read_parquet(tmp_path / f"{name}.parquet") for name in ("pages", "mentions")}
    days = {}
    for page in files["pages"].to_pylist():
        if page["kind"] == "harbour_article":
            days.setdefault(re.sub(r"(/\d+)?(~\d+)?$", "", page["url"]), set()).add(page["published"])
    assert len(days) > 10 and all(len(own) == 1 for url, own in days.items() if not url.endswith("nord-havn"))
    year = {page["id"]: page["published"].year for page in files["pages"].to_pylist()}
    begun = [
        (int(m["value"]), year[m["page"]])
        for m in files["mentions"].to_pylist()
        if m["fact"].startswith("calls_at/") and m["fact"].endswith("#from")
    ]
    assert begun and all(first <= then for first, then in begun)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ({"generator": "pages.directory", "part_rows": 3}, "page_size"),
        ({"generator": "pages.news", "part_rows": 3}, "shows none"),
        ({"generator": "pages.continued"}, "part_rows"),
    ],
)
def test_what_has_no_tables_to_cut_is_refused(tmp_path, kind, said):
    with pytest.raises(InputError) as refused:
        write(tmp_path, PAGES | {"odd": {"about": "ship", **kind}})
    assert said in f"{refused.value.message} {refused.value.hint}"


def test_a_generator_that_hides_where_its_tables_go_on_is_refused(tmp_path):
    (tmp_path / "bare.py").write_text(
        "from worldforge.world.page_writer import Page\n"
        "from worldforge.world.page_inputs import Subject\n\n\n"
        "def bare(page: Page, subject: Subject) -> None:\n"
        "    page.heading('{name}', name=subject.name)\n"
    )
    spec = harbour_spec({"bare": {"generator": "bare:bare", "about": "ship", "part_rows": 2}})
    with pytest.raises(InputError, match="where a page goes on"):
        write_pages(spec, harbour_tables(), tmp_path, LocalEngine(1), Progress(), tmp_path)
