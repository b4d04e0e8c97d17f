"""Hosts and URLs: ASCII, fictional, unique, whatever things are called."""

import re

import pyarrow as pa
import pytest
from harbours import PAGES, harbour_spec, harbour_tables
from hypothesis import given
from hypothesis import strategies as st

from worldforge.builders.pages.addresses import slugs, without_repeats
from worldforge.builders.pages.calling import call_by_aliases
from worldforge.builders.pages.outline import outline_pages
from worldforge.builders.pages.written import write_tables


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Velmar Rovers", "velmar-rovers"),
        ("  St. Anne's (Old) ", "st-anne-s-old"),
        ("Ærøskøbing", "aeroskobing"),
        ("Ångström Łódź Straße", "angstrom-lodz-strasse"),
        ("漢港", "harbour-0007"),
        ("漢港2017年度展", "harbour-0007"),
        ("", "harbour-0007"),
    ],
)
def test_a_slug_is_the_name_in_ascii(name, slug):
    assert slugs(pa.array([name]), pa.array(["harbour/0007"])).to_pylist() == [slug]


@given(st.text())
def test_any_name_has_a_slug(name):
    (slug,) = slugs(pa.array([name]), pa.array(["isle/0001"])).to_pylist()
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)


def test_an_address_that_comes_again_is_told_apart_by_the_page():
    assert without_repeats(pa.array(["a", "b", "a", "a"])).to_pylist() == ["a", "b", "a~2", "a~3"]


def outline(**changes):
    spec = harbour_spec(**changes)
    tables = harbour_tables()
    return outline_pages(spec, *call_by_aliases(spec, tables, write_tables(spec, tables)))


def test_kinds_share_a_site_by_name_or_by_what_writes_them():
    hosts = {kind.key: kind.site.host for kind in outline().kinds}
    assert hosts["isle_article"] == hosts["ship_article"] == "www.harbours-encyclopedia.example"
    assert hosts["ship_news"] == "www.gazette-isles.example"
    assert len(set(hosts.values())) == 6


def test_a_site_may_name_its_host_and_invented_hosts_stay_apart():
    sites = {"gazette": {"host": "news.isles.example"}, "one": {"title": "The Bell"}, "two": {"title": "Bell"}}
    pages = {
        "ship_news": PAGES["ship_news"],
        "a": {"generator": "pages.news", "about": "ship", "site": "one"},
        "b": {"generator": "pages.news", "about": "ship", "site": "two"},
    }
    hosts = [kind.site.host for kind in outline(pages=pages, sites=sites).kinds]
    assert hosts == ["news.isles.example", "www.bell.example", "www.bell-2.example"]


def test_an_official_site_has_a_host_of_its_own():
    written = outline(pages={"site": {"generator": "pages.official", "about": "isle"}})
    assert written.urls.to_pylist()[:2] == ["https://www.isle-0.example/", "https://www.isle-1.example/"]


def test_pages_of_one_name_on_one_site_have_urls_of_their_own():
    kind = {"generator": "pages.encyclopedia", "about": "isle"}
    written = outline(pages={"first": kind, "second": kind})
    assert written.urls.to_pylist()[5] == "https://www.harbours-encyclopedia.example/wiki/isle-0~5"
    assert written.articles["isle"].tolist() == [0, 1, 2, 3, 4]
