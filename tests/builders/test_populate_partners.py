"""References under a condition (`where`): copied ones, partners in force on a day, rows of one parent, parents."""

import collections
import datetime

import numpy as np
import pytest

from worldforge.builders.populate.populate_stage import populate
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec


def integers(low, high):
    return {"generator": "values.integer", "params": {"low": low, "high": high}}


def days(low, high, **more):
    return {"generator": "values.date", "params": {"low": low, "high": high}, **more}


def counted(count, **attributes):
    """A type of so many entities, named after their number."""
    named = {"generator": "names.composed", "params": {"text": "= 'No. ' || number"}}
    return {"count": count, "name": named, "attributes": {"number": {"generator": "values.sequence"}} | attributes}


def to(target, where=None, **more):
    return {"references": target} | ({"where": where} if where else {}) | more


def made(types, **more):
    spec = WorldSpec.model_validate({"name": "court", "seed": 3, "types": types} | more)
    return {name: {row["id"]: row for row in table.to_pylist()} for name, table in populate(spec, Progress()).items()}


RULE = counted(40, in_force=days("1990-01-01", "2010-01-01"), repealed=days("2011-01-01", "2031-01-01", missing=0.5))
IN_FORCE = "cites.in_force <= decided and (cites.repealed is null or decided < cites.repealed)"
CASE = counted(200, decided=days("2012-01-01", "2031-01-01"), cites=to("rule", IN_FORCE))


def test_a_reference_is_copied_from_another():
    student = counted(30, school=to("school"))
    case = counted(100, student=to("student"), school=to("school", "school = student.school"))
    tables = made({"school": counted(7), "student": student, "case": case})
    assert all(row["school"] == tables["student"][row["student"]]["school"] for row in tables["case"].values())


@pytest.mark.parametrize("distribution", ["uniform", "zipf"])
def test_a_partner_meets_its_condition_and_is_drawn_by_popularity(distribution):
    case = CASE | {"count": 2000}
    case["attributes"] = case["attributes"] | {"cites": to("rule", IN_FORCE, distribution=distribution)}
    tables = made({"rule": RULE, "case": case})
    cited = collections.Counter()
    for row in tables["case"].values():
        rule = tables["rule"][row["cites"]]
        assert rule["in_force"] <= row["decided"]
        assert rule["repealed"] is None or row["decided"] < rule["repealed"]
        cited[row["cites"]] += 1
    most = cited.most_common(1)[0][1] / 2000
    assert len(cited) > 30 and (most > 0.2 if distribution == "zipf" else most < 0.08)


def test_rows_of_one_parent_are_shared_out_within_their_capacity():
    desk = counted(60, office=to("office", distribution="zipf"))
    clerk = counted(50, seat=to("desk"), office=to("office", "office = seat.office"))
    clerk["attributes"]["desk"] = to("desk", "desk.office = office", capacity=2)
    tables = made({"office": counted(6), "desk": desk, "clerk": clerk})
    held = collections.Counter()
    for row in tables["clerk"].values():
        assert tables["desk"][row["desk"]]["office"] == row["office"]
        held[row["desk"]] += 1
    assert max(held.values()) <= 2


def test_every_row_finds_its_partner_where_there_is_one_way_alone():
    """Row i may have partners up to i: each must have its own, which nobody finds who never makes way."""
    post = counted(60)
    clerk = counted(60, post=to("post", "post.number <= number and post.number % 1 = 0", capacity=1))
    tables = made({"post": post, "clerk": clerk})
    assert {row["number"]: tables["post"][row["post"]]["number"] for row in tables["clerk"].values()} == {
        number: number for number in range(1, 61)
    }


def test_a_parent_is_chosen_by_condition_and_never_comes_back():
    river = counted(300, region=to("region"), length=integers(1, 500))
    river["attributes"]["into"] = to("river", "into.region = region and into.length > length", acyclic=True)
    tables = made({"region": counted(5), "river": river})
    rivers = tables["river"]
    roots = [row for row in rivers.values() if row["into"] is None]
    assert 5 <= len(roots) < 60
    for row in rivers.values():
        steps = 0
        while row["into"] is not None:
            into = rivers[row["into"]]
            assert into["region"] == row["region"] and into["length"] > row["length"]
            row, steps = into, steps + 1
            assert steps < len(rivers)


def test_the_rows_of_a_relation_meet_its_condition():
    cites = {
        "source": "case",
        "target": "rule",
        "per_source": {"low": 0, "high": 5},
        "per_target": {"low": 0, "high": 20},
    }
    cites |= {"where": "target.in_force < source.decided and target != source.cites"}
    cites["columns"] = {"second": to("rule", "second.number > target.number", optional=True)}
    tables = made({"rule": RULE, "case": CASE}, relations={"also": cites})
    pairs, held = set(), collections.Counter()
    for row in tables["also"].values():
        case, rule = tables["case"][row["source"]], tables["rule"][row["target"]]
        assert rule["in_force"] < case["decided"] and row["target"] != case["cites"]
        assert row["second"] is None or tables["rule"][row["second"]]["number"] > rule["number"]
        pairs.add((row["source"], row["target"]))
        held[row["target"]] += 1
    assert len(pairs) == len(tables["also"]) > 300 and max(held.values()) <= 20
    assert any(row["second"] is None for row in tables["also"].values())


def test_other_columns_and_further_rows_change_no_partner():
    before = made({"rule": RULE, "case": CASE})["case"]
    case = CASE | {"count": 300}
    case["attributes"] = {"court": to("rule")} | case["attributes"] | {"fee": integers(1, 9)}
    after = made({"rule": RULE, "case": case})["case"]
    assert [row["cites"] for row in before.values()] == [row["cites"] for row in after.values()][:200]


def test_an_early_row_keeps_its_partner_under_capacity_when_rows_are_added():
    def desks_of(count):
        clerk = counted(count, desk=to("desk", "desk.number % 7 = number % 7", capacity=1))
        return [row["desk"] for row in made({"desk": counted(700), "clerk": clerk})["clerk"].values()]

    assert desks_of(300) == desks_of(600)[:300]


def test_who_finds_no_partner_is_shown_with_what_fails():
    early = CASE | {"attributes": CASE["attributes"] | {"decided": days("1980-01-01", "2000-01-01")}}
    with pytest.raises(InputError) as caught:
        made({"rule": RULE, "case": early})
    assert "case.cites" in caught.value.message and "case/0" in caught.value.message
    assert "decided = 198" in caught.value.message and "`cites.in_force <= decided` for 0" in caught.value.message
    assert "optional: true" in caught.value.hint
    early["attributes"]["cites"] = to("rule", IN_FORCE, optional=True)
    rows = made({"rule": RULE, "case": early})["case"].values()
    assert any(row["cites"] is None for row in rows) and any(row["cites"] is not None for row in rows)
    assert all(row["cites"] is not None for row in rows if row["decided"] > datetime.date(1999, 1, 1))


def test_a_source_with_too_few_partners_is_shown():
    few = {
        "source": "case",
        "target": "rule",
        "per_source": {"low": 2, "high": 3},
        "where": "target.number < source.number",
    }
    with pytest.raises(InputError) as caught:
        made({"rule": RULE, "case": CASE}, relations={"few": few})
    assert "case/0000" in caught.value.message and "per_source.low" in caught.value.hint


def test_a_constraint_draws_a_partner_again_within_its_condition():
    constraint = {"on": "case", "sql": "cites.number % 2 = 0"}
    tables = made({"rule": RULE, "case": CASE}, constraints=[constraint])
    for row in tables["case"].values():
        rule = tables["rule"][row["cites"]]
        assert rule["number"] % 2 == 0 and rule["in_force"] <= row["decided"]
    assert len(np.unique([row["cites"] for row in tables["case"].values()])) > 10
