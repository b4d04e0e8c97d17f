"""What must hold for every gold table and every answer."""

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_examples import DATE, DATE_NEAR, EXACT_NUMBER, IN_MATCH, JUDGED, NUMBER, TEXT, URL, fenced, gold_table

from worldforge.scoring.answer_score import Score
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.strict_scorer import score_strict

steady = settings(deadline=None)  # the machine may be busy
PIPELINES = [TEXT, NUMBER, EXACT_NUMBER, DATE, DATE_NEAR, IN_MATCH, URL, JUDGED]
CELLS = st.one_of(
    st.sampled_from(["", "Velmar", "**Velmar**", "united kingdom", "u", "2020", "12,400", "12.4", "5%", "n/a", "nan"]),
    st.sampled_from(["2024-06-18", "18 June 2024", "June 2024", "soon", "https://a.sarn/x", "see www.b.sarn", "-"]),
    st.text(st.characters(exclude_characters="|\\`\n\r", exclude_categories=["Cs", "Cc", "Z"]), max_size=8),
)
MARKDOWN = st.text(st.sampled_from('|-`:*"\\\n ab1,.%[(\u2003\x00'), max_size=80)
PIECES = st.sampled_from(
    ["```markdown\n", "```", "\n", "| Key | A |\n", "|---|---|\n", "| x | 1 |\n", '| "x | 1 |\n', "|"]
)


@st.composite
def golds(draw: st.DrawFn):
    pipelines = [TEXT, *draw(st.lists(st.sampled_from(PIPELINES), min_size=1, max_size=3))]
    labels = ["Key", "A", "B", "C"][: len(pipelines)]
    n_rows = draw(st.integers(1, 5))
    rows = [[f"row {number}", *(draw(CELLS) for _ in labels[1:])] for number in range(n_rows)]
    return gold_table(dict(zip(labels, pipelines, strict=True)), rows)


@st.composite
def tables(draw: st.DrawFn, gold):
    """A table that has much in common with `gold`: some of its columns and rows, with cells changed."""
    columns = draw(st.lists(st.sampled_from(range(len(gold.columns))), min_size=1, unique=True))
    kept = draw(st.lists(st.sampled_from(gold.rows), max_size=6))
    rows = [[draw(CELLS) if draw(st.integers(0, 5)) == 0 else row[column] for column in columns] for row in kept]
    return [gold.columns[column] for column in columns], rows


def numbers(score: Score) -> list[float]:
    return [value for value in dataclasses.asdict(score).values() if isinstance(value, float)]


@steady
@given(golds(), st.randoms(use_true_random=False))
def test_gold_scores_one_in_any_order(gold, random):
    columns = random.sample(range(len(gold.columns)), len(gold.columns))
    rows = random.sample(gold.rows, len(gold.rows))
    answer = fenced([gold.columns[i] for i in columns], [[row[i] for i in columns] for row in rows])
    score = score_strict(answer, gold)
    assert score.success
    assert set(numbers(score)) == {1.0}


@steady
@given(st.data())
def test_no_answer_beats_gold(data):
    gold = data.draw(golds())
    score = score_strict(fenced(*data.draw(tables(gold))), gold)
    assert all(0 <= number <= 1 for number in numbers(score))
    assert score.success == (score.item_f1 == 1)


@steady
@given(st.data(), st.randoms(use_true_random=False))
def test_order_never_matters(data, random):
    gold = data.draw(golds())
    labels, rows = data.draw(tables(gold))
    order = random.sample(range(len(labels)), len(labels))
    shuffled = random.sample(rows, len(rows))
    answer = fenced([labels[i] for i in order], [[row[i] for i in order] for row in shuffled])
    assert score_strict(answer, gold) == score_strict(fenced(labels, rows), gold)


@steady
@given(st.data())
def test_padding_never_raises_f1(data):
    gold = data.draw(golds())
    labels, rows = data.draw(tables(gold))
    plain = score_strict(fenced(labels, rows), gold)
    junk = [["no such row", *(data.draw(CELLS) for _ in labels[1:])] for _ in range(data.draw(st.integers(0, 2)))]
    said_again = data.draw(st.lists(st.sampled_from(rows), max_size=2)) if rows else []
    label = data.draw(st.sampled_from([*labels, "Extra", ""]))
    wider = [[*row, data.draw(CELLS)] for row in [*rows, *said_again, *junk]]
    for padded in (fenced(labels, [*rows, *said_again, *junk]), fenced([*labels, label], wider)):
        score = score_strict(padded, gold)
        assert score.item_f1 <= plain.item_f1
        assert score.row_f1 <= plain.row_f1


@steady
@given(st.data())
def test_a_second_opinion_on_a_row_never_pays(data):
    gold = data.draw(golds())
    labels, rows = data.draw(tables(gold))
    changed = [[row[0], *(data.draw(CELLS) for _ in row[1:])] for row in rows]
    both = score_strict(fenced(labels, [*rows, *changed]), gold)
    assert both.item_f1 <= score_strict(fenced(labels, rows), gold).item_f1


@steady
@given(st.data())
def test_saying_it_again_in_another_table_never_pays(data):
    gold = data.draw(golds())
    labels, rows = data.draw(tables(gold))
    plain = score_strict(fenced(labels, rows), gold)
    again = data.draw(st.lists(st.sampled_from(rows), max_size=4)) if rows else []
    junk = [["no such row", *(data.draw(CELLS) for _ in labels[1:])] for _ in range(data.draw(st.integers(0, 2)))]
    first, second = fenced(labels, rows), fenced(labels, [*again, *junk])
    score = score_strict(f"{first}\n\n{second}", gold)
    assert score == score_strict(f"{second}\n\n{first}", gold)
    assert score.item_f1 <= plain.item_f1
    assert score.row_f1 <= plain.row_f1


@steady
@given(st.data(), st.text(st.characters(exclude_characters="|`", exclude_categories=["Cs"])))
def test_words_around_a_table_change_nothing(data, words):
    gold = data.draw(golds())
    answer = fenced(*data.draw(tables(gold)))
    assert score_strict(f"{words}\n{answer}\n{words}", gold) == score_strict(answer, gold)


@steady
@given(st.data())
def test_a_row_under_several_of_its_names_counts_once(data):
    plain_gold = data.draw(golds())
    names = {f"alias {n} of {row[0]}": row[0] for row in plain_gold.rows for n in range(3)}
    gold = dataclasses.replace(plain_gold, aliases={"Key": names})
    labels, rows = data.draw(tables(gold))
    if labels[0] != "Key":
        labels, rows = list(gold.columns), [list(row) for row in gold.rows]
    renamed = [[data.draw(st.sampled_from([name for name in names if names[name] == row[0]])), *row[1:]] for row in rows
               if row[0] in names.values()]  # fmt: skip
    plain, both = score_strict(fenced(labels, rows), gold), score_strict(fenced(labels, [*rows, *renamed]), gold)
    assert both.item_f1 <= plain.item_f1 and both.row_f1 <= plain.row_f1
    assert all(0 <= number <= 1 for number in numbers(both))


@steady
@given(st.data())
def test_putting_a_cell_right_never_costs(data):
    gold = data.draw(golds())
    wrong = [[row[0], *(data.draw(CELLS) for _ in row[1:])] for row in gold.rows]
    place, column = data.draw(st.integers(0, len(wrong) - 1)), data.draw(st.integers(1, len(gold.columns) - 1))
    mended = [list(row) for row in wrong]
    mended[place][column] = gold.rows[place][column]
    before, after = (score_strict(fenced(gold.columns, rows), gold) for rows in (wrong, mended))
    assert after.item_f1 >= before.item_f1 and after.row_f1 >= before.row_f1


@settings(max_examples=300, deadline=None)
@given(golds(), st.one_of(st.text(), MARKDOWN, st.lists(PIECES | MARKDOWN, max_size=12).map("".join)))
def test_no_text_raises(gold, text):
    for score in (score_strict(text, gold), score_compatible(text, gold)):
        assert all(math.isfinite(number) and number >= 0 for number in numbers(score))
    assert all(number <= 1 for number in numbers(score_strict(text, gold)))


@pytest.mark.parametrize("score", [score_strict, score_compatible])
@pytest.mark.parametrize("answer", ["", "I found nothing.", "```markdown\n```", "| a", fenced(["Key", "A"], [])])
def test_an_empty_answer_scores_nothing(score, answer):
    result = score(answer, gold_table({"Key": TEXT, "A": NUMBER}, [["x", "1"]]))
    assert set(numbers(result)) == {0.0}
    assert not result.success
    assert result.reason
