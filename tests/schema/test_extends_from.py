"""A spec extends shipped specs and files beside or below itself; nothing of any other file is shown."""

import pytest

from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec

SECRET = "root:x:0:0:secret\n"


@pytest.fixture
def spec(tmp_path):
    folder = tmp_path / "specs"
    folder.mkdir()
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "base.yaml").write_text("extends: quickstart\nname: base\n")
    return folder / "world.yaml"


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret", "link", "sub/../../secret"])
def test_other_files_are_not_read(spec, path):
    (spec.parent / "link").symlink_to(spec.parent.parent / "secret")
    (spec.parent / "sub").mkdir()
    spec.write_text(f"extends: {path}\nname: mine\n")
    with pytest.raises(SpecError, match="beside or below") as refused:
        load_spec(spec)
    assert "x:0:0" not in str(refused.value) and "world.yaml:1" in str(refused.value)


def test_shipped_specs_and_files_beside_or_below_are_extended(spec):
    (spec.parent / "deep").mkdir()
    for path in ("beside.yaml", "deep/below.yaml"):
        (spec.parent / path).write_text("extends: quickstart\nname: base\n")
        spec.write_text(f"extends: {path}\nname: mine\n")
        assert load_spec(spec).name == "mine"


def test_the_user_may_allow_another_folder(spec, monkeypatch):
    spec.write_text("extends: ../base.yaml\nname: mine\n")
    with pytest.raises(SpecError, match="WORLDFORGE_EXTENDS_FROM"):
        load_spec(spec)
    monkeypatch.setenv("WORLDFORGE_EXTENDS_FROM", f"/nowhere:{spec.parent.parent}")
    assert load_spec(spec).name == "mine"
