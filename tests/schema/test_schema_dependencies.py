"""The order in which columns are made."""

import pytest
from schema_small import small_spec

from worldforge.schema.column_dependencies import column_order, cycles, dependency_graph, redrawn_columns

SPEC = small_spec()


def stands_before(order, first, second):
    return order.index(first) < order.index(second)


def test_every_column_stands_after_what_it_needs():
    order = column_order(SPEC)
    for needed, needing in dependency_graph(SPEC).edges:
        assert stands_before(order, needed, needing)


@pytest.mark.parametrize(
    ("needed", "needing"),
    [
        (("town", "name"), ("firm", "name")),
        (("firm", "town"), ("firm", "name")),
        (("town", "chartered"), ("firm", "founded")),
        (("firm", "founded"), ("firm", "age")),
        (("firm", "age"), ("firm", "decades")),
        (("town", "people"), ("land", "people")),
        (("town", "land"), ("land", "towns")),
        (("works_for", "target"), ("works_for", "from")),
        (("works_for", "target"), ("firm", "staff")),
        (("works_for", "until"), ("firm", "staff")),
        (("person", "born"), ("works_for", "from")),
        (("works_for", "from"), ("works_for", "until")),
    ],
)
def test_what_an_expression_reads_is_needed(needed, needing):
    assert dependency_graph(SPEC).has_edge(needed, needing)


def test_references_and_the_rows_of_relations_need_nothing():
    graph = dependency_graph(SPEC)
    for node in (("town", "land"), ("firm", "town"), ("works_for", "target")):
        assert list(graph.predecessors(node)) == []
    assert ("works_for", "source") not in graph


def test_where_nothing_else_decides_columns_stand_as_declared():
    spec = small_spec(("params: {low: = town.chartered + 1, high: 2000}", "params: {low: 1, high: 2000}"))
    order = [column for table, column in column_order(spec) if table == "person" or table == "firm"]
    assert order[:2] == ["town", "name"]
    assert order[2:6] == ["founded", "opened", "listed", "age"]


@pytest.mark.parametrize(("table", "before"), [("land", "area: {"), ("town", "chartered: {"), ("works_for", "from: {")])
def test_adding_a_column_moves_no_other(table, before):
    added = small_spec((f"      {before}", f"      aaa: {{generator: values.boolean}}\n      {before}"))
    order = column_order(added)
    assert [node for node in order if node != (table, "aaa")] == column_order(SPEC)
    assert len(order) == len(column_order(SPEC)) + 1


def test_no_cycles_are_found_where_there_are_none():
    assert cycles(dependency_graph(SPEC)) == []


def test_a_cycle_is_spelled_from_its_first_column_along_what_each_needs():
    spec = small_spec(
        (
            "people: {generator: values.integer, params: {low: 0,",
            "people: {generator: values.integer, params: {low: = land.area,",
        ),
        (
            "area: {generator: values.number, params: {low: 10,",
            "area: {generator: values.number, params: {low: = people,",
        ),
    )
    assert cycles(dependency_graph(spec)) == [[("land", "area"), ("land", "people"), ("town", "people")]]


def test_a_column_that_needs_itself_is_a_cycle_of_one():
    spec = small_spec(("params: {low: = from + 1", "params: {low: = until + 1"))
    assert cycles(dependency_graph(spec)) == [[("works_for", "until")]]


def test_a_constraint_draws_again_the_last_that_it_reads_from_its_own_row():
    constraints = small_spec(
        (
            "- {on: firm, sql: founded > town.chartered}",
            "- {on: firm, sql: year(opened) > founded}\n"
            "  - {on: firm, sql: age < 2000}\n"
            "  - {on: firm, sql: staff < 100}\n"
            "  - {on: works_for, sql: until > from, redraw: from}",
        )
    )
    redrawn = redrawn_columns(constraints)[:3]
    assert redrawn == ["opened", "founded", None]


def test_what_a_constraint_reads_stands_before_what_it_draws_again():
    spec = small_spec(
        ("- {on: firm, sql: founded > town.chartered}", "- {on: firm, sql: founded < year(opened), redraw: founded}")
    )
    assert stands_before(column_order(spec), ("firm", "opened"), ("firm", "founded"))
    assert stands_before(column_order(SPEC), ("firm", "founded"), ("firm", "opened"))


def test_a_constraint_that_draws_again_what_others_hang_on_closes_a_cycle():
    spec = small_spec(
        ("- {on: firm, sql: founded > town.chartered}", "- {on: works_for, sql: until > from, redraw: from}")
    )
    graph = dependency_graph(spec)
    assert cycles(graph) == [[("works_for", "from"), ("works_for", "until")]]
    assert graph.edges[("works_for", "until"), ("works_for", "from")]["constraint"] == 0
