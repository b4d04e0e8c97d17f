"""Generators by name: what is shipped is found; code of one's own runs only where it is allowed."""

import pytest

from worldforge.core.errors import InputError
from worldforge.core.imports import load, shipped


def test_every_shipped_generator_loads_and_is_documented():
    for name in shipped():
        assert load(name).__doc__, f"{name} has no docstring"


@pytest.mark.parametrize("name", ["values.no", "no.year", "year", "values.", "values.__doc__", "os.system"])
def test_what_is_not_shipped_is_refused(name):
    with pytest.raises(InputError):
        load(name)


def test_own_code_runs_only_where_it_is_allowed(tmp_path):
    (tmp_path / "my_matter.py").write_text("ran = True\ndef word(stream, rows): ...\n")
    with pytest.raises(InputError, match="only where you allow it"):
        load("my_matter:word")
    assert load("my_matter:word", code_from=tmp_path).__name__ == "word"
    with pytest.raises(InputError):
        load("my_matter:other", code_from=tmp_path)
    with pytest.raises(InputError, match="cannot import"):
        load("no_such_module:word", code_from=tmp_path)
