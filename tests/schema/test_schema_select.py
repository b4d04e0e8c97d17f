"""Expressions as queries, run over real tables: joins along references, aggregates by entity, the order of rows."""

import pyarrow as pa
import pytest
from schema_small import small_spec

from worldforge.schema.expression_sql import derived_sql, select_sql
from worldforge.schema.expressions import compile_derived, compile_expression
from worldforge.world.database import connect

SPEC = small_spec(
    (
        "people: {over: town.land, sql: sum(people)}",
        "people: {over: town.land, sql: sum(people)}\n"
        "      mean: {over: town.land, sql: round(sum(people) / count(*))}\n"
        "      busiest: {over: town.land, sql: 'arg_max(name, people)', where: people > 10}\n"
        "      old: {over: town.land, sql: count(distinct chartered) filter (where chartered < 1500)}\n"
        "      near: {over: town.land, sql: 'max(people)', where: land.area < 15}",
    )
)
TABLES = {
    "land": pa.table(
        {"id": ["land/0000", "land/0001", "land/0002"], "name": ["A", "B", "C"], "area": [12.0, 18.0, 14.0]}
    ),
    "town": pa.table(
        {
            "id": ["town/0000", "town/0001", "town/0002"],
            "name": ["Ys", "Ker", "Lyo"],
            "land": ["land/0001", "land/0000", "land/0001"],
            "chartered": pa.array([1200, 1300, 1200], pa.int32()),
            "people": [5, 7, 50],
        }
    ),
    "firm": pa.table(
        {
            "id": ["firm/0000", "firm/0001", "firm/0002"],
            "name": ["x", "y", "z"],
            "town": ["town/0002", None, "town/0001"],
            "founded": pa.array([1900, 1950, 1290], pa.int32()),
        }
    ),
    "works_for": pa.table(
        {
            "id": ["works_for/0000", "works_for/0001"],
            "source": ["person/0000", "person/0001"],
            "target": ["firm/0002", "firm/0000"],
            "from": pa.array([1990, 1991], pa.int32()),
            "until": pa.array([None, 1999], pa.int32()),
        }
    ),
}


def rows(sql):
    return connect(TABLES).execute(sql).fetchall()


def expression(text, table="firm"):
    return compile_expression(text, table, SPEC)


def aggregates(type_name, *names):
    found = [rows(derived_sql(SPEC, type_name, name, compile_derived(SPEC, type_name, name))) for name in names]
    return [(cells[0][0], *(value for _, value in cells)) for cells in zip(*found, strict=True)]


def test_paths_reach_through_references_and_rows_keep_their_order():
    sql = select_sql(
        SPEC, "firm", {"area": expression("town.land.area"), "gap": expression("founded - town.chartered")}
    )
    assert rows(sql) == [(0, 18.0, 700), (1, None, None), (2, 12.0, -10)]


def test_where_chooses_rows_by_columns_that_are_not_put_out():
    sql = select_sql(SPEC, "firm", {"name": expression("name")}, where=expression("founded > town.chartered"))
    assert rows(sql) == [(0, "x")]


def test_without_outputs_a_query_names_the_rows():
    assert rows(select_sql(SPEC, "firm", {}, where=expression("town is null"))) == [(1,)]


def test_a_relation_reaches_through_source_and_target_and_words_of_sql():
    outputs = {"from": expression("from", "works_for"), "people": expression("target.town.people", "works_for")}
    assert rows(select_sql(SPEC, "works_for", outputs)) == [(0, 1990, 7), (1, 1991, 50)]


def test_the_same_type_reached_by_two_paths_is_joined_twice():
    spec = small_spec(("opened: {", "seat: {references: town}\n      opened: {"))
    both = compile_expression("town.people - seat.people", "firm", spec)
    seats = TABLES["firm"].append_column("seat", pa.array(["town/0000", "town/0000", "town/0002"]))
    got = connect({**TABLES, "firm": seats}).execute(select_sql(spec, "firm", {"d": both})).fetchall()
    assert got == [(0, 45), (1, None), (2, -43)]


def test_entities_without_rows_count_none_and_sum_to_zero():
    assert aggregates("land", "towns", "people") == [(0, 1, 7), (1, 2, 55), (2, 0, 0)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mean", [7, 28, None]),
        ("busiest", [None, "Lyo", None]),
        ("old", [1, 1, 0]),
        ("near", [7, None, None]),
    ],
)
def test_other_aggregates_are_null_where_there_are_no_rows(name, values):
    got = [value if value == value else None for _, value in aggregates("land", name)]  # 0 / 0 may come as NaN
    assert got == values


def test_a_relation_is_aggregated_for_its_target_where_a_condition_holds():
    assert aggregates("firm", "staff") == [(0, 0), (1, 0), (2, 1)]


def test_names_that_need_quotes_stay_names():
    spec = small_spec(("land:\n    count", '"order":\n    count'), ("references: land", 'references: "order"'))
    tables = {**TABLES, "order": TABLES["land"]}
    sql = select_sql(spec, "firm", {"area": compile_expression("town.land.area", "firm", spec)})
    assert connect(tables).execute(sql).fetchall()[0] == (0, 18.0)
