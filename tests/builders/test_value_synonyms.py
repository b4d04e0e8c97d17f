"""Other words for values: pages state a value in the words of the phrasebook, and an answer may hold them."""

import pytest
from small_worlds import small

from worldforge.builders.tasks.value_synonyms import synonyms_of
from worldforge.entry_points.build_world import build
from worldforge.environments.answer_rows import answer_table
from worldforge.schema.phrasebook import Book
from worldforge.schema.spec_sources import read_source
from worldforge.scoring.alias_judge import AliasJudge, gold_with_aliases
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.world import open_world

TASK = "tasks.feet={family: list, about: [player], count: 3, columns: {low: 4, high: 6}, include: [foot]}"
OTHERS = [f"tasks.{name}=null" for name in read_source("sports")[0].data["tasks"]]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return open_world(build(small("sports", "scale=0.2", TASK, *OTHERS), tmp_path_factory.mktemp("feet") / "w").folder)


@pytest.fixture(scope="module")
def tasks(world):
    assert len(world.tasks) == 3
    return world.tasks


def place_of(task):
    return task.labels.index("Stronger foot")


def test_the_wordings_that_pages_state_values_in_stand_for_them(world, tasks):
    table = world.entities("player")
    values = dict(zip(table["id"].to_pylist(), table["foot"].to_pylist(), strict=True))
    restated = [
        (mention["fact"].partition("#")[0], mention["value"])
        for mention in world.mentions.to_pylist()
        if mention["fact"].endswith("#foot") and mention["stance"] == "restated"
    ]
    known = tasks[0].evaluation["synonyms"]["strongerfoot"]
    assert len(restated) > 20 and all(known[said] == values[player] for player, said in restated)
    assert all(column == "strongerfoot" for task in tasks for column in task.evaluation["synonyms"])


def test_an_answer_may_hold_another_word_for_a_value_but_not_for_another_value(world, tasks):
    other_words = {"right": "right-footed", "left": "stronger with the left foot", "both": "Two-Footed"}
    swapped = {"right": "left-footed", "left": "two-footed", "both": "right-footed"}
    for task in tasks:
        gold, place = gold_with_aliases(world, task), place_of(task)

        def answer(words, task=task, place=place):
            rows = [[*row[:place], words[row[place]], *row[place + 1 :]] for row in task.gold]
            return answer_table(task.labels, rows)

        right, wrong = score_strict(answer(other_words), gold), score_strict(answer(swapped), gold)
        assert right.success and right.item_f1 == 1
        assert not wrong.success and wrong.row_f1 == 0
        assert score_compatible(answer(other_words), gold, AliasJudge(gold)).row_f1 < 1  # rules of the benchmark's own


def test_wordings_lose_their_article_and_none_stands_for_two_values():
    def book(language, values):
        types = {"town": {"nouns": ["town"], "attributes": {"kind": {"values": values}}}}
        return Book.model_validate({"language": language, "types": types})

    english = {"port": ["a harbour [town|city]", "by the sea"], "spa": ["the spa", "by the sea"], "spas": ["a spa"]}
    chinese = {"城堡": ["一座古堡"], "花园": ["一处园子", "园子"]}
    spec = small("sports").model_copy()
    spec._books = {"en": book("en", english), "zh": book("zh", chinese)}
    assert synonyms_of(spec, "en", "town", "kind") == {
        "a harbour town": "port",
        "harbour town": "port",
        "a harbour city": "port",
        "harbour city": "port",
        "the spa": "spa",
        "a spa": "spas",
    }
    assert synonyms_of(spec, "zh", "town", "kind") == {
        "一座古堡": "城堡",
        "古堡": "城堡",
        "一处园子": "花园",
        "园子": "花园",
    }
    assert synonyms_of(spec, "en", "town", "name") == synonyms_of(spec, "en", "match", "day") == {}
