"""Pages of a test's own, written as a world holds them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldforge.world.table_files import AUTHORITY, AUTHORITY_FILE, PAGES, write_parquet


def write_by_hand(folder: Path, pages: Sequence[dict[str, Any]]) -> None:
    """Write pages and what authority they have: rows of `PAGES`, with `authority` where it is not 1."""
    write_parquet(folder / "pages.parquet", [pa.Table.from_pylist(list(pages), PAGES)], PAGES)
    ranked = [(page["id"], page.get("authority", 1.0)) for page in pages]
    rows = [dict(zip(AUTHORITY.names, row, strict=True)) for row in ranked]
    write_parquet(folder / AUTHORITY_FILE, [pa.Table.from_pylist(rows, AUTHORITY)], AUTHORITY)
