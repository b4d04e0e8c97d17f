"""What a build refuses it refuses at a line of the spec; what it doubts it warns of."""

import sys
from pathlib import Path

import pytest

import worldforge
from worldforge.core.errors import InputError
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec

sys.path.append(str(Path(__file__).parents[1] / "schema"))
from schema_small import SMALL

PAGES = """\
pages:
  articles: {generator: pages.encyclopedia, about: firm}
"""


def build(folder, *edits):
    text = SMALL + PAGES
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / "w.yaml"
    path.write_text(text)
    return text, worldforge.build(path, folder / "out")


@pytest.mark.parametrize(
    ("old", "new", "at", "path"),
    [
        ("constraints:\n", "constraints:\n  - {on: firm, sql: founded + 1 > 2001}\n", "{on: firm", "constraints.0"),
        ("constraints:\n", "constraints:\n  - {on: firm, unique: [town, founded], redraw: founded}\n  "
         "- {on: firm, unique: [staff]}\n", "{on: firm, unique: [staff", "constraints.1"),
        ("high: 2000", "high: = town.chartered", "founded", "types.firm.attributes.founded"),
        ("sql: age // 10", "sql: 9000000000 * founded * founded * founded", "decades", "types.firm.derived.decades"),
        ("high: 2}\n", "high: 2}\n    per_target: {low: 1, high: 2}\n", "works_for:\n", "relations.works_for"),
        ("high: 2020}", "high: 1900}", "from:", "relations.works_for.columns.from"),
        ("about: firm}", "about: firm, part_rows: 2, states: [town]}\n  lists: "
         "{generator: pages.directory, about: firm, part_rows: 2}", "lists", "pages.lists"),
    ],
)  # fmt: skip
def test_what_a_build_refuses_has_a_place(tmp_path, old, new, at, path):
    with pytest.raises(SpecError) as raised:
        build(tmp_path, (old, new))
    [problem] = raised.value.problems
    text = (SMALL + PAGES).replace(old, new, 1)
    assert problem.path == path
    place = text.index(at, text.index(new.split("\n")[0]) if at in new else 0)
    assert (problem.line, problem.column) == (text[:place].count("\n") + 1, place - text.rfind("\n", 0, place))
    assert problem.file == str(tmp_path / "w.yaml")


def test_a_spec_that_no_file_holds_is_refused_without_a_place(tmp_path):
    path = tmp_path / "w.yaml"
    path.write_text(SMALL.replace("constraints:\n", "constraints:\n  - {on: firm, sql: founded + 1 > 2001}\n"))
    spec = load_spec(path)
    unplaced = type(spec).model_validate(spec.model_dump())
    assert unplaced == spec
    with pytest.raises(InputError, match=r"^firm: 20 of 20 rows break the constraint"):
        worldforge.build(unplaced, tmp_path / "out")


def test_years_and_days_that_lie_in_no_past_are_warned_of(tmp_path):
    shifted = "low: = town.chartered + 100, high: = town.chartered + 600"
    far = "opened: {generator: values.date, params: {low: 1992-01-01, high: 1999-12-31}}"
    _, summary = build(
        tmp_path,
        ("low: = town.chartered + 1, high: 2000", shifted),
        (far, far + "\n      ending: {generator: values.year, params: {low: = town.chartered + 8000, high: 9999}}"),
    )
    assert [one.partition(" after")[0].partition(":")[0] for one in summary.warnings] == ["firm.founded", "firm.ending"]
    assert "20 of 20 after the year 2131" in summary.warnings[1]
    n_late = int(summary.warnings[0].split()[1])
    assert 0 < n_late < 20
