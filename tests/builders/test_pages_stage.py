"""The pages stage from outside: tables and a spec go in, four files come out, and all that they say is true."""

import re
import statistics
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import pyarrow.parquet as pq
import pytest
from harbours import N_ISLES, N_SHIPS, PAGES, harbour_spec, harbour_tables

from worldforge.builders.pages import compose, pages_stage
from worldforge.builders.pages.pagerank import DAMPING
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.table_columns import columns_of
from worldforge.world.stable_ids import split_fact
from worldforge.world.table_files import AUTHORITY, LINKS, MENTIONS
from worldforge.world.table_files import PAGES as PAGES_SCHEMA
from worldforge.world.value_text import read_value

TABLES = ("pages", "mentions", "links", "authority")
LINK = re.compile(r"\[([^\]]+)\]\((https://[^)]+)\)")


@dataclass
class Written:
    """What the stage wrote, as rows."""

    pages: list[dict]
    mentions: list[dict]
    links: list[dict]
    authority: list[dict]
    page: dict[str, dict] = field(init=False)

    def __post_init__(self):
        self.page = {page["id"]: page for page in self.pages}

    def of(self, kind):
        return [page for page in self.pages if page["kind"] == kind]

    def stated(self, kind):
        return [mention for mention in self.mentions if self.page[mention["page"]]["kind"] == kind]


def write(folder, spec=None, tables=None, workers=1, code_from=None):
    write_pages(spec or harbour_spec(), tables or harbour_tables(), folder, LocalEngine(workers), Progress(), code_from)
    return Written(*(pq.read_table(folder / f"{name}.parquet").to_pylist() for name in TABLES))


@pytest.fixture(scope="module")
def harbours(tmp_path_factory):
    return write(tmp_path_factory.mktemp("harbours"))


@pytest.fixture(scope="module")
def cells():
    """Every cell of the tables: its value (a reference's: the name), its kind."""
    spec, tables = harbour_spec(), harbour_tables()
    names = {row["id"]: row["name"] for name in spec.types for row in tables[name].to_pylist()}
    cells = {}
    for table in tables:
        for column in columns_of(spec, table).values():
            for row in tables[table].to_pylist():
                value = names.get(row[column.name]) if column.references else row[column.name]
                cells[f"{row['id']}#{column.name}"] = (value, column.kind)
    return cells


def test_every_mention_is_what_the_text_says_and_what_the_table_holds(harbours, cells):
    assert len(harbours.mentions) > 3000
    for mention in harbours.mentions:
        value, kind = cells[mention["fact"]]
        text = harbours.page[mention["page"]]["text"]
        assert text[mention["start"] : mention["end"]] == mention["value"]
        assert value is not None, f"{mention['fact']} is missing, and stated"
        assert read_value(mention["value"], kind) == value
        assert mention["stance"] == "current"


def test_mentions_stand_in_the_order_of_pages_and_of_their_text(harbours):
    order = [(mention["page"], mention["start"]) for mention in harbours.mentions]
    assert order == sorted(order)


def test_every_link_in_a_text_is_a_row_of_links_and_leads_to_a_page(harbours):
    by_url = {page["url"]: page["id"] for page in harbours.pages}
    in_texts = [
        (page["id"], by_url[url], anchor) for page in harbours.pages for anchor, url in LINK.findall(page["text"])
    ]
    assert in_texts == [(link["source"], link["target"], link["anchor"]) for link in harbours.links]


def test_urls_are_unique_and_fictional(harbours):
    urls = [page["url"] for page in harbours.pages]
    assert len(set(urls)) == len(urls)
    for page in harbours.pages:
        url = r"https://[a-z0-9.-]+\.example/[a-z0-9/~_-]*(\?after=[a-z]{7})?(~[a-z]+)?"
        assert re.fullmatch(url, page["url"])
        assert page["site"] == page["url"].split("/")[2]


def test_pages_are_numbered_in_order_and_written_in_the_fixed_schemas(harbours, tmp_path):
    assert [page["id"] for page in harbours.pages] == [f"page/{i:06}" for i in range(len(harbours.pages))]
    write(tmp_path)
    for name, schema in zip(TABLES, (PAGES_SCHEMA, MENTIONS, LINKS, AUTHORITY), strict=True):
        assert pq.read_schema(tmp_path / f"{name}.parquet").equals(schema)


def test_every_page_is_linked_to(harbours):
    assert {link["target"] for link in harbours.links} >= {page["id"] for page in harbours.pages}


def test_the_mean_authority_is_one_and_pages_with_more_links_have_more(harbours):
    assert [row["page"] for row in harbours.authority] == [page["id"] for page in harbours.pages]
    authority = [row["authority"] for row in harbours.authority]
    assert sum(authority) / len(authority) == pytest.approx(1, abs=1e-4)
    n_links = Counter(link["target"] for link in harbours.links)
    ranked = sorted(harbours.authority, key=lambda row: n_links[row["page"]])
    fewest, most = (statistics.mean(row["authority"] for row in part) for part in (ranked[:20], ranked[-20:]))
    assert min(authority) > 1 - DAMPING and most > 2 * fewest


def test_a_subject_states_its_name_and_only_what_its_kind_may_state(harbours):
    for kind, given in PAGES.items():
        stated = {split_fact(mention["fact"])[::2] for mention in harbours.stated(kind)}
        assert (given["about"], "name") in stated
        if given.get("states"):
            of_relation = {"from", "cargo", "source"} if "calls_at" in given["states"] else set()
            assert {column for _, column in stated} <= {"name", *given["states"], *of_relation}
    headings = {(m["page"], m["fact"]) for m in harbours.stated("isle_article") if m["start"] == len("# ")}
    assert len(headings) == N_ISLES


def test_completeness_is_the_share_of_facts_stated(harbours, cells):
    stated = {mention["fact"] for mention in harbours.stated("ship_article")}
    for prefix, columns in (("ship/", ("home", "length", "rig", "crew", "built")), ("calls_at/", ("target",))):
        known = [f for f, (v, _) in cells.items() if f.startswith(prefix) and f.endswith(columns) and v is not None]
        assert sum(fact in stated for fact in known) / len(known) == pytest.approx(0.7, abs=0.08)


def test_everything_is_stated_where_completeness_is_whole(harbours, cells):
    articles = {page["title"] for page in harbours.of("harbour_article")}
    names = {fact.split("#")[0]: value for fact, (value, _) in cells.items() if fact.endswith("#name")}
    stated = {mention["fact"] for mention in harbours.stated("harbour_article")}
    known = {f for f, (v, _) in cells.items() if v is not None and names.get(f.split("#")[0]) in articles}
    assert known <= stated
    assert len(articles) / 40 == pytest.approx(0.8, abs=0.15)


def test_a_share_of_entities_has_a_page(harbours):
    assert len(harbours.of("ship_news")) == N_SHIPS
    assert len(harbours.of("ship_forum")) / N_SHIPS == pytest.approx(0.3, abs=0.1)


def listed_by(harbours, page):
    """The names of the harbours that a page lists, in its order."""
    own = [m for m in harbours.mentions if m["page"] == page["id"] and m["fact"].startswith("harbour/")]
    return [mention["value"] for mention in own if mention["fact"].endswith("#name")]


@pytest.mark.parametrize("isle", range(N_ISLES))
def test_lists_hold_their_own_in_order_page_by_page(harbours, isle):
    of_isle = f"Harbours of Isle {isle}"
    pages = [page for page in harbours.of("harbours") if page["title"].split(" (")[0] == of_isle]
    rows = harbour_tables()["harbour"].to_pylist()
    expected = sorted((row["name"] for row in rows if row["isle"] == f"isle/{isle:04}"), key=str.encode)
    listed = [listed_by(harbours, page) for page in pages]
    assert [name for names in listed for name in names] == expected
    assert all(len(names) == PAGES["harbours"]["page_size"] for names in listed[:-1])
    if len(pages) > 1:
        assert [page["title"] for page in pages] == [
            f"{of_isle} (page {i + 1} of {len(pages)})" for i in range(len(pages))
        ]
    for page, following in pairwise(pages):
        assert f"[Next page]({following['url']})" in page["text"]
        assert f"[Previous page]({page['url']})" in following["text"]
    assert "[Previous page]" not in pages[0]["text"]
    assert "[Next page]" not in pages[-1]["text"]


def test_a_list_may_be_split_through_a_reference_and_leave_some_out(harbours):
    tables = harbour_tables()
    isle_of = dict(zip(tables["harbour"]["id"].to_pylist(), tables["harbour"]["isle"].to_pylist(), strict=True))
    listable = {r["id"] for r in tables["ship"].to_pylist() if isle_of.get(r["home"]) is not None}
    listed = {m["fact"].split("#")[0] for m in harbours.stated("ships") if m["fact"].startswith("ship/")}
    assert listed < listable
    assert len(listed) / len(listable) == pytest.approx(0.5, abs=0.12)


def test_an_attribute_more_changes_what_no_other_column_states(harbours, tmp_path):
    spec, tables = harbour_spec(), harbour_tables()
    ship = spec.model_dump()["types"]["ship"]
    ship["attributes"] = {"draught": {"generator": "values.number"}, **ship["attributes"]}
    types = spec.model_dump()["types"] | {"ship": ship}
    tables["ship"] = tables["ship"].append_column("draught", [[1.5] * N_SHIPS])
    after = write(tmp_path, harbour_spec(types=types), tables)
    assert {(m["page"], m["fact"]) for m in after.mentions if "#draught" not in m["fact"]} == {
        (m["page"], m["fact"]) for m in harbours.mentions
    }


def test_the_files_are_the_same_for_any_number_of_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(compose, "_CHUNK_WEIGHT", 400)
    monkeypatch.setattr(pages_stage, "PAGES_WORTH_WORKERS", 0)
    for workers in (1, 3):
        write(tmp_path / str(workers), workers=workers)
    for name in ("pages", "mentions", "links"):
        files = {(tmp_path / str(workers) / f"{name}.parquet").read_bytes() for workers in (1, 3)}
        assert len(files) == 1


def test_how_pages_are_cut_into_chunks_changes_no_row(harbours, tmp_path, monkeypatch):
    monkeypatch.setattr(compose, "_CHUNK_WEIGHT", 100)
    assert write(tmp_path) == harbours


def test_nothing_lies_beside_the_files_of_pages(tmp_path):
    write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.parquet" for name in TABLES)


def test_a_world_without_pages_has_empty_files(tmp_path):
    nothing = write(tmp_path, harbour_spec(pages={}))
    assert (nothing.pages, nothing.mentions, nothing.links, nothing.authority) == ([], [], [], [])


def test_kinds_without_anything_to_write_are_no_trouble(tmp_path):
    pages = {
        "none": {"generator": "pages.encyclopedia", "about": "isle", "share": 0.0},
        "empty": {"generator": "pages.directory", "about": "ship", "by": "home", "completeness": 0.0},
        "bare": {"generator": "pages.encyclopedia", "about": "ship", "states": []},
        "untold": {"generator": "pages.encyclopedia", "about": "ship", "completeness": 0.0},
    }
    written = write(tmp_path, harbour_spec(pages))
    assert len(written.pages) == 2 * N_SHIPS
    assert {split_fact(mention["fact"])[2] for mention in written.mentions} == {"name"}


OWN = """
from worldforge.world.page_inputs import Subject
from worldforge.world.page_writer import Page

def card(page: Page, subject: Subject, *, greeting: str = "Hello"):
    page.title = subject.name.text
    page.write(greeting, ", ", subject.name, ": ", *[value or "?" for value in subject.values])

def untitled(page: Page, subject: Subject):
    page.write(subject.name)

def silent(page: Page, subject: Subject):
    page.title = subject.name.text
"""


def test_a_generator_of_ones_own_writes_pages(tmp_path):
    (tmp_path / "my_cards.py").write_text(OWN)
    pages = {"cards": {"generator": "my_cards:card", "about": "isle", "params": {"greeting": "Ahoy²"}}}
    written = write(tmp_path / "world", harbour_spec(pages), code_from=tmp_path)
    assert [page["text"][:14] for page in written.pages] == [f"Ahoy², Isle {i}: "[:14] for i in range(N_ISLES)]
    assert re.fullmatch(r"https://www\.harbours-pages\.example/cards/isle-0-[a-z]{7}", written.pages[0]["url"])
    assert {m["value"] for m in written.mentions if m["fact"] == "isle/0003#name"} == {"Isle 3"}


@pytest.mark.parametrize(("function", "complaint"), [("untitled", "without title"), ("silent", "without text")])
def test_a_generator_that_gives_no_pages_is_told_so(tmp_path, function, complaint):
    (tmp_path / "my_faults.py").write_text(OWN)
    pages = {"cards": {"generator": f"my_faults:{function}", "about": "isle"}}
    with pytest.raises(InputError, match=complaint):
        write(tmp_path / "world", harbour_spec(pages), code_from=tmp_path)
    assert not list((tmp_path / "world").glob("*"))
