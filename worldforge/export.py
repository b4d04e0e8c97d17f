"""The third spine: trajectories of finished runs become a dataset that trainers read as it stands.

    export(open_world("output/quickstart"))        ->  output/quickstart/datasets/trajectories/

The folder holds Parquet files and a dataset card, and nothing else; it appears when it is whole, and only after
`datasets` has read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.files import atomic, locked, write_text
from worldforge.core.progress import Progress, Silent
from worldforge.datasets.card import CARD, write_card
from worldforge.datasets.loading import n_rows_loaded
from worldforge.datasets.shards import PATTERN, plan_sizes, write_files
from worldforge.rollouts.ledger import whole_shards
from worldforge.rollouts.run import LOCK, finished_runs
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """A finished dataset: where it is, from which runs, how many trajectories, in which files, how large."""

    folder: Path
    runs: tuple[str, ...]
    n_rows: int
    n_files: int
    n_bytes: int


def export(
    world: World,
    *,
    runs: Sequence[str] | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> ExportSummary:
    """Write the trajectories of `runs` (default: all that are finished) as a dataset into the folder `out`.

    `out` defaults to datasets/trajectories in the world's folder; a dataset that is there is replaced. Raises
    InputError where there is no finished run, where one is damaged, and where `out` holds more than a dataset.
    """
    progress = progress or Silent()
    folder = Path(out) if out is not None else world.path / "datasets" / "trajectories"
    _check_replaceable(folder)
    chosen = finished_runs(world, runs)
    with ExitStack() as stack:
        for run in chosen:
            stack.enter_context(locked(run.folder / LOCK, f"another process is at work on the run in {run.folder}"))
        sources = [shard for run in chosen for shard in whole_shards(run.folder, run.tally.n_episodes)]
        sizes = plan_sizes(sources, world.spec.export.rows_per_shard)
        beside = stack.enter_context(atomic(folder))
        progress.start("export", sizes.n_rows)
        files = write_files(sources, beside, sizes, progress)
        write_text(beside / CARD, write_card(world, chosen, sizes.n_rows))
        progress.start("check")
        _check_readable(beside, sizes.n_rows)
        n_bytes = sum(file.stat().st_size for file in files)
    return ExportSummary(folder, tuple(run.run for run in chosen), sizes.n_rows, len(files), n_bytes)


def _check_replaceable(folder: Path) -> None:
    """Refuse a folder that holds anything an export would not have written: it is about to be replaced."""
    if folder.is_file():
        raise InputError(f"{folder} is a file", "choose a folder with `-o`")
    written = {CARD, *(path.name for path in folder.glob(PATTERN))}
    others = sorted(path.name for path in folder.iterdir() if path.name not in written) if folder.is_dir() else []
    if others:
        raise InputError(f"{folder} holds more than a dataset: `{others[0]}`", "choose another folder with `-o`")


def _check_readable(folder: Path, n_rows: int) -> None:
    n_read = n_rows_loaded(str(folder / PATTERN))
    if n_read != n_rows:
        raise WorldForgeError(f"`datasets` reads {n_read} of {n_rows} trajectories in {folder}")
