"""Write the views of a dataset, one view a worker at a time.

for view, written in write_views(views, work, engine): ...        # in the order of the views
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.files import add_path_to_error
from worldforge.core.progress import Progress, Silent
from worldforge.core.worker_pool import Engine
from worldforge.core.worker_runtime import worker_context
from worldforge.datasets.card.row_statistics import RowStatistics
from worldforge.datasets.selection.selected_rows import SelectedRows
from worldforge.datasets.view import DatasetView, ExportContext
from worldforge.datasets.view_catalogue import load_views
from worldforge.datasets.view_writer import Written, write_view
from worldforge.world.world import MANIFEST

ROWS_PER_PORTION, BYTES_PER_PORTION = 1_000, 16 * 2**20
"""How many trajectories a view is handed at a time: so many, or as many as fit."""


@dataclass(frozen=True, slots=True)
class WrittenView:
    """A view that is written: its files with their rows, and what was counted of the trajectories that it read."""

    written: Written
    figures: RowStatistics


@dataclass(frozen=True, slots=True)
class ExportWork:
    """What all views are made of, and where: a folder a view below `folder`. Pickles.

    `imitated` are the trajectories for views that are imitated, `selected` those for all others. `code_from` is the
    folder that the user's own views are imported from.
    """

    context: ExportContext
    selected: SelectedRows
    imitated: SelectedRows
    folder: Path
    rows_per_file: int
    progress: Progress
    code_from: Path | None = None

    def selected_for(self, view: DatasetView) -> SelectedRows:
        """Return the trajectories that are selected for a view."""
        return self.imitated if view.imitated else self.selected


def write_views(
    views: Sequence[DatasetView], work: ExportWork, engine: Engine
) -> Iterator[tuple[DatasetView, WrittenView]]:
    """Write `views` by the workers of `engine`; give each with what came of it, in order."""
    work.folder.mkdir(parents=True, exist_ok=True)
    progress, elsewhere = work.progress, engine.name != "local" or min(engine.workers, len(views)) > 1
    if elsewhere:
        work.selected.prepare({view.takes for view in views if not view.imitated})
        work.imitated.prepare({view.takes for view in views if view.imitated})
        work = replace(work, progress=Silent())
        progress.start("views", len(views))
    with engine.pool(work, n_workers=len(views), shared_path=work.context.world.path / MANIFEST) as pool:
        made = pool.map_ordered(_write, [view.reference or view.name for view in views])
        for view, written in zip(views, made, strict=True):
            if elsewhere:
                progress.advance()
            yield view, written


def counted(units: Mapping[str, WrittenView], n_rows: int) -> RowStatistics:
    """Return the figures of the first view that read all `n_rows` trajectories; else of the last that read any."""
    figures = [unit.figures for unit in units.values()] or [RowStatistics()]
    return next((one for one in figures if one.n_rows >= n_rows), figures[-1])


def portions_of(view: DatasetView, selected: SelectedRows) -> Iterator[pa.Table]:
    """Give what the view takes."""
    if view.takes == "world" or not selected.n_rows:
        return iter(())
    if view.takes == "groups":
        return selected.groups()
    fitting = BYTES_PER_PORTION * selected.n_rows // max(1, selected.n_bytes)
    return selected.tables(max(1, min(ROWS_PER_PORTION, fitting)))


def _write(reference: str) -> WrittenView:
    """Write the view that `reference` names, in a worker that was given the work."""
    work: ExportWork = worker_context()
    if not work.folder.is_dir():
        raise InputError(
            f"{platform.node()} does not see {work.folder}",
            "write to a folder that all nodes share under the same path",
        )
    (view,), figures = load_views([reference], work.code_from), RowStatistics()
    if not isinstance(work.progress, Silent):
        work.progress.start(view.name)
    portions = figures.watch(portions_of(view, work.selected_for(view)))
    folder = work.folder / view.name
    with add_path_to_error(folder):
        written = write_view(view, portions, work.context, folder, work.rows_per_file, work.progress)
    return WrittenView(written, figures)
