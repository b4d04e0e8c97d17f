"""Write the views of a dataset, one view a worker at a time."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.files import add_path_to_error
from worldforge.core.progress import Progress
from worldforge.core.worker_pool import Engine
from worldforge.core.worker_runtime import worker_context
from worldforge.datasets.selection.selected_rows import SelectedRows
from worldforge.datasets.view import DatasetView, ExportContext
from worldforge.datasets.view_writer import Written, write_view
from worldforge.world.world import MANIFEST


@dataclass(frozen=True, slots=True)
class ExportWork:
    """The input of all views, and the `folder` in which each gets a folder. Pickles.

    `imitated` are the trajectories for views that are imitated, `selected` those for all others.
    """

    context: ExportContext
    selected: SelectedRows
    imitated: SelectedRows
    folder: Path
    progress: Progress

    def portions_for(self, view: DatasetView) -> Iterator[pa.Table]:
        """Give the rows that a view takes."""
        selected = self.imitated if view.imitated else self.selected
        if view.takes == "world":
            return iter(())
        return selected.groups() if view.takes == "groups" else selected.tables()


def write_views(views: Sequence[DatasetView], work: ExportWork, engine: Engine) -> dict[str, Written]:
    """Write `views` by the workers of `engine`; return the files of each."""
    work.folder.mkdir(parents=True, exist_ok=True)
    progress, elsewhere = work.progress, engine.name != "local" or min(engine.workers, len(views)) > 1
    if elsewhere:
        work.selected.prepare({view.takes for view in views if not view.imitated})
        work.imitated.prepare({view.takes for view in views if view.imitated})
        work = replace(work, progress=Progress())
        progress.start("views", len(views))
    written: dict[str, Written] = {}
    with engine.pool(work, n_workers=len(views), shared_path=work.context.world.path / MANIFEST) as pool:
        for view, files in zip(views, pool.map_ordered(_write, views), strict=True):
            written[view.name] = files
            if elsewhere:
                progress.advance()
    return written


def _write(view: DatasetView) -> Written:
    """Write a view, in a worker that was given the work."""
    work: ExportWork = worker_context()
    if not work.folder.is_dir():
        raise InputError(
            f"{platform.node()} does not see {work.folder}",
            "write to a folder that all nodes share under the same path",
        )
    work.progress.start(view.name)
    folder = work.folder / view.name
    with add_path_to_error(folder):
        return write_view(view, work.portions_for(view), work.context, folder, work.progress)
