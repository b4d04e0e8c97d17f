"""The tables of an answer, however it is written."""

import pytest

from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.answer_tables import AnswerTable, read_tables

TABLE = "| Club | Founded |\n|---|---|\n| Velmar Rovers | 1911 |"
READ = AnswerTable(("Club", "Founded"), (("Velmar Rovers", "1911"),))


@pytest.mark.parametrize(
    "answer",
    [
        f"```markdown\n{TABLE}\n```",
        f"Here it is:\n\n```Markdown\n{TABLE}\n```\nThat is all.",
        f"```md\n{TABLE}\n```",
        f"```markdown {TABLE}```",
        f"```markdown\n{TABLE}",
        f"```\n{TABLE}\n```",
        f"The table:\n{TABLE}\nThat is all.",
        TABLE.replace("|---|---|\n", ""),
        TABLE.replace("| ", "").replace(" |", "").replace("Club", "Club |").replace("Rovers", "Rovers |"),
        TABLE.replace("|---|---|", "| :-: | -: |"),
        TABLE.replace("\n", "\r\n"),
        TABLE.replace("\n", "\n\n"),
        f"```markdown\n{TABLE}\n| | |\n```",
        f"|---|---|\n{TABLE}",
        f"``` python\nx | y\n```\n```markdown\n{TABLE}\n```",
        f"One | two, or | three.\n\n{TABLE}",
    ],
)
def test_one_table(answer):
    assert read_tables(answer) == [READ]


def test_all_fenced_tables_count():
    assert read_tables(f"```markdown\n{TABLE}\n```\nand\n```markdown\n{TABLE}\n```") == [READ, READ]
    assert read_tables(f"```markdown\n{TABLE}\n\n{TABLE}\n```") == [READ, READ]


def test_rows_after_a_gap_go_on_the_table_before():
    (table,) = read_tables(f"{TABLE}\n| -- | -- |\n\n| Torvik City | 1898 |")
    assert table.rows == (*READ.rows, ("--", "--"), ("Torvik City", "1898"))


def test_a_fence_without_a_table_does_not_hide_one():
    assert read_tables(f"```markdown\n{{data_content}}\n```\n{TABLE}") == [READ]


def test_a_row_is_as_wide_as_it_is_written():
    (table,) = read_tables("| A | B |\n|--|--|\n| 1 |\n| 1 | 2 | 3 |\n| - | - |")
    assert table.rows == (("1",), ("1", "2", "3"), ("-", "-"))
    assert table.n_cells == 2 + 3 + 2
    assert table.column(1) == ["", "2", "-"]


def test_a_pipe_may_be_escaped():
    assert read_tables("| A \\| B |\n|---|\n| 1 \\| |")[0] == AnswerTable(("A | B",), (("1 |",),))


@pytest.mark.parametrize("answer", ["", "no table here", "```markdown\n```", "|---|---|", "\n\n"])
def test_no_table(answer):
    with pytest.raises(UnscorableError, match="no table"):
        read_tables(answer)
