"""Small trials of what every command needs: a spec, DuckDB, Parquet, Tantivy."""

from __future__ import annotations

import tempfile
from importlib import metadata
from pathlib import Path

from worldforge.doctor.check import CheckResult


def check_spec() -> CheckResult:
    """Validate a shipped spec, as every command does."""
    from worldforge.schema.spec_loader import load_spec

    found = load_spec("quickstart")
    return CheckResult(
        "ok", f"`{found.name}` has no problems in {len(found.types)} types and {len(found.pages)} kinds of page"
    )


def check_duckdb() -> CheckResult:
    """Write a table to Parquet and ask DuckDB about it."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        pq.write_table(pa.table({"n": range(1000)}), path, compression="zstd")
        row = duckdb.execute("SELECT sum(n) FROM read_parquet($1)", [str(path)]).fetchone()
    if row is None or row[0] != 499_500:
        return CheckResult(
            "broken", f"duckdb {metadata.version('duckdb')} adds 0 to 999 up to {row}", "reinstall duckdb"
        )
    return CheckResult("ok", f"duckdb {metadata.version('duckdb')} reads what pyarrow {pa.__version__} writes")


def check_tantivy() -> CheckResult:
    """Index two texts and find one of them."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=True)
    with tempfile.TemporaryDirectory() as folder:
        index = tantivy.Index(builder.build(), path=folder)
        writer = index.writer(heap_size=15_000_000, num_threads=1)
        for text in ("a town on a river", "a club without a town hall"):
            writer.add_document(tantivy.Document(text=text))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        hits = index.searcher().search(index.parse_query("river", ["text"]), 10).hits
    if len(hits) != 1:
        return CheckResult("broken", f"tantivy finds {len(hits)} of 1 texts", "reinstall tantivy")
    return CheckResult("ok", f"tantivy {metadata.version('tantivy')} indexes and finds")
