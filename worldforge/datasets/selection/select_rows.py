"""Select trajectories: read a few values of every row, remove rows step by step, order the rest.

    with select(shards_of_runs(runs), selection, world) as selected: …

Same sources, in the same order, and same selection: same rows, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from worldforge.core.chance import Stream
from worldforge.core.temp_dir import TempDir
from worldforge.datasets.selection.filter_steps import (
    BEST,
    StepLog,
    columns_read,
    drop_repeated_episodes,
    filter_rows,
    keep_some_of_each,
    order_by,
)
from worldforge.datasets.selection.row_database import RowDatabase
from worldforge.datasets.selection.selected_rows import ChosenRows, SelectedRows
from worldforge.datasets.selection.selection_report import PassAt, SelectionReport, TokenizerRecord, pass_at_all_k
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.selection.shard_reader import RunShards, ShardReader
from worldforge.datasets.selection.token_counts import COLUMNS as TOKENIZED
from worldforge.datasets.selection.token_counts import Tokenizer, open_tokenizer
from worldforge.datasets.selection.trajectory_duplicates import hasher, remove_near_duplicates
from worldforge.datasets.selection.where_condition import N_CELLS, PASS_RATE, SIDE, WhereCondition, compile_where
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.world.world import World

_TRIED = """
    SELECT task, count(*) AS tried, count(*) FILTER (success) AS passed
    FROM rows WHERE ending <> 'failed' GROUP BY task ORDER BY task
"""


def select(
    sources: Sequence[RunShards], selection: Selection, world: World, *, scratch: str | Path | None = None
) -> SelectedRows:
    """Choose among the trajectories of `sources`, runs on `world`, and put them in order.

    `scratch` is a folder with room for what is moved to disk, by default the system's own: the chosen rows as they are
    in memory, compressed, where they come in another order than they were played in. Raises InputError where `where` is
    no condition, a name is not known, a tokenizer cannot be read, or a shard was written by another version.
    """
    condition = compile_where(selection.where) if selection.where else None
    tokenizer = open_tokenizer(selection.tokenizer) if selection.tokenizer else None
    folder = TempDir(scratch)
    try:
        columns = columns_read(selection, condition, TRAJECTORIES.names, several_runs=len(sources) > 1)
        with RowDatabase(folder.path, columns) as rows:
            reader = rows.fill(sources)
            chosen, report, rates = _RowChoice(rows, reader, selection, tokenizer, folder.path).make(condition, world)
    except BaseException:
        folder.close()
        raise
    return SelectedRows(reader, chosen, report, rates, folder)


@dataclass(frozen=True, slots=True)
class _RowChoice:
    rows: RowDatabase
    reader: ShardReader
    selection: Selection
    tokenizer: Tokenizer | None
    folder: Path

    def make(
        self, condition: WhereCondition | None, world: World
    ) -> tuple[ChosenRows, SelectionReport, dict[str, float]]:
        rows, selection = self.rows, self.selection
        steps, n_found = StepLog(rows), rows.n_rows
        if len({run for run, _ in self.reader.shards}) > 1:
            drop_repeated_episodes(rows, steps)
        rates, pass_at = self._add_rates()
        self._add_what_is_needed(condition, world)
        filter_rows(rows, selection, condition, steps)
        if selection.max_tokens is not None:
            self._count_tokens()
            steps.add("max_tokens", selection.max_tokens, rows.keep("n_tokens <= ?", selection.max_tokens))
        if selection.dedupe is not None:
            n_removed = remove_near_duplicates(rows, self.reader, selection.dedupe, BEST, self.folder)
            steps.add("dedupe", f"{selection.dedupe:g}", n_removed)
        keep_some_of_each(rows, selection, steps)
        if selection.limit is not None:
            steps.add("limit", selection.limit, rows.keep_first(selection.limit, None, order_by(selection)))
        if self.tokenizer is not None and selection.max_tokens is None:
            self._count_tokens()
        chosen = self._chosen()
        tokenizer: TokenizerRecord | None = self.tokenizer.record if self.tokenizer else None
        by = hasher() if selection.dedupe is not None else ""
        return (
            chosen,
            SelectionReport(n_found, tuple(steps.taken), len(chosen.places), pass_at, tokenizer, by, self._trials()),
            rates,
        )

    def _trials(self) -> dict[str, list[int]]:
        """Return the numbers of the trials that are left, by run."""
        trials: dict[str, list[int]] = {}
        for run, trial in self.rows.stream("SELECT DISTINCT run, trial FROM rows ORDER BY run, trial"):
            trials.setdefault(run, []).append(trial)
        return trials

    def _add_rates(self) -> tuple[dict[str, float], tuple[PassAt, ...]]:
        tried = self.rows.columns(_TRIED)
        n_tried, n_passed = (np.asarray(tried[name], np.int64) for name in ("tried", "passed"))
        rates = dict(zip(tried["task"].tolist(), (n_passed / n_tried).tolist(), strict=True))
        return rates, pass_at_all_k(n_tried, n_passed)

    def _add_what_is_needed(self, condition: WhereCondition | None, world: World) -> None:
        """Add the columns that come from elsewhere, where a step or the order reads them."""
        selection, read = self.selection, set(condition.columns if condition else ())
        by = selection.curriculum_by if selection.order == "curriculum" else ""
        if PASS_RATE in read or by == PASS_RATE or not selection.pass_rate.is_open:
            self.rows.add("pass_rate", "rates.rate", f"({_RATES}) AS rates USING (task)")
        if N_CELLS in read or by == N_CELLS:
            n_cells = {task.id: len(task.gold) * len(task.columns) for task in world.tasks}
            self.rows.add_values(N_CELLS, n_cells, "task", "INTEGER")
        if SIDE in read:
            self.rows.add_values(SIDE, {task.id: task.side for task in world.tasks}, "task", "VARCHAR")
        if selection.per_task is not None:
            self._add_draws("draw")
        if selection.order == "shuffled":
            self._add_draws("shuffled")

    def _add_draws(self, column: str) -> None:
        """Add a number drawn by chance, which follows from the seed, the step and a row's place."""
        places = np.arange(self.reader.n_rows)
        drawn = Stream(self.selection.seed, "selection").child(column).bits(places)
        self.rows.create("drawn", "place BIGINT, bits UBIGINT")
        self.rows.insert("drawn", pa.table({"place": places, "bits": drawn}))
        self.rows.add(column, "drawn.bits", "drawn USING (place)")
        self.rows.run("DROP TABLE drawn")

    def _count_tokens(self) -> None:
        assert self.tokenizer is not None
        self.rows.create("counted", "place BIGINT, n_tokens INTEGER")
        for places, table in self.reader.read(self.rows.places, TOKENIZED):
            self.rows.insert("counted", pa.table({"place": places, "n_tokens": self.tokenizer.count(table)}))
        self.rows.add("n_tokens", "counted.n_tokens", "counted USING (place)")
        self.rows.run("DROP TABLE counted")

    def _chosen(self) -> ChosenRows:
        n_tokens = "n_tokens" if self.tokenizer else "NULL::INTEGER AS n_tokens"
        found = self.rows.columns(
            f"SELECT place, dense_rank() OVER (ORDER BY task) AS task, {n_tokens} FROM rows "
            f"ORDER BY {order_by(self.selection)}"
        )
        counted = np.asarray(found["n_tokens"], np.int32) if self.tokenizer else None
        return ChosenRows(np.asarray(found["place"], np.int64), np.asarray(found["task"], np.int32), counted)


_RATES = """
    SELECT task, count(*) FILTER (success) / count(*) AS rate FROM rows WHERE ending <> 'failed' GROUP BY task
"""
