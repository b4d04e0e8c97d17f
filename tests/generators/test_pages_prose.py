"""How pages read: wordings vary, fillers state nothing, nothing is left over from a template."""

import importlib
import re

import numpy as np
import pyarrow as pa
import pytest

import generators.pages
from generators.pages.banks import BANKS
from generators.pages.fact_sentences import sentence
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.chance import Stream
from worldforge.core.progress import Progress
from worldforge.schema.spec_loader import load_spec
from worldforge.world.page_draft import PageColumn, Subjects
from worldforge.world.passages import slot
from worldforge.world.table_files import read_parquet

MODULES = ("directory", "encyclopedia", "forum", "news", "official", "statistics")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prose")
    spec = load_spec("quickstart")
    write_pages(spec, populate(spec, Progress(), None), folder, 1, Progress())
    return {name: read_parquet(folder / f"{name}.parquet").to_pylist() for name in ("pages", "mentions")}


def banks(module):
    """The wording banks of a module: upper-case tuples of text."""
    found = vars(importlib.import_module(f"generators.pages.{module}"))
    return {name: value for name, value in found.items() if name.isupper() and isinstance(value, tuple)}


@pytest.mark.parametrize("module", MODULES)
def test_fillers_hold_nothing_that_could_be_taken_for_a_fact(module):
    months = "January|February|March|April|May|June|July|August|September|October|November|December"
    for bank in banks(module).values():
        for text in bank:
            bare = re.sub(r"\{\w+\}", "", text)
            assert not re.search(rf"\d|\b({months})\b", bare), text
            inside = re.findall(r"(?<![.!?“:*#–-] )(?<=\w )[A-Z]\w+", bare)
            assert not inside, f"a name inside a sentence: {text}"
        assert len(set(bank)) >= 2


def test_nothing_of_a_template_is_left_and_no_word_is_doubled(world):
    for page in world["pages"]:
        assert not re.search(r"[{}]|  | \n|\n\n\n|\b(\w+) \1\b| [.,;]|\bNone\b", page["text"]), page["text"]
        assert page["text"].startswith("# ")
        assert not page["text"].startswith("# \n")


def test_every_page_is_markdown_with_a_heading_and_a_date_of_the_world(world):
    for page in world["pages"]:
        assert str(page["published"]) <= "2031-06-30"
        assert page["text"].splitlines()[0] == f"# {page['title']}" or page["kind"] == "club_official"


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


def subjects(n, label="old ship"):
    names = slot(pa.array([f"Ship {i}" for i in range(n)]), 0, np.arange(n))
    return Subjects(
        np.arange(n),
        label,
        f"{label}s",
        names,
        names,
        names,
        names,
        names.keep(np.zeros(n, bool)),
        (),
        (),
        (),
        "Site",
        None,
    )


def said(label, kind, values, sentences=()):
    value = slot(pa.array(values), 1, np.arange(len(values)))
    column = PageColumn("key", label, "", kind, sentences, False, value, value)
    return sentence(Stream(1), subjects(len(values)), column).text.to_pylist()


def test_one_is_counted_in_the_singular():
    for text, number in zip(said("sailors", "integer", ["1", "2", "1,000"] * 60), [1, 2, 1000] * 60, strict=True):
        assert ("sailors" in text) == (number != 1), text
        assert "sailor" in text


def test_a_number_of_things_is_told_as_so_many_things():
    assert all("5 towns" in text and "number of" not in text for text in said("number of towns", "integer", ["5"] * 50))


def test_all_wordings_of_a_bank_come_to_use_and_subjects_go_by_name_or_by_kind():
    texts = said("population", "integer", ["12"] * 400)
    wordings = {re.sub(r"Ship \d+|[Tt]he old ship", "S", text) for text in texts}
    assert len(wordings) >= len(BANKS["en"].plain["amount"])
    named = [row for row, text in enumerate(texts) if "Ship" in text]
    assert 50 < len(named) < 350
    assert all(re.search(rf"\bShip {row}\b", texts[row]) for row in named)


def test_a_missing_value_is_not_spoken_of():
    assert said("population", "integer", ["1", None, "3"])[1] is None


def test_the_specs_own_sentences_are_used():
    own = ("In {value}, {subject} was laid down.", "{subject} dates from {value}.")
    texts = said("built", "year", ["1903"] * 40, own)
    assert {re.sub(r"Ship \d+", "S", text) for text in texts} == {
        " In 1903, S was laid down.",
        " In 1903, the old ship was laid down.",
        " S dates from 1903.",
        " The old ship dates from 1903.",
    }


def test_every_generator_offered_is_a_documented_function():
    for name in generators.pages.__all__:
        assert getattr(generators.pages, name).__doc__
