"""JSON lines: what stands where, and what is said of a line that is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from worldforge.core.errors import InputError
from worldforge.core.json_lines import read_lines


class Line(BaseModel):
    text: str
    turn: int = 0


@given(texts=st.lists(st.text(st.characters(codec="utf-8"))))
def test_every_text_comes_back_from_its_line(tmp_path_factory, texts):
    """Whatever stands in it: separators of lines and paragraphs too, which JSON need not escape."""
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_bytes("".join(json.dumps({"text": text}, ensure_ascii=False) + "\n\n" for text in texts).encode())
    read = list(read_lines(path, Line))
    assert [line.text for _, line in read] == texts
    assert [place for place, _ in read] == [f"{path}:{2 * number + 1}" for number in range(len(texts))]


@pytest.mark.parametrize(
    ("line", "said"),
    [("{", "3: Invalid JSON"), ('{"text": "a", "turn": "x"}', "3: turn: "), ("[]", "3: "), ("{}", "3: text: ")],
)
def test_a_line_that_is_none_is_named(tmp_path, line, said):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "fine"}}\n\n{line}\n')
    with pytest.raises(InputError) as failed:
        list(read_lines(path, Line, "write it so"))
    assert f"{path}:{said}" in failed.value.message and failed.value.hint == "write it so"


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "b.jsonl").write_bytes(b'{"text": "\xff"}\n')
    for path in (tmp_path / "nowhere.jsonl", tmp_path, tmp_path / "b.jsonl"):
        with pytest.raises(InputError, match="cannot be read"):
            list(read_lines(path, Line))
