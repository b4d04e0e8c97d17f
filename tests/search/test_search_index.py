import datetime
import errno
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.search import tantivy_index as engine
from worldforge.search.search_index import open_index

WORDS = [
    "harbour",
    "market",
    "granite",
    "lantern",
    "orchard",
    "ferry",
    "bishop",
    "copper",
    "meadow",
    "tower",
    "winter",
    "bridge",
]


def _sentences(n_pages, seed=3):
    """Pages of words drawn from a short list: common words, repeated lengths, many equal scores."""
    draw = random.Random(seed)
    return [
        {
            "title": f"{draw.choice(WORDS).title()} {number % 7}",
            "text": " ".join(draw.choices(WORDS, k=draw.choice([8, 12, 40]))) + f" unique{number}.",
            "authority": draw.choice([0.5, 1.0, 2.0]),
        }
        for number in range(n_pages)
    ]


def _content(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def index(build_index):
    return build_index(_sentences(60))


def test_words_find_the_pages_that_hold_them(build_index):
    index = build_index(
        [
            {"title": "Velmar", "text": "# Velmar\n\nVelmar is a town on the coast of the isles."},
            {"title": "Harbours", "text": "# Harbours\n\nThe ferry to Velmar leaves at noon."},
            {"title": "Ostra", "text": "# Ostra\n\nOstra lies inland, among orchards and cities."},
        ]
    )
    hits = index.search("Velmar")
    assert [hit.title for hit in hits] == ["Velmar", "Harbours"]
    assert hits[0].url == "https://wiki.example/0"
    assert hits[0].snippet == "Velmar is a town on the coast of the isles."
    assert hits[0].published == datetime.date(2030, 1, 1)
    assert [hit.page for hit in index.search("a city with an ORCHARD?!")] == [2]


def test_a_title_outweighs_the_same_word_in_a_text(build_index):
    index = build_index(
        [
            {"title": "Notes", "text": "copper"},
            {"title": "Copper", "text": "notes"},
            *[{"text": "other words"} for _ in range(8)],
        ]
    )
    assert [hit.page for hit in index.search("copper")] == [1, 0]


def test_link_targets_and_marks_are_no_words(build_index):
    text = (
        "# Head\n\n| Town | [Ostra](https://wiki.example/zanzibar) |\n|---|---|\n\nSee https://elsewhere.example/quux."
    )
    index = build_index([{"title": "A", "text": text}])
    assert index.search("zanzibar quux https wiki elsewhere") == []
    assert index.search("ostra")[0].snippet == "See Town Ostra"


def test_nothing_is_found_for_nothing(index):
    assert index.search("") == index.search(' "(+-!') == index.search("quux zanzibar") == []


def test_stop_words_are_asked_only_when_alone(build_index):
    index = build_index(
        [{"title": "The Who", "text": "A band."}, {"title": "Copper", "text": "Of the earth, and that."}]
    )
    assert [hit.page for hit in index.search("the copper of and")] == [1]
    assert {hit.page for hit in index.search("the")} == {0, 1}


def test_words_of_most_pages_give_way_to_rarer_ones(build_index):
    pages = [{"text": f"ferry ferry ferry {'granite' if number == 7 else 'meadow'}"} for number in range(10)]
    index = build_index(pages)
    assert [hit.page for hit in index.search("ferry granite")] == [7]
    assert len(index.search("ferry")) == 10


def test_equal_scores_are_ordered_by_authority_then_date_then_a_hash(build_index):
    draw = random.Random(5)
    pages = [
        {
            "title": "Ferry",
            "text": "The ferry leaves.",
            "authority": draw.choice([0.5, 3.0]),
            "published": draw.choice([datetime.date(2029, 1, 1), datetime.date(2030, 1, 1), None]),
        }
        for _ in range(60)
    ]
    for index in (build_index(pages), build_index(pages, shard_bytes=100)):
        hits = index.search("ferry", limit=60)
        assert len({hit.score for hit in hits}) == 1
        ranks = [(-pages[hit.page]["authority"], _age(pages[hit.page]["published"])) for hit in hits]
        assert ranks == sorted(ranks)
        group = [hit.page for hit, rank in zip(hits, ranks, strict=True) if rank == ranks[0]]
        assert len(group) > 5 and group != sorted(group) and group != sorted(group, reverse=True)
        assert [index.search("ferry", limit=limit) for limit in (10, 11)] == [hits[:10], hits[:11]]


def _age(published):
    return -published.toordinal() if published else 0


def test_the_same_pages_give_the_same_bytes(index_folder):
    pages = _sentences(200)
    for shard_bytes in (1 << 28, 2_000):
        first = index_folder(f"first-{shard_bytes}", pages, shard_bytes=shard_bytes)
        second = index_folder(f"second-{shard_bytes}", pages, shard_bytes=shard_bytes)
        assert _content(first) == _content(second)
        assert not [name for name in _content(first) if "shard" in name]
        assert not [name for name in _content(first) if "lock" in name]


def test_many_workers_write_what_one_does(index_folder):
    pages = _sentences(200)
    one = index_folder("by one", pages, shard_bytes=2_000)
    assert _content(index_folder("by two", pages, shard_bytes=2_000, workers=2)) == _content(one)


def test_many_segments_rank_as_one_does(index_folder):
    pages = _sentences(200)
    one = open_index(index_folder("one", pages))
    many = open_index(index_folder("many", pages, shard_bytes=2_000))
    assert one.searcher.num_segments == 1 and many.searcher.num_segments > 5
    for query in [*WORDS, "granite harbour", "winter bridge tower", "unique150", "ferry 3"]:
        assert one.search(query, limit=25) == many.search(query, limit=25)


def test_opening_and_searching_write_nothing(index_folder):
    folder = index_folder("world", _sentences(30))
    before = {path: path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]}
    index = open_index(folder)
    assert index.search("granite") and index.page("https://wiki.example/3")
    assert {path: path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]} == before


def test_an_open_index_outlives_its_folder(index_folder):
    folder = index_folder("world", _sentences(30))
    index = open_index(folder)
    expected = index.search("granite")
    shutil.rmtree(folder)
    assert index.search("granite") == expected


def test_a_page_is_read_back_verbatim(build_index):
    text = "# Ü\n\n| a | b |\n|---|---|\n\n  *Spaced*  [x](y)\r\n\u2028end \U0001f6a2\n"
    index = build_index([{"text": "other"}, {"url": "https://a.example/é?q=1", "title": "Ü", "text": text}])
    page = index.page(" https://a.example/é?q=1#top\n")
    assert page is not None
    assert (page.page, page.title, page.text) == (1, "Ü", text)
    assert index.page("https://a.example/") is index.page("") is index.page("\ud800") is None


def test_no_pages_make_an_index_too(build_index):
    index = build_index([])
    assert index.n_pages == 0 and index.search("ferry") == [] and index.page("https://wiki.example/0") is None


def _truncate_engine(folder: Path) -> None:
    next((folder / "tantivy").glob("*.idx")).write_bytes(b"")


def _spoil(name: str):
    return lambda folder: (folder / name).write_bytes(b"not what was written")


@pytest.mark.parametrize(
    "damage",
    [shutil.rmtree, _truncate_engine, _spoil("pages.arrow"), _spoil("ranking.json"), _spoil("tantivy/meta.json")],
)
def test_a_damaged_index_is_reported(index_folder, damage):
    folder = index_folder("world", _sentences(5))
    damage(folder)
    with pytest.raises(InputError, match="index"):
        open_index(folder)


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*WORDS, '"', "(", "AND", "title:", "*", "~2", "\ud800"])).map(" ".join)
)
@settings(max_examples=300, deadline=None)
def test_any_query_is_answered(index, query):
    hits = index.search(query, limit=5)
    assert len(hits) <= 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.page for hit in hits}) == len(hits)


def test_endless_queries_are_cut(index):
    assert index.search("granite " + "word " * 100_000)[0].snippet
    assert index.search("x" * 1_000_000) == []


_ON_A_SMALL_DISK = """
import resource, sys
from pathlib import Path
from worldforge.search.tantivy_index import document, index_shard

documents = [document(page, [f"https://a.example/{page}"], f"{page}", f"word{page}") for page in range(2_000)]
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))
try:
    index_shard(Path(sys.argv[1]), documents)
except OSError as error:
    print(error.strerror, error.filename)
"""


def test_a_disk_that_takes_no_more_of_an_index_is_told_with_the_folder_and_nothing_stays(tmp_path):
    folder = tmp_path / "shard"
    ran = subprocess.run([sys.executable, "-c", _ON_A_SMALL_DISK, folder], capture_output=True, text=True, check=True)
    assert ran.stdout == f"File too large {folder}\n"
    assert not folder.exists()


def test_words_of_the_engine_for_a_full_disk_are_the_systems_error(tmp_path):
    told = 'IoError { io_error: Custom { kind: StorageFull, error: PathError { path: "/w", err: Os { code: 28, kind: …'
    error = engine._as_os_error(ValueError(told), tmp_path)
    assert (type(error), error.errno, error.filename) == (OSError, errno.ENOSPC, str(tmp_path))
    other = ValueError("Schema error: 'No such field'")
    assert engine._as_os_error(other, tmp_path) is other
