"""From files, environment and settings to a spec, and back."""

import os
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_small import SMALL, small_spec

from worldforge.core.errors import InputError
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.resolved_spec import read_resolved, write_resolved
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import find_spec, list_shipped, shipped_specs


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


def extending(folder, text, name="mine.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def told(source, *overrides, **options):
    with pytest.raises(SpecError) as caught:
        load_spec(source, overrides, **options)
    return [
        f"{Path(p.file).name}:{p.line}:{p.column}: {p.path}: {p.message}".replace(":0:0", "")
        for p in caught.value.problems
    ]


@pytest.fixture(scope="module")
def listed():
    return list_shipped()


@pytest.mark.parametrize("name", list(shipped_specs()))
def test_shipped_specs_have_no_problems_and_are_what_their_list_says(name, listed):
    warnings = []
    spec = load_spec(name, on_warning=warnings.append)
    assert (spec.name, warnings) == (name, [])
    n_entities = sum(spec.n_entities(name_of_type) for name_of_type in spec.types)
    assert (name, n_entities, spec.title) in listed


def test_a_spec_is_found_by_path_by_folder_and_by_name(small, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "world.yaml").write_text(SMALL)
    assert load_spec(small) == load_spec(str(small)) == load_spec(tmp_path / "mine")
    assert find_spec("quickstart") == shipped_specs()["quickstart"]


def test_a_folder_of_the_user_goes_before_a_shipped_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_spec("quickstart") == shipped_specs()["quickstart"]
    (tmp_path / "quickstart").mkdir()
    assert find_spec("quickstart") == shipped_specs()["quickstart"]
    (tmp_path / "quickstart" / "world.yaml").write_text(SMALL)
    assert load_spec("quickstart").name == "small"


def test_shipped_specs_are_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_spec("quickstart").name == "quickstart"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("quickstrat", "did you mean `quickstart`?"),
        ("no/such/file.yaml", "there is no spec"),
        ("x" * 5000, "cannot be looked for"),
        ("a\0b", "there is no spec"),
        ("", "world.yaml"),
    ],
)
def test_what_is_no_spec_is_one_error_with_a_hint(source, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message) as caught:
        load_spec(source)
    assert caught.value.exit_code == 2
    assert caught.value.hint or "looked for" in message


def test_extends_merges_mappings_replaces_lists_and_removes_by_null(small):
    path = extending(
        small.parent,
        "extends: small.yaml\n"
        "name: mine\n"
        "types:\n"
        "  town: {count: 99}\n"
        "  firm: {attributes: {listed: ~}}\n"
        "constraints:\n"
        "  - {on: town, sql: people >= 0}\n",
    )
    spec, base = load_spec(path), load_spec(small)
    assert (spec.name, spec.types["town"].count) == ("mine", 99)
    assert spec.types["town"].attributes == base.types["town"].attributes
    assert list(spec.types["firm"].attributes) == ["town", "founded", "opened"]
    assert [one.on for one in spec.constraints] == ["town"]
    assert list(spec.types) == list(base.types)


def test_a_null_key_counts_as_not_given(small):
    text = SMALL.replace("high: 20}, unit", "high: 20}, missing: ~, unit")
    assert load_spec(extending(small.parent, text + "web: ~\n")) == load_spec(small)


def test_a_key_that_nothing_is_called_is_told_of_even_without_a_value(small):
    """What YAML makes of a comma: `{unit: per 1,000 heads}` has the keys `unit` and `000 heads`."""
    path = extending(small.parent, "extends: small.yaml\nname: mine\ntypes:\n  town: {label: a town, 000 heads}\n")
    with pytest.raises(SpecError) as caught:
        load_spec(path)
    [problem] = caught.value.problems
    assert (problem.path, problem.line, problem.message) == ("types.town.000 heads", 4, "unknown key `000 heads`")


def test_a_shipped_spec_can_be_extended(tmp_path):
    spec = load_spec(extending(tmp_path, "extends: quickstart\nname: mine\nscale: 2\n"))
    assert spec.n_entities("club") == 2 * load_spec("quickstart").n_entities("club")


def test_extends_is_relative_to_the_file_that_says_it(small, tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    path = extending(tmp_path / "deep", "extends: ../small.yaml\n")
    monkeypatch.setenv("WORLDFORGE_EXTENDS_FROM", str(tmp_path))
    monkeypatch.chdir("/")
    assert load_spec(path) == load_spec(small)


def test_a_problem_stands_in_the_file_that_brought_it(small):
    path = extending(small.parent, "extends: small.yaml\ntypes:\n  town: {cuont: 99}\n")
    assert told(path) == ["mine.yaml:3:10: types.town.cuont: unknown key `cuont`"]
    small.write_text(SMALL.replace("2031 - founded", "2031 - fonded"))
    assert told(extending(small.parent, "extends: small.yaml\n")) == [
        "small.yaml:27:25: types.firm.derived.age.sql: `firm` has no column `fonded`"
    ]


def test_specs_that_extend_one_another_are_refused_with_the_circle(tmp_path):
    extending(tmp_path, "extends: b.yaml\n", "a.yaml")
    extending(tmp_path, "extends: c.yaml\n", "b.yaml")
    extending(tmp_path, "name: c\nextends: b.yaml\n", "c.yaml")
    circle = "specs extend one another in a circle: b.yaml -> c.yaml -> b.yaml"
    assert told(tmp_path / "a.yaml") == [f"c.yaml:2:10: extends: {circle}"]
    extending(tmp_path, "extends: a.yaml\n", "a.yaml")
    assert "a.yaml -> a.yaml" in told(tmp_path / "a.yaml")[0]


@pytest.mark.parametrize("value", ["nothing", "[a]", "3", "x/y.yaml"])
def test_what_cannot_be_extended_is_told_at_its_place(tmp_path, value):
    assert told(extending(tmp_path, f"name: x\nextends: {value}\n"))[0].startswith("mine.yaml:2:10: extends: ")


def test_later_layers_win(small):
    path = extending(small.parent, "extends: small.yaml\nseed: 1\ntitle: file\n")
    environment = {"WORLDFORGE__SEED": "2", "WORLDFORGE__TYPES__TOWN__COUNT": "7", "HOME": "/root"}
    assert load_spec(path).seed == 1
    assert load_spec(path, environment=environment).seed == 2
    spec = load_spec(path, ["seed=3", "title=set", "title=again"], environment=environment)
    assert (spec.seed, spec.title, spec.types["town"].count) == (3, "again", 7)


def test_the_environment_counts_only_where_it_is_given(small, monkeypatch):
    monkeypatch.setenv("WORLDFORGE__SEED", "5")
    assert load_spec(small).seed == 0
    assert load_spec(small, environment=os.environ).seed == 5


def test_settings_are_yaml_values():
    spec = load_spec(
        "quickstart",
        ["title=NO", "as_of=2030-01-01", "tasks.list.about=[club, town]", "tasks.list.rows={low: 4}", "description="],
    )
    assert (spec.title, spec.as_of, spec.description) == ("NO", "2030-01-01", "")
    assert (spec.tasks["list"].about, spec.tasks["list"].rows.low, spec.tasks["list"].rows.high) == (
        ["club", "town"],
        4,
        15,
    )


def test_every_setting_that_is_wrong_is_told(small):
    told_of = told(
        small,
        "seed",
        "=3",
        "a..b=3",
        "seed=[",
        "types.town.count=many",
        "types.town.cuont=3",
        environment={"WORLDFORGE__SCALE": "-1"},
    )
    assert sorted(told_of) == sorted(
        [
            "--set seed: : it is no setting",
            "--set =3: : it is no setting",
            "--set a..b=3: : it is no setting",
            "--set seed=[: seed: the value cannot be read: a bracket is not closed, or a comma is missing",
            "--set types.town.count=many: types.town.count: must be a whole number, not the text `many`",
            "--set types.town.cuont=3: types.town.cuont: unknown key `cuont`",
            "WORLDFORGE__SCALE: scale: must be more than 0, not -1",
        ]
    )


def test_dates_stay_text_so_that_a_spec_is_json(small):
    spec = load_spec(small)
    assert spec.types["firm"].attributes["opened"].params == {"low": "1992-01-01", "high": "1999-12-31"}
    assert spec.model_dump(mode="json") == spec.model_dump()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "w.yaml:1:1: : the file is empty"),
        (b"- a\n", "w.yaml:1:1: : a spec is a mapping of keys to values"),
        (b"text\n", "w.yaml:1:1: : a spec is a mapping of keys to values"),
        (b"name: x\n\xff: 3\n", "w.yaml:2:1: : the file is not UTF-8 text"),
        (b"\x00\x01", "w.yaml:1:1: : the file holds a character that is no text"),
        (b"a" * (5 << 20), "w.yaml: : the file is larger than 1 MiB"),
    ],
)
def test_files_that_are_no_spec_are_told_as_such(tmp_path, content, problem):
    (tmp_path / "w.yaml").write_bytes(content)
    assert told(tmp_path / "w.yaml") == [problem]


def test_a_byte_order_mark_and_other_line_ends_do_not_matter(tmp_path):
    (tmp_path / "w.yaml").write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert load_spec(tmp_path / "w.yaml").name == "small"


def test_a_resolved_spec_reads_as_it_was_written(tmp_path):
    spec = load_spec("quickstart")
    path = tmp_path / "spec.yaml"
    path.write_text(write_resolved(spec))
    assert read_resolved(path) == load_spec(path) == spec
    assert write_resolved(read_resolved(path)) == write_resolved(spec)


def test_a_resolved_spec_holds_its_defaults():
    assert "page_size: 25\n" in write_resolved(load_spec("quickstart"))


values = st.recursive(
    st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=25)
@given(title=st.text(), params=st.dictionaries(st.text(), values, max_size=4))
def test_any_text_and_any_parameter_come_back(tmp_path_factory, title, params):
    spec = small_spec()
    town = spec.types["town"].model_copy(update={"name": spec.types["town"].name.model_copy(update={"params": params})})
    spec = spec.model_copy(update={"title": title, "types": {**spec.types, "town": town}})
    path = tmp_path_factory.getbasetemp() / "resolved.yaml"
    path.write_text(write_resolved(spec), encoding="utf-8", newline="")
    assert read_resolved(path) == spec


@pytest.mark.parametrize("content", [b"", b"name: [", b"name: x\n", b"\xff", b"name: x\nname: y\n"])
def test_a_damaged_resolved_spec_is_an_error(tmp_path, content):
    for name in ("spec.yaml", "copy.yaml"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=re.escape(str(tmp_path / name))):
            read_resolved(tmp_path / name)
    with pytest.raises(InputError):
        read_resolved(tmp_path / "nothing.yaml")


def test_problems_are_written_one_a_line_with_their_hints_below():
    error = SpecError([Problem("w.yaml", 3, 5, "types.a", "wrong", "do this"), Problem("--set a=b", 0, 0, "a", "bad")])
    assert str(error) == "w.yaml:3:5: types.a: wrong\n    hint: do this\n--set a=b: a: bad"
    assert pickle.loads(pickle.dumps(error)).problems == error.problems
