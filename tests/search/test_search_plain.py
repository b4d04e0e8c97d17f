import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.search.page_store import plain_text

WORD = st.text("abcdefgÄé日0-9'’,", min_size=1, max_size=8).filter(lambda word: "---" not in word)
MARKINGS = [
    "{}",
    "**{}**",
    "[{}](https://a.example/x_(y)",
    "![{}](/i.png)",
    "\n## {}\n\n",
    "| {} |",
    "\n|---|---|\n{}",
    "`{}`",
    "\n> {}",
    "\n* {}",
]


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# Velmar\n\nVelmar is a town.\n", "Velmar is a town."),
        ("| Founded | 1903 |\n|---|---|\n| Area | 12,400 km² |", "Founded 1903 Area 12,400 km²"),
        ("See [Ostra](https://a.example/ostra), or [Velmar](/velmar).", "See Ostra, or Velmar."),
        ("(**bold**) and https://a.example/b?c=d too", "(bold) and too"),
        ("A well-known 3-1 win – of 1903", "A well-known 3-1 win – of 1903"),
        ("", ""),
        ("# Velmar", ""),
        ("#", ""),
        ("\n# Velmar", "Velmar"),
        ("| Town |\n# Velmar", "Velmar Town"),
    ],
)
def test_marks_go_and_words_stay(markdown, plain):
    assert plain_text(markdown) == plain


@given(st.lists(st.tuples(WORD, st.sampled_from(MARKINGS)), max_size=12))
def test_every_word_survives_every_mark(pieces):
    markdown = " ".join(mark.format(word) for word, mark in pieces)
    plain = plain_text(markdown)
    assert sorted(plain.split()) == sorted(word for word, _ in pieces)
    if not any(line.startswith("|") for line in markdown.splitlines()):
        assert plain == " ".join(word for word, _ in pieces)


def test_prose_comes_before_tables_and_rulers_leave_nothing():
    page = (
        "# Velmar\n\n| Town | Velmar |\n|:---|---:|\n| Mayor | Orren |\n\n**Velmar** is a town.\n\n## More\n\n- one\n"
    )
    assert plain_text(page) == "Velmar is a town. More - one Town Velmar Mayor Orren"
