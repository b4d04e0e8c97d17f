"""What columns hold, refer to, and are called."""

import pytest
from schema_small import small_spec

from worldforge.core.errors import InputError
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.table_columns import ColumnInfo, columns_of, generator_kind

SPEC = small_spec()


def kinds(spec, table):
    return {name: column.kind for name, column in columns_of(spec, table).items()}


def derived_kind(sql, *more):
    return kinds(small_spec(("sql: 2031 - founded", f"sql: '{sql}'"), *more), "firm")["age"]


def test_a_types_columns_are_its_name_its_attributes_and_what_it_derives():
    assert kinds(SPEC, "firm") == {
        "name": "text",
        "town": "text",
        "founded": "year",
        "opened": "date",
        "listed": "boolean",
        "age": "integer",
        "decades": "integer",
        "staff": "integer",
    }


def test_a_relations_columns_are_its_ends_and_its_own():
    columns = columns_of(SPEC, "works_for")
    assert list(columns) == ["source", "target", "from", "until"]
    assert columns["source"].references == "person"
    assert columns["until"].kind == "year"


def test_a_column_carries_how_it_is_spoken_of():
    assert columns_of(SPEC, "land")["area"] == ColumnInfo("area", "number", None, "area", "km²")
    assert columns_of(SPEC, "town")["chartered"].label == "charter year"
    staff = ColumnInfo("staff", "integer", None, "staff", derived=True, counts="works_for")
    assert columns_of(SPEC, "firm")["staff"] == staff


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("founded + 1", "integer"),
        ("founded", "year"),
        ("town.chartered", "year"),
        ("founded / 3", "number"),
        ("1.5", "number"),
        ("town.land.area * 2", "number"),
        ("upper(name)", "text"),
        ("town", "text"),
        ("founded > 1900", "boolean"),
        ("opened + 1", "date"),
        ("opened + interval 1 year", "date"),
        ("make_date(founded, 1, 1)", "date"),
        ("decades * 2", "integer"),
        ("staff / 2", "number"),
    ],
)
def test_the_kind_of_an_expression_is_what_it_binds_to(sql, kind):
    assert derived_kind(sql, ("sql: age // 10", "sql: founded // 10")) == kind


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("count(*)", "integer"),
        ("sum(people)", "integer"),
        ("avg(people)", "number"),
        ("min(chartered)", "year"),
        ("max(chartered) - min(chartered)", "integer"),
        ("arg_max(name, people)", "text"),
        ("bool_and(people > 3)", "boolean"),
        ("median(people)", "number"),
    ],
)
def test_the_kind_of_an_aggregate_is_what_it_binds_to(sql, kind):
    spec = small_spec(("sql: count(*)}", f'sql: "{sql}"}}'))
    assert kinds(spec, "land")["towns"] == kind


def test_a_kind_that_is_given_holds():
    assert kinds(small_spec(("sql: 2031 - founded", "sql: founded + 1, kind: year")), "firm")["age"] == "year"


@pytest.mark.parametrize("sql", ["founded + name", "founded and 1", "interval 1 year", "year(founded)"])
def test_values_that_do_not_fit_together_are_refused(sql):
    with pytest.raises(ExpressionError):
        derived_kind(sql)


def test_a_column_that_needs_itself_has_no_kind():
    with pytest.raises(ExpressionError, match="needs itself"):
        derived_kind("decades + 1")


def test_a_generator_must_say_what_it_makes(tmp_path):
    (tmp_path / "own_kinds.py").write_text(
        "from worldforge.core.columns import Dates\n"
        "def days(stream, rows) -> Dates: ...\n"
        "def silent(stream, rows): ...\n"
        "def wrong(stream, rows) -> 'Nothing': ...\n"
    )
    assert generator_kind("own_kinds:days", tmp_path) == "date"
    for name in ("silent", "wrong"):
        with pytest.raises(InputError):
            generator_kind(f"own_kinds:{name}", tmp_path)
    with pytest.raises(InputError, match="runs only where you allow it"):
        generator_kind("own_kinds:days")
