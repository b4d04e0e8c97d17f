"""Tables that say a value once for several rows: what they state, how it reads, and what controls make of it."""

import re

import pytest
from harbours import PAGES, harbour_spec, harbour_tables

from worldforge.builders.audit.check_mentions import check_facts, check_spans
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.environments.controls.statements import _statements
from worldforge.world.table_files import read_parquet
from worldforge.world.value_formats import ValueFormats

FLEET = {"generator": "pages.statistics", "about": "ship", "states": ["length", "home", "rig"], "page_size": 30}


def write(folder, by):
    pages = {"ship_article": PAGES["ship_article"], "harbour_article": PAGES["harbour_article"]}
    spec = harbour_spec(pages | {"fleet": FLEET | {"params": {"merge": by} if by else {}}})
    write_pages(spec, harbour_tables(), folder, LocalEngine(1), Progress())
    return spec, {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions", "links")}


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    return write(tmp_path_factory.mktemp("grouped"), "home")


def tables_of(files):
    """Each page's rows, as lists of cells without their links."""
    for page in files["pages"].to_pylist():
        if page["kind"] == "fleet":
            rows = [line for line in page["text"].split("\n") if line.startswith("| ")]
            yield page, [[re.sub(r"\[(.*?)\]\(.*?\)", r"\1", c.strip()) for c in row.split("|")[1:-1]] for row in rows]


def test_a_reader_who_carries_values_down_reads_the_table(grouped):
    names = {row["id"]: row["name"] for row in harbour_tables()["harbour"].to_pylist()}
    truth = {ship["name"]: names.get(ship["home"], "–") for ship in harbour_tables()["ship"].to_pylist()}
    n_carried, ways = 0, set()
    for _, (_, *rows) in tables_of(grouped[1]):
        above, homes = None, []
        for name, _, home, _ in rows:
            n_carried += home in ("", "〃")
            ways |= {home} & {"", "〃"}
            above = above if home in ("", "〃") else home
            assert above == truth[name]
            homes.append(home)
        said = [home for home in homes if home not in ("", "〃", "–")]
        assert said == sorted({*said})  # each once, in order
    assert n_carried > 20 and ways == {"", "〃"}


def test_facts_of_later_rows_stand_where_the_first_says_them(grouped):
    spec, files = grouped
    assert check_spans(files["pages"], files["mentions"]).n_failed == 0
    assert check_facts(spec, harbour_tables(), files["pages"], files["mentions"]).n_failed == 0
    assert check_links(files["pages"], files["links"]).n_failed == 0
    on_lists = {page["id"] for page in files["pages"].to_pylist() if page["kind"] == "fleet"}
    stated = [m for m in files["mentions"].to_pylist() if m["page"] in on_lists]
    homes = {m["fact"] for m in stated if m["fact"].endswith("#home")}
    assert homes == {f"{ship['id']}#home" for ship in harbour_tables()["ship"].to_pylist() if ship["home"]}
    spans = {(m["page"], m["start"]) for m in stated if m["fact"].endswith("#home")}
    assert len(spans) < len(homes)


def test_grouping_states_what_a_plain_table_states(grouped, tmp_path):
    _, plain = write(tmp_path, None)

    def facts(files):
        return sorted((m["fact"], m["value"]) for m in files["mentions"].to_pylist())

    assert facts(plain) == facts(grouped[1])


def test_what_is_no_reference_may_be_grouped_by(tmp_path):
    _, files = write(tmp_path, "rig")
    assert check_spans(files["pages"], files["mentions"]).n_failed == 0


def test_a_column_that_is_not_stated_is_refused(tmp_path):
    with pytest.raises(InputError, match="`merge: crew`"):
        write(tmp_path, "crew")


def test_controls_treat_what_stands_once_as_one_statement(grouped):
    spec, files = grouped
    page = next(page["id"] for page, _ in tables_of(files))
    own = [m for m in files["mentions"].to_pylist() if m["page"] == page]
    here = files["mentions"].filter([one == page for one in files["mentions"]["page"].to_pylist()])
    stated = list(_statements(here, ValueFormats(spec, harbour_tables().get), "fleet"))
    assert len({(one.start, one.end) for one in stated}) == len(stated) < len(own)
    assert sorted(fact for one in stated for fact in (one.fact, *one.also)) == sorted(m["fact"] for m in own)
