"""Near twins from outside: what they share with others, what tells them apart, and what stays as it was."""

import numpy as np
import pytest
from command import worldforge

from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.builders.populate.near_duplicate_entities import near_duplicates_of
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.progress import Progress
from worldforge.schema.column_dependencies import shared_attributes
from worldforge.schema.spec import WorldSpec

INNS = {
    "name": "inns",
    "seed": 11,
    "types": {
        "town": {
            "count": 12,
            "name": {"generator": "names.town"},
            "attributes": {"chartered": {"generator": "values.year", "params": {"low": 1200, "high": 1700}}},
        },
        "inn": {
            "count": 300,
            "name": {"generator": "names.person"},
            "attributes": {
                "town": {"references": "town"},
                "built": {"generator": "values.year", "params": {"low": "= town.chartered + 5", "high": 1990}},
                "beds": {"generator": "values.integer", "params": {"low": 4, "high": 90}, "missing": 0.1},
                "stars": {"generator": "values.choice", "params": {"options": ["one", "two", "three"]}},
                "garden": {"generator": "values.boolean"},
                "code": {"generator": "values.code", "params": {"pattern": "AA9999"}},
                "keeper": {"generator": "names.person"},
                "rank": {"generator": "values.integer", "params": {"low": 1, "high": 10**6}},
            },
        },
    },
    "constraints": [{"on": "inn", "unique": ["rank"]}, {"on": "inn", "sql": "beds > 8 or stars <> 'three'"}],
}


def inns(share):
    spec = WorldSpec.model_validate(INNS)
    inn = spec.types["inn"].model_copy(update={"distractors": share})
    return spec.model_copy(update={"types": {**spec.types, "inn": inn}})


@pytest.fixture(scope="module")
def made():
    spec = inns(0.4)
    return spec, near_duplicates_of(DraftTables(spec), "inn"), populate(spec, Progress())["inn"].to_pylist()


def test_a_twin_differs_in_one_or_two_values_and_what_they_entail(made):
    spec, twins, table = made
    shared = shared_attributes(spec, "inn")
    assert shared == ["town", "built", "beds", "stars", "garden"]
    assert len(twins.rows) / len(table) == pytest.approx(0.4, abs=0.08)
    assert not {*twins.rows} & {*twins.originals}
    n_apart = []
    for row, model in zip(twins.rows, twins.originals, strict=True):
        apart = [key for key in shared if table[row][key] != table[model][key]]
        n_apart.append(len({*apart} - {"built"} if "town" in apart else apart))
        assert table[row]["code"] != table[model]["code"] and table[row]["keeper"] != table[model]["keeper"]
    counts = np.bincount(n_apart)
    assert counts[0] <= 0.02 * len(n_apart) and counts[1:3].sum() >= 0.97 * len(n_apart)


def test_what_holds_for_all_holds_for_twins(made):
    spec, twins, table = made
    assert len({row["name"] for row in table}) == len(table)
    assert len({row["rank"] for row in table}) == len(table)
    assert all((row["beds"] or 99) > 8 or row["stars"] != "three" for row in table)
    town = {row["id"]: row["chartered"] for row in populate(spec, Progress())["town"].to_pylist()}
    assert all(row["built"] >= town[row["town"]] + 5 for row in table)
    alike = [
        table[row]["name"].split()[-1] == table[model]["name"].split()[-1]
        for row, model in zip(twins.rows, twins.originals, strict=True)
    ]
    assert np.mean(alike) > 0.9


def test_nothing_else_moves(made):
    _, twins, table = made
    plain = populate(inns(0.0), Progress())["inn"].to_pylist()
    others = sorted({*range(len(table))} - {*twins.rows.tolist()})
    assert [table[row] for row in others] == [plain[row] for row in others]
    kept = ("code", "keeper", "rank")
    assert all(table[row][key] == plain[row][key] for row in twins.rows for key in kept)


def test_all_of_a_type_cannot_be_twins_of_others_yet_are_made():
    table = populate(inns(1.0), Progress())["inn"]
    assert table.num_rows == 300


def test_a_type_without_anything_to_share_is_refused(tmp_path):
    (tmp_path / "world.yaml").write_text(
        "name: odd\ntypes:\n  person:\n    count: 5\n    distractors: 0.5\n    name: {generator: names.person}\n"
        "    attributes: {friend: {generator: names.person}}\n"
    )
    assert "near twins" in worldforge("validate", tmp_path / "world.yaml", code=2).stderr
