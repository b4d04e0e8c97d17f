"""Constraints: they hold, only offending rows are drawn again, and what cannot hold shows its rows."""

import numpy as np
import pytest

from worldforge.builders.populate import constraint_redraw
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_loader import load_spec
from worldforge.world.stable_ids import rows_of


def integer(low, high, **more):
    return {"generator": "values.integer", "params": {"low": low, "high": high}, **more}


TREE = {
    "name": "rules",
    "seed": 3,
    "types": {
        "town": {
            "count": 50,
            "name": {"generator": "names.town"},
            "attributes": {"size": integer(1, 100)},
            "derived": {"clubs": {"over": "club.town", "sql": "count(*)"}, "half": {"sql": "size / 2"}},
        },
        "club": {
            "count": 400,
            "name": {"generator": "names.club", "params": {"town": "= town.name"}},
            "attributes": {
                "town": {"references": "town", "distribution": "zipf", "exponent": 0.5, "capacity": 30},
                "seats": integer(1, 200),
                "fans": integer(1, 200, missing=0.2),
            },
            "derived": {"spare": {"sql": "seats - fans"}},
        },
    },
}


def made(*constraints, **changes):
    types = TREE["types"] | changes.pop("types", {})
    tree = TREE | {"types": types, "constraints": [dict(one) for one in constraints]} | changes
    return populate(WorldSpec.model_validate(tree), Progress())


FREE = made()


def column(tables, name, key):
    return tables[name][key].to_numpy()


def test_only_the_offending_rows_are_drawn_again():
    kept = made({"on": "club", "sql": "seats > 60"})
    before, after = column(FREE, "club", "seats"), column(kept, "club", "seats")
    assert after.min() > 60
    assert (after[before > 60] == before[before > 60]).all()
    assert kept["town"] == FREE["town"]
    assert kept["club"].drop_columns(["seats", "spare"]) == FREE["club"].drop_columns(["seats", "spare"])


def test_a_row_is_drawn_again_alike_however_many_rows_there_are():
    larger = {"club": TREE["types"]["club"] | {"count": 600}}
    few = made({"on": "club", "sql": "seats % 7 = 3"})
    many = made({"on": "club", "sql": "seats % 7 = 3"}, types=larger)
    assert (column(many, "club", "seats")[:400] == column(few, "club", "seats")).all()


def test_the_default_is_the_last_drawn_column_through_derived_ones():
    kept = made({"on": "club", "sql": "spare > -20"})
    assert (column(kept, "club", "seats") == column(FREE, "club", "seats")).all()
    assert not (column(kept, "club", "fans") == column(FREE, "club", "fans")).all()
    assert np.nanmin(column(kept, "club", "spare")) > -20


def test_a_null_result_counts_as_kept():
    kept = made({"on": "club", "sql": "fans < 100"})
    assert (np.isnan(column(FREE, "club", "fans")) <= np.isnan(column(kept, "club", "fans"))).all()
    assert kept["club"]["fans"].null_count >= FREE["club"]["fans"].null_count > 40


def test_the_column_given_is_drawn_again_in_its_bounds_and_capacity():
    kept = made({"on": "club", "sql": "town.size * 3 > seats", "redraw": "town"})
    assert (column(kept, "club", "seats") == column(FREE, "club", "seats")).all()
    towns = rows_of(kept["club"]["town"])
    assert (column(kept, "town", "size")[towns] * 3 > column(kept, "club", "seats")).all()
    assert np.bincount(towns).max() <= 30
    names = column(kept, "town", "name")[towns]
    assert all(town in name for town, name in zip(names, column(kept, "club", "name"), strict=True))


def test_several_constraints_on_one_column_hold_together():
    kept = made(
        {"on": "club", "sql": "seats > 50"},
        {"on": "club", "sql": "seats % 2 = 0"},
        {"on": "club", "sql": "seats < town.size + 100", "redraw": "seats"},
    )
    seats = column(kept, "club", "seats")
    assert seats.min() > 50 and not (seats % 2).any()
    assert (seats < column(kept, "town", "size")[rows_of(kept["club"]["town"])] + 100).all()


def test_a_column_may_be_drawn_to_fit_an_aggregate():
    kept = made({"on": "town", "sql": "size >= clubs"})
    assert (column(kept, "town", "size") >= column(kept, "town", "clubs")).all()


def test_what_no_draw_can_mend_shows_its_rows(monkeypatch):
    monkeypatch.setattr(constraint_redraw, "ATTEMPTS", 20)
    with pytest.raises(InputError) as caught:
        made({"on": "club", "sql": "seats > 195 + town.size"})
    lines = caught.value.message.splitlines()
    n_broken = int(lines[0].split()[1])
    assert lines[0].endswith(
        "of 400 rows break the constraint `seats > 195 + town.size` after `seats` was drawn 20 times again:"
    )
    assert n_broken > 5 and len(lines) == 7 and lines[-1] == "  …"
    assert all(line.startswith("  club/0") and "seats = " in line and "town.size = " in line for line in lines[1:6])
    assert "widen what `seats` is drawn from" in caught.value.hint


def test_a_constraint_that_nothing_can_be_redrawn_for_is_checked_at_the_end():
    with pytest.raises(
        InputError, match=r"town: \d+ of 50 rows break the constraint `clubs < 9`:\n  town/00\d\d: clubs = "
    ):
        made({"on": "town", "sql": "clubs < 9"})
    assert made({"on": "town", "sql": "clubs <= 30"})["club"] == FREE["club"]


def test_only_the_constraint_that_is_broken_is_blamed():
    with pytest.raises(InputError, match="break the constraint `seats > 500`"):
        made({"on": "club", "sql": "seats > 0"}, {"on": "club", "sql": "seats > 500"})


@pytest.mark.parametrize("seed", [13, 79])
@pytest.mark.parametrize("name", ["government", "government_zh"])
def test_government_can_be_drawn_by_seeds_that_put_many_candidacies_into_one_party(name, seed):
    tables = populate(load_spec(name, [f"seed={seed}"]), Progress())
    candidacies, politicians = tables["candidacy"], tables["politician"]
    parties = politicians["party"].take(rows_of(candidacies["politician"]))
    assert candidacies["party"].to_pylist() == parties.to_pylist()
