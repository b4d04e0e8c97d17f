"""Speed of the search room and of the search environment, beside bare Tantivy over the same pages in the same run.

    python benchmarks/search.py --pages 100000

Prints CPU seconds and ratios. Pages are generated here: four kinds, a small vocabulary, many equal scores.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import count, repeat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tantivy

from worldforge.core.progress import Progress
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.models.chat import ToolCall
from worldforge.schema.web_section import Dense
from worldforge.search.dense_search import DEPTH, DensePages, DenseSearch
from worldforge.search.index_writer import write_index
from worldforge.search.rerank import Weights
from worldforge.search.search_index import SearchIndex, open_index
from worldforge.search.tantivy_index import document, schema
from worldforge.world.table_files import AUTHORITY, AUTHORITY_FILE, PAGES, write_parquet

SYLLABLES = [
    "ka",
    "lo",
    "mer",
    "tin",
    "sar",
    "vel",
    "dor",
    "nis",
    "ulo",
    "pra",
    "gen",
    "hul",
    "ost",
    "wey",
    "bra",
    "fin",
]
KINDS = ["football club", "harbour town", "summer festival", "midfield player"]
SENTENCES = [
    "{name} is a {kind} in the region of [{region}](https://wiki.example/{region}).",
    "It was founded in {year} and counts {count:,} members.",
    "The ground of {name} holds {count:,} and stands near the old market square.",
    "In recent years {other} and {name} have met on {year} occasions, according to the almanac.",
    "Supporters of {name} gather before each match in {region}.",
    "Its charter names [{other}](https://wiki.example/{other}) as a founding partner.",
]
CALLS = 25  # of an episode
QUESTIONS = ["{name} founded", "{kind} in {region}", "{name} {region} members", "{kind} {region} founded after {year}"]


def write_pages(path: Path, n_pages: int, draw: random.Random) -> None:
    """Write `n_pages` pages of about 1.2 kB in batches, and what authority they have."""
    batches = (
        pa.Table.from_pylist([page(row, draw) for row in range(start, min(start + 10_000, n_pages))], PAGES)
        for start in range(0, n_pages, 10_000)
    )
    write_parquet(path, batches, PAGES)
    ids = [f"page/{row:06d}" for row in range(n_pages)]
    weights = [draw.paretovariate(2) for _ in range(n_pages)]
    write_parquet(path.with_name(AUTHORITY_FILE), [pa.table([ids, weights], schema=AUTHORITY)], AUTHORITY)


def page(row: int, draw: random.Random) -> dict[str, object]:
    fields = words(draw)
    infobox = "\n".join(f"| {key} | {fields[key]} |" for key in ("kind", "region", "year"))
    prose = "\n\n".join(" ".join(draw.sample(SENTENCES, 5)).format(**fields) for _ in range(3))
    return {
        "id": f"page/{row:06d}",
        "url": f"https://wiki.example/{fields['name'].replace(' ', '_')}_{row}",
        "site": "wiki",
        "kind": "article",
        "title": fields["name"],
        "language": "en",
        "published": draw.randrange(18_000, 22_000),
        "text": f"# {fields['name']}\n\n| | |\n|---|---|\n{infobox}\n\n{prose}\n",
    }


def words(draw: random.Random) -> dict[str, object]:
    name, other = (" ".join(word(draw, 3) for _ in range(2)) for _ in range(2))
    kind, region = draw.choice(KINDS), word(draw, 2)
    return {
        "name": name,
        "other": other,
        "kind": kind,
        "region": region,
        "year": draw.randrange(1800, 2030),
        "count": draw.randrange(50, 90_000),
    }


def word(draw: random.Random, n_syllables: int) -> str:
    return "".join(draw.choices(SYLLABLES, k=n_syllables)).capitalize()


def build_bare(index: SearchIndex, folder: Path) -> tantivy.Index:
    """Add the same documents to a bare index: the floor under `write_index`."""
    folder.mkdir()
    bare = tantivy.Index(schema(cjk=False), path=str(folder))
    writer = bare.writer(heap_size=4_000_000_000, num_threads=1)
    for row in range(index.n_pages):
        url, title, plain = index.store.cells(row, "url", "title", "plain")
        writer.add_document(document(row, [url], title, plain))
    writer.commit()
    writer.wait_merging_threads()
    bare.reload()
    return bare


def bare_search(bare: tantivy.Index) -> Callable[[str], object]:
    """Search as Tantivy's own documentation does: parse the words, take ten."""
    searcher = bare.searcher()
    return lambda query: searcher.search(bare.parse_query_lenient(query, ["title", "body"])[0], 10, count=False).hits


def step_with(environment: SearchEnvironment, name: str, key: str) -> Callable[[str], object]:
    """Call one tool, the way episodes do without a loop's own cost: a session for every `CALLS` calls."""
    sessions = (session for _ in count() for session in repeat(environment.session(), CALLS))

    def step(value: str) -> object:
        session = next(sessions)
        try:
            session.step(ToolCall("1", name, json.dumps({key: value}))).send(None)
        except StopIteration as done:
            return done.value
        raise AssertionError("a step waited")

    return step


def cpu_of(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def timed(call: Callable[[str], object], arguments: Iterable[str]) -> tuple[float, list[float]]:
    """Call with each argument; return CPU seconds in all, and by the clock how many each took."""
    latencies = []
    start = time.process_time()
    for argument in arguments:
        before = time.perf_counter()
        call(argument)
        latencies.append(time.perf_counter() - before)
    return time.process_time() - start, latencies


def report(name: str, call: Callable[[str], object], arguments: Iterable[str]) -> float:
    """Time `call` on each argument; print calls a CPU second and the latencies; return the former."""
    cpu_s, latencies = timed(call, arguments)
    rate = len(latencies) / cpu_s
    p50, p99 = np.percentile(latencies, [50, 99]) * 1e3
    print(f"{name:46} {rate:9,.0f} a CPU s   p50 {p50:6.3f} ms   p99 {p99:6.3f} ms")
    return rate


def measure_build(n_pages: int, folder: Path) -> tuple[SearchIndex, tantivy.Index]:
    """Build both indexes over the same pages; print how fast."""
    ours = cpu_of(lambda: write_index(folder, folder / "index", Progress()))
    start = time.perf_counter()
    index = open_index(folder / "index")
    opened_ms = (time.perf_counter() - start) * 1e3
    start = time.process_time()
    bare = build_bare(index, folder / "bare")
    floor = time.process_time() - start
    print(f"{n_pages:,} pages, {int(index.store.plain_sizes().mean()):,} bytes of plain text each")
    print(f"write_index {n_pages / ours:,.0f} pages a CPU s; bare Tantivy {n_pages / floor:,.0f} ({floor / ours:.2f})")
    print(f"open_index {opened_ms:.1f} ms")
    return index, bare


def measure_steps(index: SearchIndex, bare: tantivy.Index, n_queries: int, draw: random.Random) -> None:
    """Search and step through the same queries; print how fast."""
    rows = [draw.randrange(index.n_pages) for _ in range(n_queries)]
    cells = [index.store.cells(row, "url", "title") for row in rows]
    queries = [draw.choice(QUESTIONS).format(**words(draw) | {"name": title}) for _, title in cells]
    every_term = dataclasses.replace(index, ranking=dataclasses.replace(index.ranking, common_share=1.0))
    environment, thorough = SearchEnvironment(index), SearchEnvironment(every_term)
    floor = report("bare Tantivy, words parsed, ten addresses", bare_search(bare), queries)
    report("SearchIndex.search, common terms kept", every_term.search, queries)
    report("SearchIndex.search", index.search, queries)
    kept = report("web_search step, common terms kept", step_with(thorough, "web_search", "query"), queries)
    step = report("web_search step", step_with(environment, "web_search", "query"), queries)
    report("web_extractor step", step_with(environment, "web_extractor", "url"), [url for url, _ in cells])
    print(f"a step beside a bare search: {step / floor:.2f}; with common terms kept {kept / floor:.2f}")


def measure_typed(index: SearchIndex, n_queries: int, draw: random.Random) -> None:
    """Search by what else can be typed, and with pages weighed; print how long each takes beside plain words."""
    rows = [draw.randrange(index.n_pages) for _ in range(n_queries)]
    titles = [index.store.cells(row, "title")[0] for row in rows]
    weights = Weights(np.ones(index.n_pages, np.float32), np.zeros(index.n_pages, np.bool_))
    weighed, chancy = (
        dataclasses.replace(index, weights=weights, ranking=dataclasses.replace(index.ranking, **settings))
        for settings in ({"authority": 1.0}, {"recall_loss": 0.3, "ranking_noise": 0.5})
    )
    plain = report("two words", index.search, titles)
    for name, search, queries in (
        ("two words, one misspelt", index.search, [misspelt(title, draw) for title in titles]),
        ("a phrase of two words", index.search, [f'"{title}"' for title in titles]),
        ("a phrase of common words", index.search, ['"the old market square"'] * len(titles)),
        ("two words on a site", index.search, [f"{title} site:wiki.example" for title in titles]),
        ("two words, pages weighed", weighed.search, titles),
        ("two words, recall and order left to chance", chancy.search, titles),
    ):
        print(f"{plain / report(name, search, queries):60.1f} times as long as two words")


def misspelt(title: str, draw: random.Random) -> str:
    place = draw.randrange(1, 5)
    return title[:place] + title[place + 1] + title[place] + title[place + 2 :]


def measure_chinese(n_pages: int, folder: Path, draw: random.Random) -> None:
    """Index pages of as many bytes of Chinese, and search them by words of two characters."""
    characters = [chr(draw.randrange(0x4E00, 0x5200)) for _ in range(600)]
    write_pages(folder / "pages.parquet", n_pages, draw)
    table = pq.read_table(folder / "pages.parquet")
    texts = ["".join(draw.choices(characters, k=400)) for _ in range(n_pages)]
    table = table.set_column(table.schema.get_field_index("text"), "text", pa.array(texts))
    write_parquet(folder / "pages.parquet", [table], PAGES)
    took = cpu_of(lambda: write_index(folder, folder / "chinese", Progress()))
    size = sum(file.stat().st_size for file in (folder / "chinese" / "tantivy").iterdir())
    print(f"400 characters of Chinese a page: {n_pages / took:,.0f} pages a CPU s, {size / n_pages:,.0f} bytes a page")
    report("two characters", open_index(folder / "chinese").search, [text[9:11] for text in texts[:1000]])


class RandomVectors:
    """In the place of an archive: a query's vector is drawn, so that no model is measured."""

    def __init__(self, dimension: int) -> None:
        self._draw, self._dimension = np.random.default_rng(2), dimension

    def vectors(self, texts: list[str]) -> np.ndarray:
        """Draw a vector a text."""
        rows = self._draw.standard_normal((len(texts), self._dimension)).astype(np.float32)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    def close(self) -> None:
        """Nothing is open."""


def measure_dense(index: SearchIndex, n_queries: int, dimension: int, draw: random.Random) -> None:
    """Search by vectors too, a passage a page, beside the bare product in torch and beside plain words."""
    import torch

    n_pages = index.n_pages
    vectors = RandomVectors(dimension).vectors([""] * n_pages)
    places = np.arange(n_pages)
    pages = DensePages(Dense(model="random"), "", vectors, places, places.astype(np.int32))
    dense = DenseSearch(pages, index.store, Path("unused.sqlite"))
    dense._opened = RandomVectors(dimension)
    by_both = dataclasses.replace(index, dense=dense)
    queries = [f"{index.store.cells(row, 'title')[0]} {row}" for row in draw.choices(range(n_pages), k=n_queries)]
    asked = RandomVectors(dimension).vectors(queries)
    whole = torch.from_numpy(vectors.astype(np.float32))
    numbers = [str(number) for number in range(n_queries)]
    print(f"vectors of {dimension} numbers, {n_pages:,} passages, {torch.get_num_threads()} threads of torch")
    plain = report("SearchIndex.search, by words", index.search, queries)
    bare = report(
        "bare torch: product in floats, the first 300",
        lambda number: torch.topk(whole @ torch.from_numpy(asked[int(number)].astype(np.float32)), 300),
        numbers,
    )
    near = report(
        "DensePages.nearest, a query alone",
        lambda number: pages.nearest(asked[int(number) : int(number) + 1], [None], DEPTH),
        numbers,
    )
    many = 16 * report(
        "DensePages.nearest, sixteen together",
        lambda number: pages.nearest(asked[int(number) : int(number) + 16], [None] * 16, DEPTH),
        numbers[:-16:16],
    )
    fused = report("SearchIndex.search, fused", by_both.search, queries)
    print(f"alone {bare / near:.1f} times as long as the bare product, together {bare / many:.1f}")
    print(f"fused {(1 / fused) / (1 / plain + 1 / bare):.1f} times as long as words and bare product")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--dimension", type=int, default=1_024, help="numbers in a vector")
    parser.add_argument("--dense-alone", action="store_true", help="measure nothing but search by vectors")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        draw = random.Random(1)
        write_pages(Path(folder) / "pages.parquet", chosen.pages, draw)
        index, bare = measure_build(chosen.pages, Path(folder))
        if chosen.dense_alone:
            measure_dense(index, chosen.queries, chosen.dimension, draw)
            return
        measure_steps(index, bare, chosen.queries, draw)
        measure_typed(index, chosen.queries, draw)
        measure_chinese(chosen.pages, Path(folder), draw)
        measure_dense(index, chosen.queries, chosen.dimension, draw)


if __name__ == "__main__":
    main()
