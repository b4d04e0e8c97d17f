"""Composes a rank's share of a world's pages: every n-th chunk, put down in the rank's folder as soon as it is made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldforge.builders.pages.compose import wanted_prose
from worldforge.builders.pages.pages_stage import PlannedPages, compose_all, plan_pages
from worldforge.builders.pages.prose.prose_requests import complete
from worldforge.builders.pages.units import keep_whole, units_told, write_unit
from worldforge.builders.ranks import CHUNKS
from worldforge.builders.stage_records import output_digests
from worldforge.builders.stages import PAGES, BuildJob
from worldforge.core.files import remove, value_digest
from worldforge.core.ranks import RECORD, Share, write_record
from worldforge.world.table_files import read_tables


def compose_share(job: BuildJob, own: Path, share: Share, config: Mapping[str, Any]) -> dict[str, Any]:
    """Compose the chunks of a rank, but for those that it has, of the tables in its folder `own`; return the record.

    Raises as `write_pages` does.
    """
    tables = read_tables(job.spec, own)
    workers, beyond = job.hands
    planned = plan_pages(job.spec, tables, job.folder, job.code_from, workers)
    numbers = [number for number in share.mine(range(len(planned.chunks))) if not waits_for_words(planned, number)]
    missing = keep_whole(own, numbers, config)
    chunks = [planned.chunks[number] for number in missing]
    if planned.prose is not None:
        prose = planned.prose
        complete(prose, lambda: wanted_prose(planned.outline, chunks, prose), job.writer, job.progress)
    if planned.prose is not None:
        beyond = None  # a store that is kept in another place is found by this process alone
    job.progress.start("pages", sum(chunk.high - chunk.low for chunk in chunks))
    for number, composed in zip(missing, compose_all(planned, chunks, workers, beyond), strict=True):
        write_unit(own, number, composed, share, config)
        job.progress.advance(composed.pages.num_rows)
    files, told = units_told(own, numbers)
    digest = value_digest(output_digests(own, PAGES.needs))
    return write_record(own / RECORD, share, config, files, chunks=told, tables=digest)


def waits_for_words(planned: PlannedPages, number: int) -> bool:
    """Say whether a chunk is of copies of pages that a model words, for another rank perhaps: that is the merge's."""
    kinds, chunk = planned.outline.kinds, planned.chunks[number]
    copied = kinds[chunk.kind].copied
    return copied is not None and planned.outline.spec.pages[copied.of].prose == "model"


def forget_share(own: Path) -> None:
    """Remove what a rank has made, but for what a model has worded for it."""
    remove(own / RECORD)
    remove(own / CHUNKS)


def share_counts(record: Mapping[str, Any]) -> dict[str, int]:
    """Count what a rank has made, by its record; nothing where that is empty."""
    chunks = record.get("chunks", {})
    made = {name: sum(told[f"n_{name}"] for told in chunks.values()) for name in ("pages", "mentions", "links")}
    return {"chunks": len(chunks), **made}
