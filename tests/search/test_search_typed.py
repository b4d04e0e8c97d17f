"""What people type: phrases, sites, words not wanted, misspellings, Chinese. From the outside: pages in, hits out."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.search.analysis import _analyzer, query_words
from worldforge.search.parsed_query import parse_query

WORDS = ["harbour", "market", "granite", "lantern", "orchard", "ferry", "bishop", "copper", "meadow", "bridge"]
HOSTS = ["wiki.example", "news.example", "en.wiki.example", "notwiki.example", "wiki.example.example"]
TYPED = [
    '"',
    "“",
    "”",
    "-",
    "-copper",
    '-"granite ferry"',
    "site:",
    "site:wiki.example",
    "-site:wiki.example",
    "维尔",
    "~2",
    "\ud800",
]


@pytest.fixture(scope="module")
def pages():
    draw = random.Random(11)
    return [
        {
            "url": f"https://{draw.choice(HOSTS)}/{number}",
            "title": f"{draw.choice(WORDS).title()} {number % 7}",
            "text": " ".join(draw.choices(WORDS, k=30)),
        }
        for number in range(80)
    ]


@pytest.fixture(scope="module")
def index(build_index, pages):
    return build_index(pages)


@pytest.fixture(scope="module")
def chinese(build_index):
    return build_index(
        [
            {
                "title": "维尔马",
                "text": "# 维尔马\n\n维尔马是一座海港城市，Velmar在北岸。人口12400人。",
                "language": "zh",
            },
            {"title": "奥斯特拉", "text": "# 奥斯特拉\n\n奥斯特拉位于内陆，距维尔马甚远。", "language": "zh"},
            {"title": "Velmar", "text": "# Velmar\n\nVelmar (维尔马) is a harbour town.", "language": "en"},
            {"title": "Ostra", "text": "# Ostra\n\nOstra lies far from Velmar.", "language": "en"},
            {
                "title": "长文",
                "text": "# 长文\n\n" + "山川河流，" * 300 + "终于到达海港。" + "云雨风雪，" * 300,
                "language": "zh",
            },
        ]
    )


def found(index, query, limit=100):
    return {hit.page for hit in index.search(query, limit)}


def test_a_phrase_is_found_where_its_words_stand_together(build_index):
    index = build_index(
        [
            {"title": "A", "text": "The old market square of Orsk."},
            {"title": "B", "text": "The market is old, and the square is new."},
            {"title": "Old Market", "text": "Nothing else."},
            {"title": "D", "text": "Orsk has an old market hall."},
        ]
    )
    assert found(index, "old market") == {0, 1, 2, 3}
    assert found(index, '"old market"') == found(index, "“OLD markets”") == {0, 2, 3}
    order = [hit.page for hit in index.search('"old market" square')]
    assert set(order) == {0, 2, 3} and order.index(0) < order.index(3)
    assert found(index, '"the square is new"') == {1}
    assert found(index, '"market old"') == found(index, '"old market" "square is new"') == set()


def test_a_quote_left_open_is_text(build_index):
    index = build_index([{"text": "a market, old"}, {"text": "other"}, {"text": "words"}])
    assert found(index, '"old market') == found(index, 'old market"') == found(index, '"" old') == {0}


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_a_phrase_finds_no_more_than_its_words(index, pages, words):
    phrase = " ".join(words)
    holding = {row for row, page in enumerate(pages) if f" {phrase} " in f" {page['text']} "}
    titled = {row for row, page in enumerate(pages) if page["title"].lower().startswith(phrase)}
    assert found(index, f'"{phrase}"') == holding | titled


@pytest.mark.parametrize(
    ("site", "hosts"),
    [
        ("wiki.example", {"wiki.example", "en.wiki.example"}),
        ("WIKI.example/", {"wiki.example", "en.wiki.example"}),
        ("https://en.wiki.example", {"en.wiki.example"}),
        ("example", set(HOSTS)),
        ("iki.example", set()),
        ("nowhere.example", set()),
    ],
)
def test_a_site_is_a_host_or_its_end(index, pages, site, hosts):
    on_site = {row for row, page in enumerate(pages) if page["url"].split("/")[2] in hosts}
    assert found(index, f"site:{site}") == on_site
    assert found(index, f"ferry site:{site}") == found(index, "ferry") & on_site
    assert found(index, f"ferry -site:{site}") == found(index, "ferry") - on_site


def test_a_site_may_be_narrowed_by_path(index, pages):
    url = pages[5]["url"]
    host, path = url.split("/")[2:]
    below = {row for row, page in enumerate(pages) if f".{host}/{path}" in page["url"].replace("//", ".")}
    assert 5 in below and found(index, f"site:{url}") == below


def test_words_not_wanted_are_left_out(index):
    assert found(index, "ferry -copper") == found(index, "ferry") - found(index, "copper")
    assert found(index, 'ferry -"copper bridge"') == found(index, "ferry") - found(index, '"copper bridge"')
    assert found(index, "-copper") == found(index, "copper")
    assert found(index, "ferry - copper -5 well-copper") == found(index, "ferry copper 5 well")


@given(st.lists(st.sampled_from([*WORDS, *TYPED]) | st.text(max_size=6), max_size=8).map(" ".join))
@settings(max_examples=200, deadline=None)
def test_whatever_is_typed_is_answered_alike(index, chinese, query):
    for one in (index, chinese):
        hits = one.search(query, 7)
        assert hits == one.search(query, 30)[:7] and len({hit.page for hit in hits}) == len(hits)


@given(
    st.lists(st.sampled_from(["ferry", "“old ferry”", *TYPED]) | st.text(max_size=6), max_size=4).map(" ".join),
    st.booleans(),
)
def test_a_quote_of_nothing_is_nothing(query, cjk):
    assert parse_query(f'{query.replace(chr(34), "")} ""', cjk=cjk) == parse_query(query.replace(chr(34), ""), cjk=cjk)


def test_a_misspelt_word_is_looked_up_by_the_nearest(build_index, index):
    for typo in ("granit", "grnaite", "granitte", "gramjte"):
        assert found(index, typo) == found(index, "granite")
    assert found(index, '"granitte"') == found(index, "kranjto") == set()
    assert found(index, "fe") == found(index, "fxrrx") == set()
    years = build_index([{"title": "A", "text": "Founded in 1986."}, {"title": "B", "text": "Ferry"}])
    assert found(years, "1987") == set()


def test_a_word_that_a_page_holds_is_never_taken_for_a_misspelling(build_index):
    index = build_index(
        [{"title": "A", "text": "Orska"}, {"title": "B", "text": "Orsko"}, {"title": "C", "text": "other"}]
    )
    assert found(index, "orska") == {0} and found(index, "orsk") == {0, 1}


def test_chinese_is_found_by_words_of_it(chinese):
    assert found(chinese, "海港") == {0, 4} and found(chinese, "内陆") == {1} and found(chinese, "陆") == {1}
    assert found(chinese, "维尔马") == {0, 1, 2} and chinese.search("维尔马")[0].page == 0
    assert found(chinese, "Velmar") == {0, 2, 3} and found(chinese, "12400") == {0}
    assert found(chinese, '"维尔马是"') == {0} and found(chinese, '"马维"') == set()
    assert found(chinese, '"Velmar" 内陆 site:wiki.example') == {0, 2, 3}
    assert found(chinese, "维尔马 -内陆") == {0, 2}


def test_a_snippet_of_chinese_shows_what_was_sought(chinese):
    (hit,) = [hit for hit in chinese.search("海港") if hit.page == 4]
    assert "终于到达海港" in hit.snippet and hit.snippet[0] == hit.snippet[-1] == "…" and len(hit.snippet) == 182
    assert hit.snippet.index("终于到达海港") <= 40


def test_pages_in_the_language_of_the_query_come_first(build_index, chinese):
    pages = [
        {"title": f"{n}", "text": "Velmar 维尔马", "language": language} for n, language in enumerate(["en", "zh"] * 4)
    ]
    index = build_index([*pages, *[{"text": "other"}] * 9], search={"language_boost": 0.5})
    assert {hit.page % 2 for hit in index.search("维尔马", 4)} == {1}
    assert {hit.page % 2 for hit in index.search("Velmar", 4)} == {0}


def test_an_index_without_such_writing_is_none_the_wiser(index_folder):
    plain = index_folder("plain", [{"title": "Ü", "text": "Café – “naïve” \U0001f6a2"}])
    assert json.loads((plain / "ranking.json").read_text()) == {"title_boost": 2.0, "common_share": 0.5}
    assert sorted(path.name for path in plain.iterdir()) == ["pages.arrow", "ranking.json", "tantivy"]
    assert "cjk" not in (plain / "tantivy" / "meta.json").read_text()


@given(st.text() | st.lists(st.sampled_from(["the", "of", "Ferries", "O'Hara's", "x" * 50, "維尔", "–"])).map(" ".join))
def test_words_are_told_one_by_one_as_they_are_together(text):
    together = _analyzer(stopwords=False).analyze(text)
    assert not together or query_words(text) == together
