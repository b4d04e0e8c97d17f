"""Worlds that take different parts of all names share none, whatever their seeds; the audit measures it."""

import dataclasses

import pyarrow as pa
import pytest

from worldforge.builders.audit.check_world_overlap import check_overlap
from worldforge.builders.populate.column_drawers import in_part
from worldforge.builders.populate.populate_stage import populate
from worldforge.builders.tasks.world_part import OtherWorldParts
from worldforge.builders.text_similarity import SimilarTexts
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.column_dependencies import types_with_composed_names
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.strategy_section import NamesPart
from worldforge.world.world import open_world

_SPEC = """
name: parted
types:
  town:
    count: 40
    name: {generator: names.town, aliases: {share: 0.8}, params: {culture: CULTURE}}
    attributes: {mayor: {generator: names.person, params: {culture: CULTURE}}}
  club:
    count: 60
    name: {generator: names.club, params: {town: = town.name, culture: CULTURE}}
    attributes: {town: {references: town, distribution: zipf}}
  drug: {count: 30, name: {generator: names.drug, params: {culture: CULTURE}}}
  season:
    count: 2
    name: {generator: names.composed, params: {text: "= period || ' season'"}}
    attributes: {period: {generator: values.choice, params: {options: [Ice, Thaw]}}}
constraints: [{on: season, unique: [period], redraw: period}]
"""


@pytest.fixture(params=["sarnese", "chinese"])
def parted(request, tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(_SPEC.replace("CULTURE", request.param))
    return load_spec(path)


def names(spec, seed, part):
    tables = populate(spec.model_copy(update={"seed": seed, "names_part": part}), Progress())
    towns = tables["town"]
    drawn = {name: tables[name]["name"].to_pylist() for name in ("town", "club", "drug")}
    drawn["mayor"] = towns["mayor"].to_pylist()
    drawn["aliases"] = [alias for aliases in towns["aliases"].to_pylist() for alias in aliases]
    assert all(len(set(listed)) == len(listed) for listed in drawn.values())
    assert len(drawn["aliases"]) > 3
    assert set(tables["season"]["name"].to_pylist()) == {"Ice season", "Thaw season"}
    return set().union(*drawn.values())


def test_worlds_of_different_parts_share_no_name(parted):
    one, other = (names(parted, 1, NamesPart(of=2, take=take)) for take in range(2))
    assert not one & other
    assert names(parted, 1, None) & one  # what is of the part stays as it is


def test_each_name_is_of_one_part_told_without_case_accents_and_spaces():
    listed = pa.array(["Velmar", "Tarn", "Ilv Or", None, "安溪市"])
    parts = [in_part(NamesPart(of=4, take=take), listed).tolist() for take in range(4)]
    assert [sum(column) for column in zip(*parts, strict=True)] == [1, 1, 1, 0, 1]
    again = pa.array(["VÉLMAR", " tarn", "ilvor", None, "安溪镇"])
    assert parts == [in_part(NamesPart(of=4, take=take), again).tolist() for take in range(4)]


def test_a_part_with_too_few_names_is_named(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(
        "name: few\ntypes: {league: {count: 30, name: {generator: 'few:named'}}}\nnames_part: {of: 2, take: 0}\n"
    )
    (tmp_path / "few.py").write_text(
        "import pyarrow as pa\nfrom worldforge.core.columns import Texts\n\n\ndef named(stream, rows) -> Texts:\n"
        "    return pa.array([f'League {row}' for row in stream.permutation(rows, 40)])\n"
    )
    with pytest.raises(InputError, match=r"league\.name: part 0 of 2 has no name for \d+ of 30 rows"):
        populate(load_spec(path, code_from=tmp_path), Progress(), tmp_path)


def test_a_part_that_is_none_is_refused(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(_SPEC.replace("CULTURE", "sarnese") + "names_part: {of: 2, take: 2}\n")
    with pytest.raises(InputError, match="`take` counts from 0, and is below `of`, which is 2"):
        load_spec(path)


def test_the_specs_own_words_are_told_from_names(parted):
    assert types_with_composed_names(parted) == {"season"}


def test_a_world_shares_all_with_itself(world):
    found = {finding.check: finding for finding in check_overlap(world, world, "itself")}
    n_tasks = len(world.tasks)
    assert found["shared names"].n_failed == 613 == found["shared names"].n_checked // 2
    assert found["shared pages"].n_failed == world.pages.num_rows
    assert [found[f"shared {what}"].n_failed for what in ("questions", "queries", "gold")] == [n_tasks] * 3
    assert found["shared gold"].title == "shared gold: itself"


def test_what_two_worlds_share_is_named(world):
    other = open_world(world.path)
    pages = world.pages
    texts = pa.array([f"nothing {row}" for row in range(pages.num_rows)])
    texts = pa.concat_arrays([texts.slice(1), pa.array([pages["text"][7].as_py() + " today"])])
    town = world.entities("town")
    other._table("pages.parquet")
    tables = other.__dict__["_tables"]
    tables["pages.parquet"] = pages.set_column(pages.column_names.index("text"), "text", texts)
    for name in world.spec.types:
        table = world.entities(name)
        lent = pa.array([f"Other {name} {row}" for row in range(table.num_rows)])
        tables[f"entities/{name}.parquet"] = table.set_column(1, "name", lent)
    alias = pa.array([[town["name"][3].as_py().upper()]] + [[]] * (town.num_rows - 1), pa.list_(pa.string()))
    tables["entities/town.parquet"] = tables["entities/town.parquet"].set_column(2, "aliases", alias)
    named = next(
        task for task in world.tasks if "'" in task.query.replace("'0'", "").replace("'.'", "") and "/" in task.query
    )
    free = dataclasses.replace(named, id="task/list-0001", query="SELECT 1", gold=(("x",),), wording="Something else")
    other.__dict__["tasks"] = [free, dataclasses.replace(named, wording="Another thing", gold=(("y",),))]
    found = {finding.check: finding for finding in check_overlap(world, other, "it")}
    assert found["shared names"].failures == (f"`{town['name'][3].as_py()}` is town/0003 here and town/0000 there",)
    assert found["shared pages"].n_failed == 1 and "similarity" in found["shared pages"].failures[0]
    assert [found[f"shared {what}"].n_failed for what in ("questions", "queries", "gold")] == [0, 0, 0]


def test_texts_nearly_the_same_are_found_and_others_not():
    words = [f"word{n}" for n in range(60)]
    known = SimilarTexts(0.9)
    known.add(" ".join(reversed(words)))
    known.add(" ".join(words))
    near = " ".join([*words[:-1], "changed"])
    linked = "[" + words[0] + "](https://a.example/b) " + " ".join(words[1:])
    far = " ".join([*words[:20], "a", *words[21:40], "b", *words[41:]])
    assert [[number for number, _ in known.nearest(text)] for text in (far, near, linked)] == [[], [1], [1]]


def test_a_question_about_nothing_drawn_is_asked_in_one_part_alone(world):
    free = [task for task in world.tasks if "/0" not in task.query]
    tied = [task for task in world.tasks if "= 'town/0" in task.query or "= 'region/0" in task.query]
    assert free and tied
    parts = [
        OtherWorldParts(world.spec.model_copy(update={"names_part": NamesPart(of=2, take=take)})) for take in (0, 1)
    ]
    assert all([not part.reason(task) for part in parts].count(True) == 1 for task in free)
    assert not any(part.reason(task) for part in parts for task in tied)
    assert not OtherWorldParts(world.spec).reason(free[0])
