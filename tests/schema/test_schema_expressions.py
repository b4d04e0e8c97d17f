"""Expressions: what may be said, what it reads, and that nothing else gets through."""

import re
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from schema_small import small_spec

from worldforge.core.errors import InputError
from worldforge.schema.expression_grammar import AGGREGATES, FUNCTIONS, TYPES, ExpressionError
from worldforge.schema.expressions import (
    Aggregate,
    Ranking,
    columns_read,
    compile_derived,
    compile_expression,
    compile_terms,
    inline_derived,
    resolve_over,
)

SPEC = small_spec()


def written(text, table="firm"):
    return compile_expression(text, table, SPEC).tree.sql("duckdb")


def refused(text, table="firm", over=None):
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, table, SPEC, over and resolve_over(SPEC, table, over))
    return caught.value


def test_paths_are_read_once_in_order_of_appearance():
    expression = compile_expression("town.land.area > founded or founded > town.chartered", "firm", SPEC)
    assert expression.paths == (("town", "land", "area"), ("founded",), ("town", "chartered"))


def test_columns_read_include_the_references_on_the_way():
    expression = compile_expression("target.town.chartered < from", "works_for", SPEC)
    assert columns_read(expression, SPEC) == (
        ("works_for", "target"),
        ("firm", "town"),
        ("town", "chartered"),
        ("works_for", "from"),
    )


def test_an_aggregate_reads_the_reference_it_runs_over():
    compiled = compile_derived(SPEC, "firm", "staff")
    assert isinstance(compiled, Aggregate)
    assert columns_read(compiled, SPEC) == (("works_for", "target"), ("works_for", "until"))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("founded", [('"founded"', False)]),
        ("founded DESC, age asc", [('"founded"', True), ('"age"', False)]),
        (" town.land.area desc ,name", [('"town.land.area"', True), ('"name"', False)]),
        (
            "greatest(founded, age) desc, age in (1, 2)",
            [('GREATEST("founded", "age")', True), ('"age" IN (1, 2)', False)],
        ),
    ],
)
def test_terms_are_parted_at_commas_outside_brackets(text, terms):
    compiled, descending = compile_terms(text, "firm", SPEC)
    assert [(one.tree.sql("duckdb"), way) for one, way in zip(compiled, descending, strict=True)] == terms


@pytest.mark.parametrize(
    ("text", "position"),
    [("", 0), (",", 0), ("age,", 3), ("age desc,,name", 9), ("age, nope", 5), ("age desc nulls first", 4), ("desc", 0),
     ("age; drop table firm", 3), ("age, count(*)", 5), ("age, rank() over ()", 5), ("name, (select 1)", 7)],
)  # fmt: skip
def test_what_is_no_term_is_refused_at_its_place(text, position):
    with pytest.raises(ExpressionError) as caught:
        compile_terms(text, "firm", SPEC)
    assert caught.value.position == position


def test_a_rank_reads_its_terms_and_what_it_is_within():
    spec = small_spec(("age: {sql: 2031 - founded}", "age: {rank: 'staff desc, town.people', within: town.land}"))
    compiled = compile_derived(spec, "firm", "age")
    assert isinstance(compiled, Ranking) and compiled.descending == (True, False)
    assert columns_read(compiled, spec) == (("firm", "staff"), ("firm", "town"), ("town", "people"), ("town", "land"))
    inlined = inline_derived(compile_expression("decades > 3", "firm", spec), spec)
    assert inlined.paths == (("age",),)  # a rank stays a name: it is no matter of one row


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("from < until", '"from" < "until"'),
        ("FROM < Until", '"from" < "until"'),
        ("extract(year from source.born) > from", 'EXTRACT(YEAR FROM "source.born") > "from"'),
        ("from is not distinct from until", '"from" IS NOT DISTINCT FROM "until"'),
        ("until is distinct from from", '"until" IS DISTINCT FROM "from"'),
        ("case when from > 1 then from else until end", 'CASE WHEN "from" > 1 THEN "from" ELSE "until" END'),
        ("from not in (1, 2) and until is not null", 'NOT "from" IN (1, 2) AND NOT "until" IS NULL'),
        ("source.born + interval 3 year", "\"source.born\" + INTERVAL '3' YEAR"),
        ("date '2020-01-31' > source.born", "CAST('2020-01-31' AS DATE) > \"source.born\""),
        ('"from" = 3', '"from" = 3'),
    ],
)
def test_words_of_sql_are_columns_where_an_operand_is_due(text, sql):
    assert written(text, "works_for") == sql


@pytest.mark.parametrize(
    "word", ["end", "when", "else", "group", "order", "limit", "left", "year", "date", "values", "select"]
)
def test_columns_may_be_called_like_words_of_sql(word):
    spec = small_spec(("founded: {", f"{word}: {{"), ("2031 - founded", "1 + 1"), ("founded >", "2000 >"))
    expression = compile_expression(f"case when {word} > {word} then {word} else {word} end", "firm", spec)
    assert expression.paths == ((word,),)


@pytest.mark.parametrize(
    "text",
    [
        "(select 1)",
        "exists (select 1)",
        "founded in (select 1)",
        "1; drop table firm",
        "count(*)",
        "sum(founded) over ()",
        "row_number() over (order by founded)",
        "random()",
        "uuid()",
        "now()",
        "current_date",
        "today()",
        "read_csv('/etc/passwd')",
        "getenv('HOME')",
        "glob('*')",
        "founded as x",
        "founded x",
        "*",
        "(1, 2)",
        "x -> x + 1",
        "[1, 2]",
        "{'a': 1}",
        "founded[1]",
        "?",
        "$1",
        "#1",
        "e'ab'",
        "x'ab'",
        "$$ab$$",
        "founded -- a comment",
        "founded /* a comment */ > 1",
        "founded::json",
        "cast(founded as int[])",
        "from firm",
        "founded > 1 limit 1",
        "founded union select 1",
        "'it does not end",
        "",
        "   ",
        "town.",
        ".town",
        "town..land",
        "founded(1)",
        "town.name(1)",
        "main.firm.founded",
        "firm.founded",
        "_self._row",
        "_row",
        "id",
        "(" * 500 + "1" + ")" * 500,
        "not " * 399 + "true",
        "1 +" * 5000 + "1",
    ],
)
def test_what_is_not_listed_is_refused(text):
    refused(text)


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        ("founded > fonded", 10, "did you mean `founded`?"),
        ("town.land.arae > 1", 0, "did you mean `area`?"),
        ("1 + yeer(opened)", 4, "did you mean `year`?"),
        (
            "founded + max(age)",
            10,
            "use `greatest` and `least` on values of one row; a derived column aggregates with `over`",
        ),
        ('name = "Velmar"', 7, "text is written in single quotes"),
        ("founded ; 1", 8, "leave it out: an expression is no statement"),
        ("founded > ) 1", 10, ""),
    ],
)
def test_refusals_say_where_and_what_instead(text, position, hint):
    error = refused(text)
    assert (error.position, error.hint) == (position, hint)


def test_a_value_has_no_columns_of_its_own():
    assert refused("founded.chartered").message == "`founded` of `firm` is no reference: nothing follows it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("founded", "`over` needs an aggregate"),
        ("count(*) + founded", "`founded` stands outside the aggregate"),
        ("sum(count(*))", "an aggregate cannot stand inside another"),
        ("sum(people) over ()", "`over` has no place here"),
        ("any_value(people)", "unknown function `any_value`"),
        ("string_agg(name, ',')", "unknown function `string_agg`"),
    ],
)
def test_an_aggregate_aggregates_and_nothing_else(text, message):
    text = text.replace("founded", "chartered")
    assert refused(text, "land", "town.land").message == message.replace("founded", "chartered")


def test_over_is_a_relation_or_a_reference_to_the_type():
    assert resolve_over(SPEC, "firm", "works_for").path == ("target",)
    assert resolve_over(SPEC, "person", "works_for").path == ("source",)
    assert resolve_over(SPEC, "town", "firm.town").table == "firm"
    for wrong in ("works_for", "firm.founded", "firm", "nothing", "town.land"):
        with pytest.raises(ExpressionError):
            resolve_over(SPEC, "town", wrong)


def test_a_relation_of_a_type_with_itself_is_aggregated_by_either_side():
    spec = small_spec(
        ("target: firm", "target: person"), ("staff: {over: works_for, sql: count(*), where: until is null}", "")
    )
    assert resolve_over(spec, "person", "works_for").path == ("source",)
    assert resolve_over(spec, "person", "works_for.target").path == ("target",)


def test_derived_columns_are_written_out_and_aggregates_stay():
    inlined = inline_derived(compile_expression("target.decades > target.staff", "works_for", SPEC), SPEC)
    assert inlined.paths == (("target", "founded"), ("target", "staff"))
    values = '(SELECT 2000 AS "target.founded", 2 AS "target.staff")'
    assert duckdb.sql(f"SELECT {inlined.tree.sql('duckdb')} FROM {values}").fetchall() == [(True,)]  # 31 // 10 > 2


def test_inlining_a_circle_is_an_error():
    spec = small_spec(("2031 - founded", "decades + 1"))
    with pytest.raises(ExpressionError, match="needs itself"):
        inline_derived(compile_expression("age", "firm", spec), spec)


CALLS = {
    "abs": "abs(-3)", "cast": "cast('3' as integer)", "ceil": "ceil(2.1)", "coalesce": "coalesce(null, 3)",
    "concat": "concat('a', null, 'b')", "contains": "contains('abc', 'b')",
    "date_add": "date_add(date '2020-01-31', interval 1 month)",
    "date_diff": "date_diff('year', date '2019-12-31', date '2020-01-01')",
    "date_part": "date_part('month', date '2020-03-01')",
    "date_sub": "date_sub('month', date '2020-01-31', date '2020-03-30')", "day": "day(date '2020-03-04')",
    "exp": "exp(0.5)", "extract": "extract(quarter from date '2020-05-01')", "floor": "floor(-2.5)",
    "greatest": "greatest(1, null, 3)", "if": "if(1 > 2, 'a', 'b')", "ifnull": "ifnull(null, 4)",
    "least": "least(1, null, 3)", "length": "length('äöü')", "ln": "ln(2.5)", "lower": "lower('ABC')",
    "make_date": "make_date(2020, 2, 29)", "mod": "mod(-7, 3)", "month": "month(date '2020-03-04')",
    "nullif": "nullif(3, 3)", "pow": "pow(2, 10)", "power": "power(2, 0.5)", "replace": "replace('aba', 'a', 'c')",
    "round": "round(2.345, 2)", "sign": "sign(-4)", "sqrt": "sqrt(2)", "starts_with": "starts_with('abc', 'ab')",
    "substring": "substring('abcdef', 2, 3)", "trim": "trim('  a ')", "upper": "upper('abc')",
    "year": "year(date '2020-03-04')",
}  # fmt: skip
OPERATIONS = [
    "7 / 2", "7 // 2", "-7 % 3", "2 ** 3", "2 ^ 3", "1 + 2 * 3 - (4 - 5)", "'a' || 'b'", "1 <> 2", "1 != 2", "1 == 1",
    "3 between 1 and 5", "3 not between 1 and 5", "'abc' like 'a%'", "'ABC' ilike 'a%'", "'abc' not like 'b%'",
    "null is null", "true and not false or false", "'it''s'", "1.50", "1e3", "3::double / 2", "(2 > 1)::varchar",
    "case 3 when 1 then 'a' when 3 then 'b' end", "date '2020-02-28' + 2", "date '2020-03-01' - date '2020-02-01'",
    "interval '2' day + date '2020-01-01'", "not (1 in (1, 2))", "- - 3",
]  # fmt: skip


def test_every_function_is_tried():
    assert sorted(CALLS) == sorted(FUNCTIONS)


@pytest.mark.parametrize("text", [*CALLS.values(), *OPERATIONS])
def test_what_is_written_means_what_was_read(text):
    assert duckdb.sql(f"SELECT {written(text)}").fetchall() == duckdb.sql(f"SELECT {text}").fetchall()


WORDS = [
    "founded", "town.land.area", "from", "case", "when", "then", "end", "(", ")", "+", "<", "and", "not", "is", "null",
    "1", "'a'", ",", "select", "year", "::", "date", "as", "in", "*", "count", ".", ";", "extract", "interval",
    "distinct",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_text_is_an_expression_or_refused(text):
    for over in (None, "works_for"):
        try:
            compile_expression(text, "firm", SPEC, over and resolve_over(SPEC, "firm", over))
        except InputError as error:
            assert error.message


def test_the_reference_names_every_function():
    reference = (Path(__file__).parents[2] / "docs" / "world_yaml.md").read_text(encoding="utf-8")
    listed = reference.partition("## Two notations")[2].partition("## Types and names")[0]
    assert {*FUNCTIONS, *AGGREGATES, *TYPES} <= {*re.findall(r"[a-z_]+", listed)}
