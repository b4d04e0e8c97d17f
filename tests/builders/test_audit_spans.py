"""The check on spans finds what stands elsewhere in a text, or on no page."""

import pyarrow as pa
import pytest

from worldforge.builders.audit.check_mentions import check_spans


def tables(pages, mentions):
    names = ("page", "start", "end", "value")
    columns = dict(zip(names, zip(*mentions, strict=True), strict=True))
    facts = [f"club/{number:04d}#name" for number in range(len(mentions))]
    return pa.table({"text": pa.array(pages, pa.string())}), pa.table({**columns, "fact": facts})


def test_one_character_beside_it_is_found():
    page = "Über 年🙂 wrote 12,400."
    for value in ("Über", "年", "🙂 wrote", "12,400"):
        at = page.index(value)
        moved = [("page/000001", at + d, at + len(value) + d, value) for d in (0, 1, -1)]
        found = check_spans(*tables(["", page], moved))
        assert (found.n_checked, found.n_failed) == (3, 2)
        assert found.failures[0].startswith(f"page/000001: characters {at + 1} to {at + 1 + len(value)} are ")
        assert found.failures[0].endswith(f", not `{value}` (club/0001#name)")


@pytest.mark.parametrize("page", ["page/000001", "page/000009", None])
def test_a_page_without_a_text_states_nothing(page):
    assert check_spans(*tables(["ab", None], [(page, 0, 1, "a"), ("page/000000", 0, 1, "a")])).n_failed == 1


def test_what_is_no_text_is_refused():
    broken = pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xc3("))
    pages, mentions = tables(["ab"], [("page/000000", 0, 1, "a")])
    for given_pages, given_mentions in (
        (pa.table({"text": broken}), mentions),
        (pages, mentions.set_column(3, "value", broken)),
    ):
        with pytest.raises(ValueError):
            check_spans(given_pages, given_mentions)
