"""docs/models.md says all there is: every setting, every profile, and an example that runs."""

import contextlib
import io
from pathlib import Path

import pytest

from worldforge.models.address_settings import setting_names
from worldforge.models.model_address import ModelAddress
from worldforge.models.profiles import shipped_profiles

REFERENCE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", setting_names())
def test_every_setting_is_there(name):
    assert f"`{name}`" in REFERENCE


@pytest.mark.parametrize("name", shipped_profiles())
def test_every_profile_is_there_with_its_model(name):
    assert f"| `{name}` | {ModelAddress.parse(name).model} |" in REFERENCE


def test_the_example_runs():
    code = REFERENCE.split("```python")[1].split("```")[0]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(code, "docs/models.md", "exec"), {})
    assert said.getvalue().startswith("Hello Usage(")
