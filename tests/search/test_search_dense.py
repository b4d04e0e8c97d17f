"""Search by vectors beside words: exact, fused by reciprocal ranks, narrowed as any search, kept for good."""

import asyncio
import json

import numpy as np
import pytest
from embedding_server import bag, serving_embeddings
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.environments.search.dialects import AGENT_WORLD
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.models.chat import ToolCall
from worldforge.models.embedding import VARIABLE, NoEmbedderError
from worldforge.models.model import ModelUnavailableError
from worldforge.schema.web_section import Dense
from worldforge.search.dense_search import DEPTH, cut_passages
from worldforge.search.parsed_query import query_text
from worldforge.search.rerank import K, fuse
from worldforge.search.search_index import open_index

BAG = Dense(model="bag", passage_characters=200)
WORDS = ["harbour", "ferry", "chapel", "quarry", "orchard", "meadow", "lantern", "copper", "willow", "anchor", "barley"]


def page(row):
    """A page of words of its own; every third is long, so that it comes in several passages."""
    draw = np.random.default_rng(row)
    said = " ".join(draw.choice(WORDS, 90 if row % 3 == 0 else 20)) + f" entry{row}"
    return {"title": f"Page {row}", "text": said, "url": f"https://{'a' if row % 2 else 'b'}.example/{row}"}


PAGES = [page(row) for row in range(40)]


@pytest.fixture(scope="module")
def served():
    with serving_embeddings() as (server, address):
        yield server, address


@pytest.fixture
def server(served, monkeypatch):
    """The server, at hand by the environment."""
    served[0].salt, served[0].fails_after = "", None
    monkeypatch.setenv(VARIABLE, f"{served[1]}?retries=0")
    return served[0]


@pytest.fixture(scope="module")
def one_index(build_index, served):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, served[1])
        return build_index(PAGES, dense=BAG)


@pytest.fixture
def index(one_index, server):
    return one_index


def texts_of(index, row):
    title, plain = index.store.cells(row, "title", "plain")
    return cut_passages(title, plain, BAG.passage_characters)


def near(index, query, limit=DEPTH):
    """All pages by a plain product in numpy, nearest first: what is to come out."""
    asked = bag(query).astype(np.float16).astype(np.float32)
    best = [max(float(bag(text).astype(np.float16).astype(np.float32) @ asked) for text in texts_of(index, row))
            for row in range(index.n_pages)]  # fmt: skip
    return sorted(range(index.n_pages), key=lambda row: -best[row])[:limit]


def test_the_nearest_pages_are_those_of_a_plain_product(index):
    assert sum(len(texts_of(index, row)) > 1 for row in range(40)) > 10
    for query in ("ferry to the chapel", "lantern lantern copper", "entry7"):
        rows, cosines = index.dense.nearest(query, query_text(query), None)
        assert rows.tolist() == near(index, query)
        assert np.all(np.diff(cosines) <= 0)


def test_a_pages_own_words_find_it_first(index):
    for row in (0, 7, 39):
        for text in texts_of(index, row):
            rows, cosines = index.dense.nearest(text, text, None)
            assert (rows[0], pytest.approx(1, abs=2e-3)) == (row, cosines[0])


def test_equally_near_pages_come_in_the_order_of_ties(build_index, server):
    alike = [{"title": "Ferry", "text": "the ferry", "authority": float(row * 7 % 5)} for row in range(30)]
    index = build_index(alike, dense=BAG)
    by_words = [hit.page for hit in index.by_words_alone().search("ferry", 30)]
    assert index.dense.nearest("ferry", "ferry", None)[0].tolist() == by_words


@given(st.lists(st.tuples(st.permutations(range(8)), st.integers(0, 8), st.sampled_from([0.5, 1.0, 3.0])), max_size=4))
def test_fusion_is_its_formula(told):
    rankings = [(np.array(order[:n], np.int64), weight) for order, n, weight in told]
    pages, scores = fuse(rankings)
    expected = {}
    for rows, weight in rankings:
        for rank, row in enumerate(rows.tolist(), 1):
            expected[row] = expected.get(row, 0) + weight / (K + rank)
    assert dict(zip(pages.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected)


def test_results_are_fused(build_index, server):
    index = build_index(PAGES, dense=BAG.model_copy(update={"weight": 2.0}))
    query = "ferry chapel entry5"
    by_words = [hit.page for hit in index.by_words_alone().search(query, 100)]
    by_vectors = index.dense.nearest(query, query, None)[0].tolist()
    assert by_words != by_vectors[: len(by_words)]
    expected = dict.fromkeys(range(40), 0.0)
    for weight, ranking in ((1, by_words), (2, by_vectors)):
        for rank, row in enumerate(ranking, 1):
            expected[row] += weight / (60 + rank)
    found = index.search(query, 100)
    assert {hit.page: hit.score for hit in found} == pytest.approx(expected)
    assert [hit.score for hit in found] == sorted(expected.values(), reverse=True)


def test_what_no_page_holds_is_found_by_vectors_alone(build_index, served, server, monkeypatch):
    index = build_index(PAGES, dense=BAG)
    monkeypatch.setattr(served[0], "embed", lambda text, salt: bag(text.replace("vessel", "ferry"), salt))
    assert index.by_words_alone().search("vessel") == []
    assert [hit.page for hit in index.search("vessel", 5)] == near(index, "ferry", 5)


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("ferry site:a.example", lambda row: row % 2 == 1),
        ("ferry -site:a.example", lambda row: row % 2 == 0),
        ("ferry site:b.example -copper", lambda row: row % 2 == 0 and "copper" not in PAGES[row]["text"]),
        ('meadow "ferry chapel"', lambda row: "ferry chapel" in PAGES[row]["text"]),
        ('ferry -"willow" -anchor', lambda row: not {"willow", "anchor"} & {*PAGES[row]["text"].split()}),
        ("ferry site:c.example", lambda row: False),
    ],
)
def test_demands_hold_for_pages_that_vectors_find(index, query, holds):
    expected = {row for row in range(40) if holds(row)}
    assert {hit.page for hit in index.search(query, 100)} == expected


@pytest.mark.parametrize("query", ["", "  …!", "site:a.example", "-", '""'])
def test_queries_without_words_need_no_model(index, server, query):
    before = len(server.asked)
    assert index.search(query) == index.by_words_alone().search(query)
    assert len(server.asked) == before


def test_search_falls_short_as_it_does_by_words(build_index, server):
    loss = build_index(PAGES, dense=BAG, search={"recall_loss": 0.4}, seed=3)
    found = [hit.page for hit in loss.search("ferry", 100)]
    assert 10 < len(found) < 35
    assert [hit.page for hit in loss.search("FERRY", 100)] == found
    assert {hit.page for hit in loss.by_words_alone().search("ferry", 100)} <= {*found}
    assert {hit.page for hit in loss.search("copper lantern", 100)} != {*found}
    noisy = build_index(PAGES, dense=BAG, search={"ranking_noise": 1.0}, seed=3)
    plain = [hit.page for hit in build_index(PAGES, dense=BAG).search("ferry", 100)]
    drawn = [hit.page for hit in noisy.search("ferry", 100)]
    assert drawn != plain and sorted(drawn) == sorted(plain)
    assert len(build_index(PAGES, dense=BAG, search={"top_k": 3}).search("ferry", 100)) == 3


def test_however_many_are_asked_for_the_first_are_the_same(build_index, server):
    pages = [{"title": f"Ferry {row}", "text": "ferry " * (1 + row % 5)} for row in range(2 * DEPTH + 90)]
    index = build_index(pages, dense=BAG, search={"authority": 1.0, "recall_loss": 0.2})
    every = [hit.page for hit in index.search("ferry", 10_000)]
    assert len({*every}) == len(every) > DEPTH
    for limit in (1, 10, DEPTH, DEPTH + 200):
        assert [hit.page for hit in index.search("ferry", limit)] == every[:limit]


def test_a_build_that_was_stopped_goes_on_where_it_stood(index_folder, server, monkeypatch):
    monkeypatch.setattr("worldforge.search.dense_search._BATCH", 32)
    whole = index_folder("whole", PAGES, dense=BAG)
    server.asked.clear()
    server.fails_after = 2
    with pytest.raises(ModelUnavailableError, match="no room"):
        index_folder("stopped", PAGES, dense=BAG)
    assert not (whole.parents[1] / "stopped" / "index").exists()
    server.fails_after = None
    stopped = index_folder("stopped", PAGES, dense=BAG)
    kept, later = ({text for texts in asked for text in texts} for asked in (server.asked[:2], server.asked[3:]))
    assert len(kept & later) == 1  # by which the model is known to be the same
    for file in sorted((whole / "dense").iterdir()):
        assert (stopped / "dense" / file.name).read_bytes() == file.read_bytes(), file.name


def test_what_was_asked_before_needs_no_model(index, server, monkeypatch):
    found = index.search("ferry to the chapel")
    monkeypatch.delenv(VARIABLE)
    again = open_index(index.dense.archive.parent / "index")
    assert again.search("ferry to the chapel") == found
    with pytest.raises(NoEmbedderError, match="`bag`, and that model is not at hand") as told:
        again.search("ferry to the quarry")
    assert (told.value.exit_code, "--embedder" in told.value.hint) == (2, True)
    assert again.by_words_alone().search("ferry to the quarry")


def test_another_model_of_that_name_is_told(build_index, server):
    index = build_index(PAGES, dense=BAG)
    server.salt = "other weights"
    with pytest.raises(NoEmbedderError, match="of the same text it gives another vector"):
        index.search("ferry to the orchard")
    server.salt = ""
    assert index.search("ferry to the orchard")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("openai:fox@http://127.0.0.1:9/v1", "the model given is `fox`"),
        ("openai:bag@http://127.0.0.1:9/v1?retries=0", "gives no vectors"),
        ("openai:bag@http://127.0.0.1:9/v1?temperature=1", "a model that embeds does not write"),
        ("scripted:bag", "a model that embeds does not write"),
        ("nonsense", "no profile is called"),
    ],
)
def test_what_is_no_such_model_is_told(index, monkeypatch, address, message):
    monkeypatch.setenv(VARIABLE, address)
    with pytest.raises((InputError, ModelUnavailableError), match=message):
        index.search("a ferry that nobody has asked for")


def test_a_damaged_index_is_told(index_folder, server):
    folder = index_folder("damaged", PAGES, dense=BAG)
    said = json.loads((folder / "dense" / "dense.json").read_text())
    for wrong in (said | {"dimension": 3}, said | {"more": 1}, [], {}):
        (folder / "dense" / "dense.json").write_text(json.dumps(wrong))
        with pytest.raises(InputError, match="cannot be read"):
            open_index(folder)


def test_sessions_ask_the_model_together(index, server):
    sessions = [SearchEnvironment(index, AGENT_WORLD).session() for _ in range(20)]
    calls = [ToolCall("1", "web_search", json.dumps({"query": f"ferry number {at}"})) for at in range(20)]
    before = len(server.asked)

    async def together():
        return await asyncio.gather(*(one.step(call) for one, call in zip(sessions, calls, strict=True)))

    seen = asyncio.run(together())
    assert len(server.asked) - before <= 5
    for at in (0, 19):
        assert index.search(f"ferry number {at}")[0].url in seen[at].text


def test_pages_are_cut_between_words():
    words = " ".join(f"word{at}" for at in range(300))
    parts = cut_passages("Title", words, 200)
    assert " ".join(part.removeprefix("Title\n") for part in parts) == words
    assert max(map(len, parts)) <= 200 + len("Title\n")
    assert cut_passages("", "x" * 450, 200) == ["x" * 200, "x" * 200, "x" * 50]
    assert cut_passages("海", "港" * 450, 200) == ["海\n" + "港" * n for n in (200, 200, 50)]
    assert cut_passages("Title", "", 200) == ["Title"]
