"""A build by ranks: each makes its share of the pages in a folder of its own, and a merge makes the world of all.

<world>/.build/ranks/2-of-8/    entities/, relations/    the tables, which each rank makes for itself
                                chunks/                  its chunks of pages, each with a record (`pages/units.py`)
                                prose.sqlite             what a model has worded for it
                                done.json                written last: the share is whole
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldforge.builders.build_lock import check_claimable
from worldforge.builders.pages.prose.archive import FILE
from worldforge.builders.stage_records import RANKS, output_digests, read_record, record_path
from worldforge.builders.stages import PAGES, POPULATE, BuildJob
from worldforge.builders.world_manifest import versions
from worldforge.core.code_digest import code_digest
from worldforge.core.errors import InputError
from worldforge.core.files import locked, remove
from worldforge.core.ranks import LOCK, Merge, Share, at_rest, clear, collect, has_ranks, number_of_ranks
from worldforge.core.store import kept_in

if TYPE_CHECKING:
    from worldforge.builders.pages.units import Units

CHUNKS = "chunks"


def share_config(job: BuildJob) -> dict[str, Any]:
    """Return what decides the pages of a world, as JSON values: shares of other configurations are not to be merged."""
    digests = {**POPULATE.spec_digests(job.spec), **PAGES.spec_digests(job.spec)}
    libraries = ", ".join(f"{name} {number}" for name, number in versions().items())
    return {**digests, "code": code_digest(job.code_from), "versions": libraries}


def has_pages(job: BuildJob) -> bool:
    """Say whether the world has its pages already, of this spec and by this code, and no rank has begun them anew."""
    if has_ranks(_place(job.folder)):
        return False
    for stage in (POPULATE, PAGES):
        record = read_record(job.folder, stage.name)
        inputs = {**stage.spec_digests(job.spec), "code": code_digest(job.code_from)}
        if record is None or not inputs.items() <= record.inputs.items():
            return False
        needed, written = output_digests(job.folder, stage.needs), output_digests(job.folder, stage.writes)
        if not needed.items() <= record.inputs.items() or written != record.outputs:
            return False
    return True


@contextmanager
def share_claimed(world: Path, share: Share) -> Iterator[Path]:
    """Give the folder of a rank, for this process alone; what a model words for the rank is kept there too.

    Raises InputError where another process is at work there, and where `world` is no world's folder.
    """
    check_claimable(world)
    own = share.folder(_place(world))
    with locked(own / LOCK, f"another process is at work on {share} of {world}"), kept_in(own):
        try:
            yield own
        except BaseException:
            if not any(path.exists() for path in (record_path(own, POPULATE.name), own / CHUNKS, own / FILE)):
                _leave(own, world)
            raise


@contextmanager
def shares_taken(job: BuildJob, part: Merge | None, *, fresh: bool) -> Iterator[Units | None]:
    """Give what ranks have made, for a merge; none where the world has its pages, or is built without ranks.

    No rank can begin meanwhile. Raises GapsError and InputError as `collect` does, and InputError for a build without
    a merge where ranks have been at work; with `fresh`, what they have made goes.
    """
    place = _place(job.folder)
    with at_rest(place):
        if part is not None and (fresh or not has_pages(job)):
            yield _units(job, part)
            return
        if part is None and has_ranks(place) and not fresh:
            raise InputError(
                f"ranks have been at work in {place}",
                "`build` with `--merge` puts together what they have made; with `--fresh` it throws that away",
            )
        clear(place)  # or what a merge that was killed at its end has left
        yield None


def clear_shares(world: Path) -> None:
    """Remove what ranks have made: the world has it now."""
    clear(_place(world))


def _units(job: BuildJob, part: Merge) -> Units:
    from worldforge.builders.pages.units import Units

    place = _place(job.folder)
    return Units(collect(place, number_of_ranks(place, part.of), share_config(job)))


def _place(world: Path) -> Path:
    return world / RANKS


def _leave(own: Path, world: Path) -> None:
    """Remove the folder of a rank that has failed before it made anything, and what was made to hold it."""
    remove(own)
    with suppress(OSError):  # others are there
        for folder in (own.parent, own.parent.parent, world):
            folder.rmdir()
