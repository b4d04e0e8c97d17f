"""Copies from outside: reprints are written beside their originals, and what they say is compared with them."""

import re
from itertools import pairwise

import pytest
from command import worldforge
from harbours import PAGES, harbour_spec, harbour_tables
from reprint_notes import reprint_notes

from worldforge.builders.audit.check_mentions import check_spans
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.checks.check_pages_and_tasks import stated_columns
from worldforge.world.table_files import read_parquet

COPIES = {
    "news_again": {
        "generator": "pages.reprint",
        "about": "ship",
        "copies": "ship_news",
        "share": 0.6,
        "site": "gazette",
    },
    "site_again": {"generator": "pages.reprint", "about": "harbour", "copies": "harbour_site"},
    "list_again": {"generator": "pages.reprint", "about": "harbour", "copies": "harbours"},
    "thread_again": {"generator": "pages.reprint", "about": "ship", "copies": "ship_forum"},
}
OWN_UP = reprint_notes("en")
MORE = re.compile(r"^\*[^*\n]+:\* \[.*\n?|^- \[.*\n|^## (External links|See also)\n+", re.M)
"""Lines that point to other pages."""


def write(folder, pages):
    write_pages(harbour_spec(pages), harbour_tables(), folder, LocalEngine(1), Progress())
    return {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions", "links")}


@pytest.fixture(scope="module")
def reprinted(tmp_path_factory):
    """A web whose copies are named before their originals."""
    return write(tmp_path_factory.mktemp("copies"), COPIES | PAGES)


def paired(files, copy, original):
    """Pairs of a copy and its original, as rows: both are called alike in their addresses."""
    pages = files["pages"].to_pylist()
    called = {
        key: {re.sub(r"^https://[^/]*/[^/]*/", "", p["url"]): p for p in pages if p["kind"] == key}
        for key in (copy, original)
    }
    return [(page, called[original][name]) for name, page in called[copy].items()]


@pytest.mark.parametrize(
    ("copy", "original"), [("news_again", "ship_news"), ("list_again", "harbours"), ("thread_again", "ship_forum")]
)
def test_a_copy_says_what_its_original_says_nearly_word_for_word(reprinted, copy, original):
    pairs = paired(reprinted, copy, original)
    assert pairs
    for page, first in pairs:
        texts = (MORE.sub("", one["text"]) for one in (page, first))
        lines, firsts = ([line for line in text.split("\n") if line.strip("-# \n")] for text in texts)
        assert len({*lines} - {*firsts}) == 1  # it owns up
        assert OWN_UP.search(page["text"]) and not OWN_UP.search(first["text"])
        assert len({*firsts} & {*lines}) >= len({*firsts}) / 4
        assert page["site"] != first["site"] or copy == "news_again"
        assert page["published"] >= first["published"] and (page["published"] - first["published"]).days <= 30


def test_paragraphs_are_dropped_and_moved(reprinted):
    dropped = moved = 0
    pairs = paired(reprinted, "news_again", "ship_news")
    for page, first in pairs:
        places = [
            page["text"].find(block.strip("# \n")) for block in first["text"][first["text"].index("# ") :].split("\n\n")
        ]
        dropped += -1 in places
        moved += any(a > b for a, b in pairwise(place for place in places if place >= 0))
    assert 0 < moved < len(pairs)
    assert 0 < dropped < len(pairs)


def test_the_share_of_originals_is_kept(reprinted):
    kinds = reprinted["pages"]["kind"].to_pylist()
    assert kinds.count("news_again") / kinds.count("ship_news") == pytest.approx(0.6, abs=0.12)
    assert kinds.count("list_again") == kinds.count("harbours")


def test_mentions_and_links_move_with_the_text(reprinted):
    assert check_spans(reprinted["pages"], reprinted["mentions"]).n_failed == 0
    assert check_links(reprinted["pages"], reprinted["links"]).n_failed == 0
    kind = dict(zip(reprinted["pages"]["id"].to_pylist(), reprinted["pages"]["kind"].to_pylist(), strict=True))
    stated = [(m["fact"], m["value"], m["stance"], kind[m["page"]]) for m in reprinted["mentions"].to_pylist()]
    again = {one[:3] for one in stated if one[3] == "news_again"}
    assert again and again <= {one[:3] for one in stated if one[3] == "ship_news"}


def test_copies_move_nothing_else(reprinted, tmp_path):
    plain = write(tmp_path, PAGES)["pages"].to_pylist()
    own = [page for page in reprinted["pages"].to_pylist() if page["kind"] in PAGES]
    texts, alone = ([re.sub(r"\n+", "\n", MORE.sub("", page["text"])) for page in pages] for pages in (own, plain))
    assert texts == alone and all(texts)


def test_copies_alone_make_no_type_answerable():
    spec = harbour_spec({"copy": COPIES["site_again"]})
    assert stated_columns(spec, "harbour") == []


@pytest.mark.parametrize("kind", [{"generator": "pages.news", "copies": "ship_news"}, {"generator": "pages.reprint"}])
def test_what_is_no_generator_of_copies_is_refused(tmp_path, kind):
    with pytest.raises(InputError, match="copies"):
        write(tmp_path, PAGES | {"odd": {"about": "ship", **kind}})


def test_a_spec_hears_of_every_fault_at_once(tmp_path):
    (tmp_path / "world.yaml").write_text(
        "extends: quickstart\nname: odd\npages:\n"
        "  a: {generator: pages.reprint, about: club, copies: club_newz}\n"
        "  b: {generator: pages.reprint, about: town, copies: club_news}\n"
        "  c: {generator: pages.reprint, about: club, copies: club_news, states: [town], part_rows: 3}\n"
        "  d: {generator: pages.reprint, about: club, copies: c}\n"
    )
    said = worldforge("validate", tmp_path / "world.yaml", code=2).stderr
    for words in (
        "unknown kind of page `club_newz`",
        "about `club`",
        "`states` does not go",
        "`part_rows` does not",
        "`c` is a copy itself",
    ):
        assert words in said
