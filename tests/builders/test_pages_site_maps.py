"""Maps of sites: from the root a reader gets to every page of the site, and the map states nothing."""

import pytest
from harbours import PAGES, harbour_spec, harbour_tables

from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages import site_maps
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.table_files import read_parquet

KINDS = {
    "ship_article": PAGES["ship_article"] | {"site": "gazette", "part_rows": 3},
    "harbour_article": PAGES["harbour_article"] | {"site": "gazette"},
    "lists": {"generator": "pages.catalogue", "about": "ship", "page_size": 20, "site": "gazette"},
    "ship_news": PAGES["ship_news"] | {"site": "papers"},
}
SITES = {"gazette": {"title": "The Gazette of the Isles"}, "papers": {"title": "Papers"}}


def mapped_spec():
    return harbour_spec(KINDS, sites=SITES, web={"site_maps": True, "redirects": 0.3, "dead_links": 0.3})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_maps, "_PAGE_SIZE", 40)
        write_pages(mapped_spec(), harbour_tables(), folder, LocalEngine(1), Progress())
    return {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions", "links", "redirects")}


def test_each_site_has_one_map_and_a_spec_that_has_it_gets_no_second():
    spec = mapped_spec()
    assert [key for key in spec.pages if key.endswith("_map")] == ["gazette_map", "papers_map"]
    assert set(WorldSpec.model_validate(spec.model_dump()).pages) == set(spec.pages)


@pytest.mark.parametrize("site", ["gazette", "papers"])
def test_every_page_of_a_site_can_be_reached_from_its_map(files, site):
    pages = {page["id"]: page for page in files["pages"].to_pylist()}
    kinds = {
        "gazette": {"ship_article", "harbour_article", "lists", "gazette_map"},
        "papers": {"ship_news", "papers_map"},
    }
    own = {id_ for id_, page in pages.items() if page["kind"] in kinds[site]}
    onward = {}
    for link in files["links"].to_pylist():
        follows = pages[link["source"]]["kind"].endswith("_map") or link["anchor"] in ("Next page", "Site map")
        if link["target"] is not None and follows:
            onward.setdefault(link["source"], set()).add(link["target"])
    root = min(id_ for id_ in own if pages[id_]["kind"] == f"{site}_map")
    found, waiting = {root}, [root]
    while waiting:
        new = onward.get(waiting.pop(), set()) & own - found
        found |= new
        waiting += new
    assert found == own


def test_a_map_states_nothing_and_its_links_are_never_dead(files):
    maps = {page["id"]: page["text"] for page in files["pages"].to_pylist() if page["kind"].endswith("_map")}
    assert not maps.keys() & {row["page"] for row in files["mentions"].to_pylist()}
    assert all(link["target"] for link in files["links"].to_pylist() if link["source"] in maps)
    assert check_links(files["pages"], files["links"], files["redirects"]).n_failed == 0
