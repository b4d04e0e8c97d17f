"""The bare libraries doing the work of a step: every function is one, run in a process of its own as steps are."""

from __future__ import annotations

import csv
import json
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.scale.steps import Figures, clocks, exported, quickest, since, spec_of


def bare_populate(folder: str, pages: int) -> Figures:
    """Draw 64 bits for every cell and take a ready text for it."""
    from benchmarks.populate import at_least
    from worldforge.world.table_files import read_tables

    tables = read_tables(spec_of(pages, 1), Path(folder))
    began = clocks()
    at_least(tables)
    return {"items": sum(table.num_rows for table in tables.values()), "unit": "rows", **since(began)}


def bare_pages(folder: str) -> Figures:
    """Join as many bytes with Arrow as the pages have, and write the three files as they are with pyarrow."""
    from benchmarks.pages import join_bare, text_bytes, write_bare
    from worldforge.world.table_files import LARGE_FILES

    n_pages, n_bytes = text_bytes(Path(folder))
    join_bare(1, n_bytes // n_pages)  # Arrow imports pandas for the first text that it is handed
    began = clocks()
    join_bare(n_pages, n_bytes)
    took = since(began)
    with tempfile.TemporaryDirectory(dir=folder) as target:
        written = [write_bare(Path(folder), Path(target), file, *how) for file, how in LARGE_FILES.items()]
        n_written = sum(path.stat().st_size for path in Path(target).iterdir())
    cpu_s = took["cpu_s"] + sum(cpu for cpu, _ in written)
    wall_s = took["wall_s"] + sum(wall for _, wall in written)
    return {"items": n_pages, "unit": "pages", "cpu_s": cpu_s, "wall_s": wall_s, "n_bytes": n_written}


def bare_index(folder: str) -> Figures:
    """Index the same titles and texts with Tantivy, by one thread in one commit, and nothing around it."""
    import pyarrow.parquet as pq
    import tantivy

    builder = tantivy.SchemaBuilder()
    for field in ("title", "body"):
        builder.add_text_field(field, stored=False, tokenizer_name="en_stem")
    began, n_pages = clocks(), 0
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        writer = tantivy.Index(builder.build(), path=scratch).writer(heap_size=256_000_000, num_threads=1)
        for batch in pq.ParquetFile(Path(folder) / "pages.parquet").iter_batches(20_000, columns=["title", "text"]):
            n_pages += batch.num_rows
            for title, text in zip(batch["title"].to_pylist(), batch["text"].to_pylist(), strict=True):
                writer.add_document(tantivy.Document(title=[title], body=[text]))
        writer.commit()
        writer.wait_merging_threads()
        took = since(began)
        n_bytes = sum(path.stat().st_size for path in Path(scratch).iterdir())
    return {"items": n_pages, "unit": "pages", **took, "n_bytes": n_bytes}


def bare_tasks(folder: str, pages: int) -> Figures:
    """Load the tables into DuckDB, and run and fetch the queries of all tasks that were posed, kept or not."""
    import pyarrow.parquet as pq

    from worldforge.world.database import connect
    from worldforge.world.table_files import read_tables

    world = Path(folder)
    files = [world / f"{name}.parquet" for name in ("tasks", "set_aside")]
    asked = [query for file in files for query in pq.read_table(file, columns=["query"])["query"].to_pylist()]
    tables = read_tables(spec_of(pages, 1), world)
    began = clocks()
    connection = connect(tables)
    for query in asked:
        connection.execute(query).fetchall()
    return {"items": len(asked), "unit": "queries", **since(began)}


def bare_audit(folder: str) -> Figures:
    """Read every Parquet file of the world once."""
    import pyarrow.parquet as pq

    began, n_bytes = clocks(), 0
    for path in sorted(Path(folder).rglob("*.parquet")):
        if "trajectories" not in path.parts:
            with pq.ParquetFile(path) as source:
                n_bytes += sum(batch.nbytes for batch in source.iter_batches(20_000))
    n_pages = pq.read_metadata(Path(folder) / "pages.parquet").num_rows
    return {"items": n_pages, "unit": "pages", **since(began), "more": {"read_bytes": n_bytes}}


def bare_search(folder: str, n: int) -> Figures:
    """Ask Tantivy the same queries over the same index: words parsed, ten addresses."""
    from benchmarks.search import bare_search
    from worldforge.search.tantivy_index import open_tantivy
    from worldforge.world.world import open_world

    ask = bare_search(open_tantivy(Path(folder) / "index" / "tantivy"))
    cpu_s, latencies = quickest(ask, open_world(folder), n)
    return {"items": n, "unit": "searches", "cpu_s": cpu_s, "wall_s": sum(latencies)}


def bare_rollout(folder: str, shards: str) -> Figures:
    """Ask Tantivy what the oracle searched for, call by call, and do nothing else."""
    from benchmarks.search import bare_search
    from worldforge.rollouts.shards import read_shard
    from worldforge.search.tantivy_index import open_tantivy

    ask = bare_search(open_tantivy(Path(folder) / "index" / "tantivy"))
    cpu_s = wall_s = 0.0
    n_searches = 0
    for path in sorted(Path(shards).iterdir()):
        asked = searched(read_shard(path, ["messages"])["messages"].to_pylist())
        began = time.process_time(), time.perf_counter()
        for query in asked:
            ask(query)
        cpu_s, wall_s = cpu_s + time.process_time() - began[0], wall_s + time.perf_counter() - began[1]
        n_searches += len(asked)
    return {"items": n_searches, "unit": "searches", "cpu_s": cpu_s, "wall_s": wall_s}


def searched(conversations: list[list[dict]]) -> list[str]:
    """List the queries of all searches in conversations, in their order."""
    calls = (call["function"] for talk in conversations for message in talk for call in message["tool_calls"] or ())
    given = (json.loads(call["arguments"]) for call in calls if call["name"] == "web_search")
    return [query for each in given for query in each.get("queries") or [each["query"]]]


def bare_export(shards: str, target: str, times: int) -> Figures:
    """Write the same columns with pyarrow from tables in memory."""
    from benchmarks.export import write_bare

    cpu_s, wall_s = write_bare(Path(shards), Path(target), times)
    return exported(Path(target)) | {"cpu_s": cpu_s, "wall_s": wall_s}


def phantomwiki(command: str, people: int) -> Figures:
    """Let PhantomWiki generate a universe: facts, an article a person, shallow questions, in its easy mode.

    Its `timings.csv` has seconds by the clock of each phase; they are told as shares of the command's CPU seconds. A
    family has 25 members, as it has where nothing else is asked for; of each of 8 kinds of question 125 are asked.
    """
    began = clocks()
    with tempfile.TemporaryDirectory() as scratch:
        options = (
            f"--output-dir {scratch} --seed 1 --num-family-trees {-(-people // 25)} --question-depth 6 --easy-mode "
            "--num-questions-per-type 125 --article-format json --question-format json --quiet"
        )
        subprocess.run([command, *options.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        took = since(began)
        with (Path(scratch) / "timings.csv").open(encoding="utf-8", newline="") as file:
            phases = {name: float(seconds) for name, seconds in next(csv.DictReader(file)).items()}
        articles, questions = (
            json.loads((Path(scratch) / f"{name}.json").read_text("utf-8")) for name in ("articles", "questions")
        )
        n_bytes = sum(path.stat().st_size for path in Path(scratch).iterdir())
    a_second = took["cpu_s"] / took["wall_s"]
    more = {
        "facts_s": phases["facts_generate"] * a_second,
        "articles_s": phases["articles_generate"] * a_second,
        "questions_s": phases["questions_generate"] * a_second,
        "questions": len(questions),
    }
    return {"items": len(articles), "unit": "articles", **took, "n_bytes": n_bytes, "more": more}
