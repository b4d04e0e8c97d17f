"""Rubbish in: a broken spec gives a spec or problems with their places, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_mutations import mutated
from schema_small import SMALL

from worldforge.core.errors import InputError
from worldforge.schema.problems import SpecError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import shipped_specs

QUICKSTART = shipped_specs()["quickstart"].read_text(encoding="utf-8")


def assert_spec_or_problems(path):
    try:
        assert isinstance(load_spec(path), WorldSpec)
    except SpecError as error:
        assert error.problems
        n_lines = path.read_bytes().count(b"\n") + 1
        for problem in error.problems:
            assert problem.message
            assert 1 <= problem.line <= n_lines
            assert problem.column >= 1
            assert problem.file == str(path)


@pytest.mark.parametrize("seed", range(60))
def test_a_mutated_quickstart_is_a_spec_or_problems(tmp_path, seed):
    path = tmp_path / "world.yaml"
    path.write_bytes(mutated(QUICKSTART, seed))
    assert_spec_or_problems(path)


def test_mutations_are_the_same_for_the_same_seed():
    assert [mutated(QUICKSTART, seed) for seed in range(20)] == [mutated(QUICKSTART, seed) for seed in range(20)]
    assert len({mutated(QUICKSTART, seed) for seed in range(60)}) > 55


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(1000, 2**32))
def test_a_mutated_small_spec_is_a_spec_or_problems(tmp_path_factory, seed):
    path = tmp_path_factory.getbasetemp() / "mutated.yaml"
    path.write_bytes(mutated(SMALL, seed))
    assert_spec_or_problems(path)


@settings(deadline=None, max_examples=60)
@given(content=st.binary(max_size=300))
def test_any_bytes_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError):
        load_spec(path)


@pytest.mark.parametrize(
    "column",
    ["c{}: {{generator: values.nope}}", "c{}: {{generator: values.year, params: {{low: = c{} + 1, high: 2000}}}}"],
)
def test_a_spec_of_many_mistakes_is_refused_soon(tmp_path, column):
    columns = "".join(f"      {column.format(number, number + 1)}\n" for number in range(300))
    path = tmp_path / "world.yaml"
    path.write_text(
        f"name: many\ntypes:\n  a:\n    count: 3\n    name: {{generator: names.town}}\n    attributes:\n{columns}"
    )
    assert_spec_or_problems(path)
