"""How pages read: wordings vary, fillers state nothing, nothing is left over from a template."""

import datetime
import re
from itertools import pairwise

import numpy as np
import pytest

import generators.pages
from generators.pages.fact_sentences import tell
from generators.pages.layout import noted_table
from generators.pages.wordings import wordings
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.chance import Draws, Stream
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.spec_loader import load_spec
from worldforge.world.page_inputs import Fact, PageAttribute, Subject, Value
from worldforge.world.page_writer import Page
from worldforge.world.phrases import Phrases
from worldforge.world.table_files import read_parquet

DAY = datetime.date(2031, 6, 30)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prose")
    spec = load_spec("quickstart")
    write_pages(spec, populate(spec, Progress(), None), folder, LocalEngine(1), Progress())
    return {name: read_parquet(folder / f"{name}.parquet").to_pylist() for name in ("pages", "mentions")}


def texts_of(entry):
    """All texts of wordings."""
    if isinstance(entry, str):
        yield entry
    else:
        for one in entry if isinstance(entry, tuple) else vars(entry).values():
            yield from texts_of(one)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_wordings_hold_nothing_that_could_be_taken_for_a_fact(language):
    months = "January|February|March|April|May|June|July|August|September|October|November|December"
    texts = list(texts_of(wordings(language)))
    assert len(texts) > 300
    for text in texts:
        bare = re.sub(r"\{\w+\}", "", text)
        assert not re.search(rf"\d|\b({months})\b(?! be )", bare), text


def test_nothing_of_a_template_is_left_and_no_word_is_doubled(world):
    for page in world["pages"]:
        assert not re.search(r"[{}]|  | \n|\n\n\n|\b(\w+) \1\b| [.,;]|\bNone\b", page["text"]), page["text"]
        assert re.search(r"^# \S", page["text"], re.M)


def test_every_page_is_markdown_with_a_heading_and_a_date_of_the_world(world):
    for page in world["pages"]:
        assert str(page["published"]) <= "2031-06-30"
        assert f"# {page['title']}" in page["text"].splitlines() or page["kind"] == "club_official"


@pytest.mark.parametrize("kind", ["club_article", "player_article", "club_official", "player_news", "club_forum"])
def test_pages_of_one_kind_are_worded_differently(world, kind):
    """With names and values taken out, hardly two pages of a kind are alike."""
    stated = {}
    for mention in world["mentions"]:
        stated.setdefault(mention["page"], []).append((mention["start"], mention["end"]))
    bare = []
    for page in world["pages"]:
        if page["kind"] == kind:
            text = page["text"]
            for start, end in reversed(stated[page["id"]]):
                text = text[:start] + "_" + text[end:]
            bare.append(re.sub(r"\(https[^)]*\)|\d+|[A-Z]\w+", "", text))
    assert len(set(bare)) > 0.9 * len(bare)


def said(label, kind, values, sentences=()):
    """What is said of a value of each of some old ships: `Ship 0`, `Ship 1`, …"""
    attribute, texts = PageAttribute("key", label, "", kind, sentences, False), []
    for row, value in enumerate(values):
        name = Value(f"Ship {row}", 0, row)
        ship = Subject(row, "old ship", "old ships", name, name, name, name, None, (), (attribute,), (), (), list)
        page = Page(site="Site", language="en", published=DAY, as_of=DAY, draws=Draws(row))
        tell(page, ship, Fact(attribute, Value(value, 1, row)))
        assert [str(page.text)[start:end] for start, end, code, _ in page.text.marks if code == 1] == [value]
        texts.append(str(page.text))
    return texts


def test_one_is_counted_in_the_singular():
    for text, number in zip(said("sailors", "integer", ["1", "2", "1,000"] * 60), [1, 2, 1000] * 60, strict=True):
        assert ("sailors" in text) == (number != 1), text
        assert "sailor" in text


def test_a_number_of_things_is_told_as_so_many_things():
    assert all("5 towns" in text and "number of" not in text for text in said("number of towns", "integer", ["5"] * 50))


def test_all_wordings_of_a_bank_come_to_use_and_subjects_go_by_name_or_by_kind():
    texts = said("population", "integer", ["12"] * 400)
    said_so = {re.sub(r"Ship \d+|[Tt]he old ship", "S", text) for text in texts}
    assert len(said_so) >= len(wordings("en").sentences.plain.amount)
    named = [row for row, text in enumerate(texts) if "Ship" in text]
    assert 50 < len(named) < 350
    assert all(re.search(rf"\bShip {row}\b", texts[row]) for row in named)


def test_the_specs_own_sentences_are_used():
    own = ("In {value}, {subject} was laid down.", "{subject} dates from {value}.")
    texts = said("built", "year", ["1903"] * 40, own)
    assert {re.sub(r"Ship \d+", "S", text) for text in texts} == {
        "In 1903, S was laid down.",
        "In 1903, the old ship was laid down.",
        "S dates from 1903.",
        "The old ship dates from 1903.",
    }


def test_every_generator_offered_is_a_documented_function():
    for name in generators.pages.__all__:
        assert getattr(generators.pages, name).__doc__


@pytest.mark.parametrize("language", ["en", "zh"])
def test_cells_that_move_into_notes_are_stated_there_once(language):
    names = [Value(f"Name {row}", 1, row) for row in range(6)]
    figures = [Value(str(100 + row), 2, row) for row in range(6)]
    noted = 0
    for seed in range(30):
        draws = Stream(seed).draws(np.arange(1))[0]
        page = Page(site="", language=language, published=DAY, as_of=DAY, draws=draws, phrases=Phrases(language))
        noted_table(page, ["Ship", "Crew"], list(zip(names, figures, strict=True)))
        text = str(page.text)
        assert [text.count(value.text) for value in figures] == [1] * 6
        marked = sorted(
            row for code, row in zip(page.text.marked[2::4], page.text.marked[3::4], strict=True) if code == 2
        )
        assert marked == list(range(6))
        notes = [line for line in text.split("\n") if line and not line.startswith("|")]
        assert all("Crew" in line and sum(name.text in line for name in names) == 1 for line in notes)
        assert text.count("| [") + text.count("| ［") == len(notes) <= 3
        noted += bool(notes)
    assert 4 < noted < 20


def test_the_next_meeting_votes_on_other_motions(tmp_path):
    spec = load_spec("quickstart", ["scale=0.5", 'pages.meeting={"generator": "pages.minutes", "about": "club"}'])
    write_pages(spec, populate(spec, Progress(), None), tmp_path, LocalEngine(1), Progress())
    pages = read_parquet(tmp_path / "pages.parquet").to_pylist()
    motions = wordings("en").minutes.motions
    voted = [{one for one in motions if one in page["text"]} for page in pages if page["kind"] == "meeting"]
    assert sum(map(len, voted)) > len(voted) / 2 > 2
    assert all(one.isdisjoint(other) for one, other in pairwise(voted))
