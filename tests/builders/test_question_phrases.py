"""Questions of shipped worlds with phrasebooks: every condition that a book words reads back as what it was."""

import re
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from generators.questions import ask, read
from worldforge.builders.populate.populate_stage import populate
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.core.chance import Stream
from worldforge.core.progress import Progress
from worldforge.schema.phrasebook import expanded, read_book
from worldforge.schema.spec_loader import load_spec
from worldforge.world.question_labels import Question
from worldforge.world.task_terms import Condition, DescribedTerm, Shape
from worldforge.world.value_text import as_written

SEEDS = 2


@cache
def world(name, book):
    spec = load_spec(f"world_schemas/{name}.yaml", [f"phrases={book}", "scale=0.2"])
    tables = populate(spec, Progress())
    language = spec.languages[0]
    return spec, tables, vocabularies(spec, tables, tuple(spec.types), None)[language]


def value_of(tables, table, column):
    """Return the first known value of a column as a question writes it; names where it is a reference."""
    if column.refers:
        return tables[column.refers]["name"][0].as_py()
    known = tables[table][column.path.rpartition(".")[2]].combine_chunks().drop_null()
    kind = {"year": "year", "date": "date", "number": "number", "boolean": "boolean"}.get(column.sort, "text")
    return as_written(known.slice(0, 1), kind, "en")[0].as_py() if len(known) else None


@pytest.mark.parametrize(("name", "book"), [("sports", "sports"), ("travel", "travel")])
def test_every_condition_that_a_book_words_reads_back(name, book):
    spec, tables, words = world(name, book)
    by_book = 0
    for about in spec.types:
        labels = (words[about].label.capitalize(),)
        for column in words[about].columns:
            if column.phrases is None or "." in column.path:
                continue
            value = value_of(tables, about, column)
            operators = ("=", ">", "<") if column.sort in ("year", "date", "number") else ("=", "!=")
            operators = ("=",) if column.sort == "boolean" else operators
            for operator in operators if value is not None else ():
                terms = (Condition(column.path, operator, "", value, "text"),)
                for seed in range(SEEDS):
                    wording = ask(Stream(seed), words, Question("en", "filter", about, terms, Shape(), labels))
                    found = read(words, "en", "filter", about, labels, wording)
                    known = column.known is None or column.known(value)
                    assert not known or (len(found) == 1 and found[0].says(terms, Shape())), wording
                    by_book += known and f"{column.label}" not in wording.partition("\n")[0]
    assert by_book > 200


def test_a_described_entity_stands_where_its_name_would():
    _, _, words = world("sports", "sports")
    oldest = DescribedTerm("ground", "ground", (Condition("opened", "lowest", "", "", "year"),), "", "")
    wordings = [
        ask(Stream(seed), words, Question("en", "filter", "club", (oldest,), Shape(), ("Football club",)))
        for seed in range(12)
    ]
    assert any("the oldest ground" in wording or "the oldest" in wording for wording in wordings), wordings[:3]
    for wording in wordings:
        [found] = read(words, "en", "filter", "club", ("Football club",), wording)
        assert found.terms == (
            DescribedTerm("ground", "ground", (Condition("opened", "lowest", "", "", "text"),), "", ""),
        )


@pytest.mark.parametrize("path", sorted(Path("world_schemas/phrases").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_type_has_reasons_that_give_no_figure_away(path):
    book = read_book(path)
    assert len(book.reasons) >= 5
    for name, own in book.types.items():
        assert own.reasons, name
    for reason in (*book.reasons, *(one for own in book.types.values() for one in own.reasons)):
        assert reason.endswith((".", "。")) and not re.search(r"\d", reason), reason


@pytest.mark.parametrize("path", sorted(Path("world_schemas/phrases").glob("*.yaml")), ids=lambda path: path.stem)
def test_no_two_columns_of_a_type_share_a_superlative(path):
    for name, own in read_book(path).types.items():
        columns = [
            {text for one in (*phrases.most, *phrases.least) for text in expanded(one)}
            for phrases in own.attributes.values()
        ]
        shared = [text for text, count in Counter(chain.from_iterable(columns)).items() if count > 1]
        assert not shared, (name, shared)
