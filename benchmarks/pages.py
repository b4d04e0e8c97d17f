"""Page writing: facts and pages with mentions, links and authority, beside what bare pyarrow takes for the same bytes.

    python -m benchmarks.pages 100000 [--turns 3]

Prints CPU seconds of each step, the least of some turns; pages a CPU second from nothing to three Parquet files; and
the ratio to bare pyarrow: texts of the same length joined from as many pieces, and the finished tables written as they
are.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.builders.pages.alias_choice import call_by_aliases
from worldforge.builders.pages.compose import compose, cut
from worldforge.builders.pages.outline import outline_pages
from worldforge.builders.pages.pages_stage import plan_pages, write_pages
from worldforge.builders.pages.rendered_values import write_tables
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.spec_loader import load_spec
from worldforge.world.table_files import LARGE_FILES, ROWS_PER_GROUP, StorageOptions, in_memory_schema, parquet_writer

PAGES_AT_SCALE_1 = 960
N_PIECES = 60  # what an article of the quickstart world is joined from, about
N_ROWS = 8_000


def cpu_s(work: Callable[[], object], turns: int) -> float:
    """CPU seconds of the quickest of some turns: others use the machine as well."""
    spent = []
    for _ in range(turns):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)


def join_bare(n_pages: int, n_bytes: int) -> None:
    """Join as many bytes as pages have, from pieces that are there already."""
    piece = "x" * max(1, n_bytes // n_pages // N_PIECES)
    pieces = [pa.repeat(piece, N_ROWS)] * N_PIECES
    for _ in range(0, n_pages, N_ROWS):
        pc.binary_join_element_wise(*pieces, "")


def write_bare(folder: Path, target: Path, file: str, schema: pa.Schema, form: StorageOptions) -> tuple[float, float]:
    """Write a file of `folder` anew into `target`, as it is; return CPU seconds and seconds, reading left out."""
    cpu = wall = 0.0
    with parquet_writer(target / file, schema, form) as write, pq.ParquetFile(folder / file) as source:
        for batch in source.iter_batches(ROWS_PER_GROUP):
            table = pa.table(batch).cast(in_memory_schema(schema, form))
            began = time.process_time(), time.perf_counter()
            write(table)
            cpu, wall = cpu + time.process_time() - began[0], wall + time.perf_counter() - began[1]
        began = time.process_time(), time.perf_counter()
    return cpu + time.process_time() - began[0], wall + time.perf_counter() - began[1]


def text_bytes(folder: Path) -> tuple[int, int]:
    """Count the pages of a world and the bytes of their texts."""
    n_pages = n_bytes = 0
    with pq.ParquetFile(folder / "pages.parquet") as source:
        for batch in source.iter_batches(ROWS_PER_GROUP, columns=["text"]):
            n_pages, n_bytes = (
                n_pages + batch.num_rows,
                n_bytes + (pc.sum(pc.binary_length(batch["text"])).as_py() or 0),
            )
    return n_pages, n_bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="?", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    spec = load_spec("quickstart", [f"scale={arguments.pages / PAGES_AT_SCALE_1}"])
    turns = arguments.turns
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        facts = cpu_s(lambda: populate(spec, Progress(), None), turns)
        tables = populate(spec, Progress(), None)
        pages = cpu_s(lambda: write_pages(spec, tables, folder, LocalEngine(1), Progress()), turns)
        outline = plan_pages(spec, tables, folder, None).outline
        outlined = cpu_s(lambda: outline_pages(spec, *call_by_aliases(spec, tables, write_tables(spec, tables))), turns)
        composed = cpu_s(lambda: [compose(outline, chunk).pages.num_rows for chunk in cut(outline)], turns)
        n_pages, n_bytes = text_bytes(folder)
        joined = cpu_s(lambda: join_bare(n_pages, n_bytes), turns)
        written = min(
            sum(write_bare(folder, folder / "bare", file, *LARGE_FILES[file])[0] for file in LARGE_FILES)
            for _ in range(turns)
        )
        counts = ", ".join(f"{pq.read_metadata(folder / file).num_rows:,} {Path(file).stem}" for file in LARGE_FILES)
    print(f"{counts}; {n_bytes / n_pages / 1e3:.2f} kB a page\n")
    print(f"{'CPU s':>8} {'pages/CPU s':>12}")
    steps = {
        "facts": facts,
        "pages": pages,
        "  of which outline": outlined,
        "  of which composing": composed,
        "facts and pages": facts + pages,
        "bare joins of the same bytes": joined,
        "bare writing of the same tables": written,
    }
    for name, spent in steps.items():
        print(f"{spent:8.2f} {n_pages / max(spent, 1e-9):12,.0f}  {name}")
    print(f"\ncomposing beside bare joins: {composed / joined:.1f} ×")
    print(f"facts and pages beside bare joins and writing: {(facts + pages) / (joined + written):.2f} ×")


if __name__ == "__main__":
    main()
