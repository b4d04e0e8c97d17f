"""The checks that `worldforge audit` makes beside a build's: each finds what was broken, and says so."""

import dataclasses

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from worldforge.builders.audit.audit_tasks import check_questions
from worldforge.builders.audit.check_entities import check_duplicates, check_names
from worldforge.builders.audit.check_inverse_pages import check_inverse
from worldforge.builders.audit.check_reachability import check_reachability
from worldforge.search.search_index import open_index
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence


def put(table, column, row, value):
    values = table[column].to_pylist()
    values[row] = value
    place = table.column_names.index(column)
    return table.set_column(place, table.schema.field(column), pa.array(values, table.schema.field(column).type))


@pytest.mark.parametrize("name", ["Amsterdam", "BÉLGIUM", "afghanistan"])
@pytest.mark.parametrize("column", ["name", "aliases"])
def test_a_real_name_is_named(world, name, column):
    tables = world.tables()
    assert check_names(world.spec, tables).n_failed == 0
    tables["town"] = put(tables["town"], column, 3, name if column == "name" else ["Nowhere", name])
    finding = check_names(world.spec, tables)
    assert finding.failures == (f"town/0003 is called `{name}`, a real name",)


def test_a_name_of_the_users_own_generator_is_left_alone(world):
    tables = world.tables()
    tables["town"] = put(tables["town"], "name", 3, "Amsterdam")
    town = world.spec.types["town"]
    own = town.model_copy(update={"name": town.name.model_copy(update={"generator": "mine:towns"})})
    spec = world.spec.model_copy(update={"types": {**world.spec.types, "town": own}})
    assert check_names(spec, tables).n_failed == 0


def test_tasks_that_ask_the_same_are_named(world):
    tasks = world.tasks
    assert check_questions(tasks).n_failed == 0
    again = dataclasses.replace(tasks[2], id="task/list-9999")
    failures = check_questions([*tasks, again]).failures
    assert len(failures) == 3 and all(tasks[2].id in failure and "task/list-9999" in failure for failure in failures)


def test_questions_in_nearly_the_same_words_are_named(world):
    one = dataclasses.replace(world.tasks[0], wording=" ".join(f"word{n}" for n in range(80)) + "\n\nAs a table.")
    near = dataclasses.replace(world.tasks[1], wording=one.wording.replace("word79", "another"))
    far = dataclasses.replace(world.tasks[2], wording=one.wording.replace("word30", "a").replace("word60", "b"))
    failures = check_questions([one, near, far]).failures
    assert failures == (f"{one.id} and {near.id} ask in the same words (similarity 0.97)",)


def test_entities_and_rows_that_are_there_twice_are_named(world):
    tables = world.tables()
    for column in world.spec.types["player"].attributes:
        tables["player"] = put(tables["player"], column, 5, tables["player"][column][9].as_py())
    for column in ("source", "target"):
        tables["plays_for"] = put(tables["plays_for"], column, 1, tables["plays_for"][column][0].as_py())
    failures = check_duplicates(world.spec, tables, connect(tables)).failures
    assert failures[0] == "player: player/0005 and 1 more share every attribute"
    assert failures[1].startswith("plays_for: ") and failures[1].endswith(" meet 2 times")


def test_pages_that_disagree_from_both_ends_are_named(plain_world):
    world = plain_world
    tables, pages, mentions = world.tables(), world.pages, world.mentions
    assert check_inverse(world.spec, tables, pages, mentions).n_failed == 0
    facts = mentions["fact"].to_pylist()
    ends = {fact[: -len("#source")] for fact in facts if fact.endswith("#source")}
    row = next(
        place for place, fact in enumerate(facts) if fact.endswith("#target") and fact[: -len("#target")] in ends
    )
    finding = check_inverse(world.spec, tables, pages, put(mentions, "value", row, "Nobody FC"))
    assert finding.n_failed == 1 and "names Nobody FC" in finding.failures[0]
    row = next(place for place, fact in enumerate(facts) if fact.endswith("#birthplace"))
    player = facts[row].partition("#")[0]
    everywhere = pc.equal(mentions["fact"], facts[row])
    other = mentions.set_column(5, "value", pc.if_else(everywhere, "Elsewhere", mentions["value"]))
    towns = put(other, "value", facts.index("town/0001#name"), "Elsewhere")
    assert any(f"lists {player} under" in said for said in check_inverse(world.spec, tables, pages, towns).failures)


def test_a_page_that_nothing_leads_to_is_named(world):
    index, evidence, links = open_index(world.path / "index"), Evidence(world.mentions), world.links
    held = check_reachability(world.pages, links, world.tasks, evidence, index)
    assert held.n_failed == 0 and held.n_checked > 8
    renamed = put(world.pages, "title", 0, "x")
    titles = pa.array(["qqqq"] * world.pages.num_rows)
    hidden = renamed.set_column(renamed.column_names.index("title"), "title", titles)
    elsewhere = pa.array([f"https://moved.example/{n}" for n in range(world.pages.num_rows)])
    moved = hidden.set_column(hidden.column_names.index("url"), "url", elsewhere)
    lost = check_reachability(moved, links, world.tasks, evidence, index)
    assert lost.n_failed == lost.n_checked and "no search and no link leads to https://moved" in lost.failures[0]
