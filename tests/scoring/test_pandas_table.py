"""A table as pandas reads it: types are guessed by column, blanks are `nan`, columns without a label are none."""

import pytest
from scoring_examples import TEXT, gold_table

from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.pandas_table import read_answer


@pytest.mark.parametrize(
    ("cells", "kind", "written"),
    [
        (["2020", "1911"], "i", ["2020", "1911"]),
        (["2020", ""], "f", ["2020.0", "nan"]),
        (["007", "12"], "i", ["7", "12"]),
        (["007", "twelve"], None, ["007", "twelve"]),
        (["true", "False"], "b", ["True", "False"]),
        (["True", "NA"], None, ["True", "nan"]),
        (["x", "None"], None, ["x", "nan"]),
        (["1e3", "-inf"], "f", ["1000.0", "-inf"]),
    ],
)
def test_columns_are_read_in_the_type_that_pandas_guesses(cells, kind, written):
    rows = "\n".join(f"| k | {cell} |" for cell in cells)
    table = read_answer(f"```markdown\n| Key | Cell |\n| --- | --- |\n{rows}\n```", 2)
    assert table["cell"] == written and kind in (None, table.kinds["cell"])


def test_a_label_as_pandas_makes_one_up_is_none():
    answer = "```markdown\n|  |\n| --- |\n| Unnamed: 0 |\n| x |\n```"
    assert score_compatible(answer, gold_table({"B": TEXT}, [("x",)])).reason == "columns differ: "
