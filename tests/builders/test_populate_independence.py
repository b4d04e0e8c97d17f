"""What is drawn independently is independent: mutual information near chance over 10,000 rows.

Of two independent columns of k and m classes, 2 N times the mutual information (in nats) follows a chi-squared
distribution with (k - 1)(m - 1) degrees of freedom: the G-test.
"""

import itertools

import numpy as np
import pytest
from scipy.special import chdtrc

from worldforge.builders.populate.populate_stage import populate
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import rows_of

N = 10_000
CLASSES = 8


def person(**more):
    return {
        "count": N,
        "name": {"generator": "names.person"},
        "attributes": {
            "born": {"generator": "values.date", "params": {"low": "1950-01-01", "high": "2010-12-31"}},
            "height": {"generator": "values.integer", "params": {"low": 140, "high": 210, "distribution": "normal"}},
            "wealth": {"generator": "values.number", "params": {"low": 1, "high": 9e6, "distribution": "log_uniform"}},
            "wins": {"generator": "values.integer", "params": {"low": 0, "high": 90, "distribution": "geometric"}},
            "married": {"generator": "values.boolean"},
            "trade": {"generator": "values.occupation"},
            "mother": {"references": "person", "distribution": "zipf", "exponent": 0.3},
            "rival": {"references": "person", "capacity": 2},
            "nickname": {"generator": "names.town"},
            **more,
        },
    }


@pytest.fixture(scope="module")
def classes():
    """Cut every column into classes of about the same size: {"person.born": one number a row}."""
    tree = {"name": "many", "seed": 11, "types": {"person": person(), "rogue": person()}}
    tables = populate(WorldSpec.model_validate(tree), Progress())
    found = {}
    for table in tables:
        for column in ("name", *tree["types"][table]["attributes"]):
            values = tables[table][column].combine_chunks()
            numbers = rows_of(values) if column in ("mother", "rival") else np.unique(values, return_inverse=True)[1]
            found[f"{table}.{column}"] = quantiles(numbers)
    return found


def quantiles(numbers):
    edges = np.unique(np.quantile(numbers, np.arange(1, CLASSES) / CLASSES))
    return np.unique(np.searchsorted(edges, numbers, side="right"), return_inverse=True)[1]


def chance(one, other):
    """Return how likely two independent columns are to share as much information as these do."""
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / len(one)
    information = (table[table > 0] * np.log(table[table > 0] / expected[table > 0])).sum() / len(one)
    return chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), 2 * len(one) * information)


def test_the_measure_sees_a_faint_dependence():
    generator = np.random.default_rng(1)
    one, noise = generator.integers(0, 8, N), generator.integers(0, 8, N)
    assert chance(one, noise) > 1e-3
    assert chance(one, np.where(generator.random(N) < 0.06, one, noise)) < 1e-6


def test_columns_of_a_type_are_independent(classes):
    own = [key for key in classes if key.startswith("person.")]
    found = [chance(classes[one], classes[other]) for one, other in itertools.combinations(own, 2)]
    assert len(found) == 45 and min(found) > 1e-4
    assert 0.25 < np.mean(found) < 0.75


def test_the_same_columns_of_two_types_are_independent(classes):
    own = [key.removeprefix("person.") for key in classes if key.startswith("person.")]
    assert min(chance(classes[f"person.{key}"], classes[f"rogue.{key}"]) for key in own) > 1e-4


def test_rows_are_independent_of_the_rows_at_twice_their_number_and_next_to_them(classes):
    row = np.arange(N // 2 - 1)
    for key, one in classes.items():
        for other in (2 * row, 2 * row + 1, row + 1, row + 2, row + 4):
            assert chance(one[row], one[other]) > 1e-5, key


def test_columns_are_independent_of_other_columns_at_twice_the_row(classes):
    row = np.arange(N // 2)
    own = [key for key in classes if key.startswith("person.")]
    for one, other in itertools.permutations(own, 2):
        assert chance(classes[one][row], classes[other][2 * row]) > 1e-5, (one, other)


def test_values_do_not_depend_on_where_their_row_stands(classes):
    place = quantiles(np.arange(N))
    assert min(chance(one, place) for one in classes.values()) > 1e-4
