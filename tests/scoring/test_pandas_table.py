"""What is split without pandas comes out as pandas would have it, whatever the text; what cannot be goes to pandas."""

from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_examples import TEXT, gold_table

from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.pandas_table import _split, _split_by_pandas

PIECES = st.sampled_from([*"ab1.,| \t\n#'\\;\"\r\0\ufeff\u2028\x0b\x85\xa0\x1a", "|", "\n", "a|b\n", "Unnamed: 0", "é"])


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=24).map("".join))
def test_a_table_split_by_hand_is_what_pandas_reads(text):
    if split := _split(text, "|"):
        assert split == _split_by_pandas(text, "|")


def test_an_even_table_needs_no_pandas():
    assert _split("|Club|Founded|\n|Velmar Rovers|1911|\n|Torvik, City|1898|", "|") == [
        ("Club", ["Velmar Rovers", "Torvik, City"]),
        ("Founded", ["1911", "1898"]),
    ]


def test_a_label_as_pandas_makes_one_up_is_none():
    answer = "```markdown\n|  |\n| --- |\n| Unnamed: 0 |\n| x |\n```"
    assert score_compatible(answer, gold_table({"B": TEXT}, [("x",)])).reason == "columns differ: "
