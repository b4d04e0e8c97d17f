"""Hosts and URLs: ASCII, fictional, unique, whatever things are called."""

import re

import numpy as np
import pyarrow as pa
import pytest
from harbours import PAGES, harbour_spec, harbour_tables
from hypothesis import given
from hypothesis import strategies as st

from worldforge.builders.pages.alias_choice import call_by_aliases
from worldforge.builders.pages.outline import outline_pages
from worldforge.builders.pages.rendered_values import write_tables
from worldforge.core.chance import Stream
from worldforge.world.slugs import host_stems, marks, slugs, without_repeats

MARK = "[b-df-hj-np-tv-z]{7}"


def slug_of(name):
    """Write one name; the mark that stands for it, or after it, as MARK."""
    (own,) = (mark := marks(Stream(1), np.arange(1))).to_pylist()
    assert re.fullmatch(MARK, own)
    return slugs(pa.array([name]), mark)[0].as_py().replace(own, "MARK")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Velmar Rovers", "velmar-rovers"),
        ("  St. Anne's (Old) ", "st-anne-s-old"),
        ("Ærøskøbing", "aeroskobing"),
        ("Ångström Łódź Straße", "angstrom-lodz-strasse"),
        ("漢港", "han-gang"),
        ("重庆长江银行", "chong-qing-chang-jiang-yin-hang"),
        ("大西 Café", "da-xi-cafe"),
        ("", "MARK"),
        ("Κως", "MARK"),
    ],
)
def test_a_slug_is_the_name_in_ascii(name, slug):
    assert slug_of(name) == slug


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Recall 12", "recall-12-MARK"),
        ("1998", "1998-MARK"),
        ("Pacer Sport II", "pacer-sport-ii-MARK"),
        ("The Third Survey", "the-third-survey-MARK"),
        ("Floor ²", "floor-2-MARK"),
        ("漢港2017年度展", "han-gang-2017-nian-du-zhan-MARK"),
        ("市第三医院", "shi-di-san-yi-yuan-MARK"),
    ],
)
def test_a_name_with_a_number_has_a_mark_so_that_the_next_is_not_guessed(name, slug):
    assert slug_of(name) == slug


@given(st.text())
def test_any_name_has_a_slug(name):
    (slug,) = slugs(pa.array([name]), marks(Stream(1), np.arange(1))).to_pylist()
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)


def test_marks_differ_and_follow_the_seed_and_the_row_alone():
    many = marks(Stream(7), np.arange(20_000)).to_pylist()
    assert len(set(many)) == len(many) and all(re.fullmatch(MARK, one) for one in many[:100])
    assert marks(Stream(7), np.array([5, 3])).to_pylist() == [many[5], many[3]]
    assert marks(Stream(8), np.arange(3)).to_pylist() != many[:3]


def test_an_address_that_comes_again_has_a_mark():
    first, second, third, fourth = without_repeats(pa.array([*"abaa"]), marks(Stream(1), np.arange(4))).to_pylist()
    assert (first, second) == ("a", "b") and third != fourth
    assert all(re.fullmatch(f"a~{MARK}", one) for one in (third, fourth))


def test_marks_that_are_alike_grow_until_addresses_differ():
    assert len({*without_repeats(pa.array(["a"] * 9), pa.array(["same"] * 9)).to_pylist()}) == 9


def test_a_long_name_of_a_host_keeps_its_mark():
    own = slugs(pa.array(["Wandelabusi Lakeside and Kwalemazanga Early Election 2019"]), marks(Stream(1), np.arange(1)))
    (host,) = host_stems(own).to_pylist()
    assert re.fullmatch(f"wandelabusi-.*-{MARK}", host) and len(host) <= 40


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
    assert hosts[:2] == ["news.isles.example", "www.bell.example"]
    assert re.fullmatch(rf"www\.bell-{MARK}\.example", hosts[2])


def test_an_official_site_has_a_host_of_its_own():
    written = outline(pages={"site": {"generator": "pages.official", "about": "isle"}})
    for row, url in enumerate(written.urls.to_pylist()[:2]):
        assert re.fullmatch(rf"https://www\.isle-{row}-{MARK}\.example/", url)


def test_pages_of_one_name_on_one_site_have_urls_of_their_own():
    kind = {"generator": "pages.encyclopedia", "about": "isle"}
    written = outline(pages={"first": kind, "second": kind})
    first, again = written.urls.to_pylist()[0], written.urls.to_pylist()[5]
    assert re.fullmatch(rf"{re.escape(first)}~{MARK}", again)
    assert written.articles["isle"].tolist() == [0, 1, 2, 3, 4]
