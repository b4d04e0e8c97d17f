"""Build speed by stage, and how it grows: the quickstart world at some numbers of pages.

    python -m benchmarks.build 10000 100000 [--workers 2]

Prints, a stage: CPU seconds (workers included), pages a CPU second, and the peak memory of the largest process. Beside
the index stage stands bare tantivy over the same texts. Targets: docs/performance.md.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from worldforge.core.progress import Silent

PAGES_AT_SCALE_1 = 1000  # roughly; the counts printed are exact


def measure(n_pages: int, workers: int, tasks: int, folder: Path) -> dict:
    """Build in a process of its own and read what the operating system counted."""
    command = [sys.executable, "-m", "benchmarks.build", "--child", str(n_pages), str(workers), str(tasks), str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def child(n_pages: int, workers: int, tasks: int, folder: Path) -> None:
    from worldforge.build import build
    from worldforge.schema.load import load_spec

    spec = load_spec("quickstart", [f"scale={n_pages / PAGES_AT_SCALE_1}", f"tasks.list.count={tasks}"])
    peaks: list[float] = []
    summary = build(spec, folder, workers=workers, progress=Peaks(peaks))
    peaks.append(peak_gb())
    stages = [{"stage": s.stage, "wall_s": s.wall_s, "cpu_s": s.cpu_s} for s in summary.stages]
    print(json.dumps({"counts": summary.counts, "stages": stages, "peaks": peaks}))


class Peaks(Silent):
    """A progress that notes the peak memory so far whenever a stage starts."""

    def __init__(self, peaks: list[float]) -> None:
        self._peaks = peaks

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Note the peak as the first of a stage's own steps begins."""
        if stage in ("pages", "index", "tasks", "audit") and total is None:
            self._peaks.append(peak_gb())


def peak_gb() -> float:
    """Return the peak memory of the largest process so far, in GB."""
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(used) * 1024 / 1e9


def bare_tantivy_cpu_s(folder: Path) -> float:
    """Index the same titles and texts with nothing around it: one writer thread, one commit."""
    import pyarrow.parquet as pq
    import tantivy

    builder = tantivy.SchemaBuilder()
    for field in ("title", "body"):
        builder.add_text_field(field, stored=False, tokenizer_name="en_stem")
    started = time.process_time()
    with tempfile.TemporaryDirectory() as scratch:
        writer = tantivy.Index(builder.build(), path=scratch).writer(heap_size=256_000_000, num_threads=1)
        for batch in pq.ParquetFile(folder / "pages.parquet").iter_batches(20_000, columns=["title", "text"]):
            for title, text in zip(batch["title"].to_pylist(), batch["text"].to_pylist(), strict=True):
                writer.add_document(tantivy.Document(title=[title], body=[text]))
        writer.commit()
        writer.wait_merging_threads()
    return time.process_time() - started


def report(found: dict, bare: float) -> None:
    n_pages = found["counts"]["pages"]
    n_entities = sum(found["counts"]["entities"].values())
    print(
        f"\n{n_pages:,} pages, {n_entities:,} entities, {found['counts']['mentions']:,} facts stated, "
        f"{found['counts']['tasks']:,} tasks kept, {found['counts']['set_aside']:,} set aside"
    )
    print(f"{'stage':10} {'CPU s':>8} {'wall s':>8} {'pages/CPU s':>12} {'peak GB':>8}")
    for stage, peak in zip(found["stages"], found["peaks"], strict=True):
        rate = n_pages / max(stage["cpu_s"], 1e-9)
        print(f"{stage['stage']:10} {stage['cpu_s']:8.2f} {stage['wall_s']:8.2f} {rate:12,.0f} {peak:8.2f}")
    cpu = {stage["stage"]: stage["cpu_s"] for stage in found["stages"]}
    before = cpu["populate"] + cpu["pages"]
    print(f"facts and pages before indexing: {n_pages / before:,.0f} pages/CPU s (target 40,000 at 100,000 pages)")
    print(f"world without tasks and audit: {before + cpu['index']:.1f} CPU s (target 15 at 100,000 pages)")
    print(f"index beside bare tantivy on the same texts: {cpu['index'] / bare:.2f} × ({bare:.1f} CPU s)")
    print(f"tasks, gates and proofs: {found['counts']['tasks'] / cpu['tasks']:.0f} kept/CPU s (target 25)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=int, default=[10_000])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        n_pages, workers, tasks, folder = arguments.child
        child(int(n_pages), int(workers), int(tasks), Path(folder))
        return
    for n_pages in arguments.pages:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "world"
            found = measure(n_pages, arguments.workers, arguments.tasks, folder)
            report(found, bare_tantivy_cpu_s(folder))


if __name__ == "__main__":
    main()
