"""Components of a reward by hand: what was found, at what cost, in what form, and what was asked twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_examples import fenced

from worldforge.scoring.reward_components import coverage, efficiency, first_shown, format_score, redundant

COLUMNS = ["Club", "Founded"]
TABLE = "| Club | Founded |\n|---|---|\n| Velmar Rovers | 1911 |\n"
FENCED = f"```markdown\n{TABLE}```"


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        (FENCED, 1.0),
        (f"Here it is.\n\n{FENCED}\nThat is all.", 1.0),
        ("```markdown\n| founded | CLUB |\n|---|---|\n| 1911 | Velmar Rovers |\n| 1898 | Torvik City |\n```", 1.0),
        (TABLE, 0.5),
        (f"```\n{TABLE}```", 0.5),
        (f"```python\n{TABLE}```", 0.5),
        (f"```markdown\n{TABLE}", 0.5),
        (f"{FENCED}\n{FENCED}", 0.5),
        (f"{TABLE}\n{FENCED}", 0.5),
        (f"```markdown\n{TABLE}\n{TABLE}```", 0.5),
        (f"{FENCED}\nHere a | stands.", 0.5),
        ("```markdown\n| Club | Founded |\n|---|---|\n| Velmar Rovers | 1911 | 3 |\n```", 0.5),
        ("```markdown\n| Club | Founded |\n|---|---|\n| Velmar Rovers |\n```", 0.5),
        ("```markdown\n| Club | Founded | Town |\n|---|---|---|\n| Velmar Rovers | 1911 | Velmar |\n```", 0.25),
        ("```markdown\n| Club | Club | Founded |\n|---|---|---|\n| a | a | 1911 |\n```", 0.25),
        ("```markdown\n| Club |\n|---|\n| Velmar Rovers |\n```", 0.25),
        ("```markdown\n| Club | Founded |\n|---|---|\n```", 0.0),
        ("```markdown\nVelmar Rovers, 1911\n```", 0.0),
        ("I do not know.", 0.0),
        ("", 0.0),
    ],
)
def test_form_is_one_fenced_table_with_the_columns_asked_for(answer, score):
    assert format_score(answer, COLUMNS) == score


@given(st.text(st.sampled_from("|-`\n ab\\"), max_size=80) | st.text())
def test_form_is_a_score_whatever_the_text(text):
    for answer in (text, FENCED + text, text + FENCED):
        assert format_score(answer, COLUMNS) in (0.0, 0.25, 0.5, 1.0)


@given(st.permutations(range(3)), st.integers(1, 4))
def test_form_does_not_ask_for_an_order(order, n_rows):
    columns = ["Club", "Founded", "Town"]
    assert format_score(fenced([columns[i] for i in order], [["a", "b", "c"]] * n_rows), columns) == 1.0


def calls(*asked):
    return list(asked)


@pytest.mark.parametrize(
    ("asked", "n"),
    [
        ([("search", '{"query": "a"}', False), ("search", '{"query":"a"}', False)], 1),
        ([("search", '{"query": "a", "page": 1}', False), ("search", '{"page":1,"query":"a"}', False)], 1),
        ([("search", '{"query": "a"}', True), ("search", '{"query": "a"}', False)], 0),
        ([("search", '{"query": "a"}', True)] * 3, 0),
        ([("search", '{"query": "a"}', False), ("search", '{"query": "a"}', True)], 1),
        ([("search", '{"query": "a"}', False)] * 4, 3),
        ([("search", '{"query": "a"}', False), ("open", '{"query": "a"}', False)], 0),
        ([("search", '{"query": "a"}', False), ("search", '{"query": "A"}', False)], 0),
        ([("search", '{"queries": ["a", "b"]}', False), ("search", '{"queries": ["b", "a"]}', False)], 0),
        ([("search", "not JSON", False), ("search", " not JSON\n", False)], 1),
        ([("search", "[" * 100_000, False)] * 2, 1),
        ([("search", '{"query": "Torvik \\u00e9"}', False), ("search", '{"query": "Torvik é"}', False)], 1),
        ([], 0),
    ],
)
def test_a_call_is_redundant_where_it_repeats_one_that_was_answered(asked, n):
    assert sum(redundant(calls(*asked))) == n


def test_coverage_and_efficiency_count_cells():
    assert (coverage(3, 6), coverage(6, 6), coverage(0, 6)) == (0.5, 1.0, 0.0)
    assert (efficiency(6, 3), efficiency(0, 4), efficiency(0, 0)) == (2.0, 0.0, 0.0)


@given(st.lists(st.lists(st.integers(0, 20))))
def test_a_step_gains_what_no_step_before_it_showed(shown):
    gained = first_shown(shown)
    told = [cell for cells in gained for cell in cells]
    assert len(told) == len(set(told)) and set(told) == {cell for cells in shown for cell in cells}
    assert all(set(new) <= set(cells) for new, cells in zip(gained, shown, strict=True))
    first = {cell: next(step for step, cells in enumerate(shown) if cell in cells) for cell in told}
    assert all(cell in gained[step] for cell, step in first.items())
