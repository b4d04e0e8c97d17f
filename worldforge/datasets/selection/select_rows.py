"""Select trajectories: read a few values of every row, remove rows step by step, order the rest.

    with select(shards_of_runs(runs), selection, world) as selected: …

Same sources, in the same order, and same selection: same rows, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.chance import Stream
from worldforge.core.temp_dir import temp_dir
from worldforge.datasets.selection.filter_steps import (
    BEST,
    RowTable,
    columns_read,
    filter_rows,
    keep_some_of_each,
    order_by,
)
from worldforge.datasets.selection.selected_rows import Places, RunShards, SelectedRows, ShardReader
from worldforge.datasets.selection.selection_report import N_BINS, Histograms, SelectionReport, pass_at_all_k
from worldforge.datasets.selection.selection_settings import N_CELLS, SEARCHER_CALLS, SIDE, Selection, compile_where
from worldforge.datasets.selection.token_counts import COLUMNS as TOKENIZED
from worldforge.datasets.selection.token_counts import Tokenizer, open_tokenizer
from worldforge.datasets.selection.trajectory_duplicates import hasher, near_duplicates
from worldforge.world.world import World

_TRIED = """
    SELECT task, count(*) AS tried, count(*) FILTER (success) AS passed
    FROM rows WHERE ending <> 'failed' GROUP BY task ORDER BY task
"""
_WIDEN = f"""
    CREATE TABLE wider AS SELECT rows.*, passed / tried AS pass_rate, n_cells, searcher_calls, side, draw, shuffled
    FROM rows LEFT JOIN ({_TRIED}) USING (task) LEFT JOIN tasks USING (task) LEFT JOIN draws USING (place);
    DROP TABLE rows;
    ALTER TABLE wider RENAME TO rows
"""
_TASK = pa.schema([("task", pa.string()), (N_CELLS, pa.int32()), (SEARCHER_CALLS, pa.int32()), (SIDE, pa.string())])
_COUNTED = pa.schema([("place", pa.int64()), ("n_tokens", pa.int32())])


@contextmanager
def select(
    sources: Sequence[RunShards], selection: Selection, world: World, *, scratch: str | Path | None = None
) -> Iterator[SelectedRows]:
    """Choose among the trajectories of `sources`, runs on `world`, and put them in order.

    `scratch` is a folder with room for what is moved to disk, by default the system's own: the chosen rows as they are
    in memory, compressed, where they come in another order than they were played in. Raises InputError where `where` is
    no condition, a name is not known, or a tokenizer cannot be read.
    """
    condition = compile_where(selection.where) if selection.where else None
    tokenizer = open_tokenizer(selection.tokenizer) if selection.tokenizer else None
    reader = ShardReader(sources)
    with temp_dir(scratch) as folder:
        rows = RowTable(folder)
        with closing(rows.connection):
            rows.create("rows", reader.scan(columns_read(selection, condition)))
            n_found = rows.n_rows
            if len(sources) > 1:
                _drop_repeated_episodes(rows)
            tried = rows.run(_TRIED).fetchnumpy()
            reads_tasks = {N_CELLS, SEARCHER_CALLS, SIDE} & {
                *(condition.columns if condition else ()),
                selection.curriculum_by,
            }
            _add_columns(rows, reader, selection, world if reads_tasks else None)
            filter_rows(rows, selection, condition)
            _take_steps_over_texts(rows, reader, selection, tokenizer)
            keep_some_of_each(rows, selection)
            if selection.max_tokens is None:
                _count_tokens(rows, reader, tokenizer)
            n_tried, n_passed = (np.asarray(tried[name], np.int64) for name in ("tried", "passed"))
            report = SelectionReport(
                n_found,
                tuple(rows.steps),
                rows.n_rows,
                pass_at_all_k(n_tried, n_passed),
                tokenizer.record if tokenizer else None,
                hasher() if selection.dedupe is not None else "",
                _trials(rows),
            )
            rates = dict(zip(tried["task"].tolist(), (n_passed / n_tried).tolist(), strict=True))
            places, tasks, n_tokens = _selected(rows, order_by(selection))
            counted = n_tokens if tokenizer else None
            chosen = SelectedRows(reader, places, tasks, counted, report, rates, _histograms(rows), folder)
        yield chosen


def _drop_repeated_episodes(rows: RowTable) -> None:
    """Keep the first row of each episode: a copied run repeats the episodes of its original. Report it if any go."""
    rows.keep_first("duplicates", 1, "place", "episode", "episodes of an earlier run")
    if not rows.steps[-1].n_removed:
        rows.steps.pop()


def _add_columns(rows: RowTable, reader: ShardReader, selection: Selection, world: World | None) -> None:
    """Add pass rates, numbers drawn by chance from seed and place, and, given a world, what is known of tasks."""
    tasks = world.tasks if world is not None else ()
    known = [
        {"task": task.id, N_CELLS: task.n_cells, SEARCHER_CALLS: task.measures.searcher_calls, SIDE: task.side}
        for task in tasks
    ]
    places, stream = np.arange(reader.n_rows), Stream(selection.seed, "selection")
    drawn = {column: stream.child(column).bits(places) for column in ("draw", "shuffled")}
    rows.create("tasks", pa.Table.from_pylist(known, _TASK))
    rows.create("draws", pa.table({"place": places, **drawn}))
    rows.run(_WIDEN)


def _take_steps_over_texts(
    rows: RowTable, reader: ShardReader, selection: Selection, tokenizer: Tokenizer | None
) -> None:
    """Take the steps that read conversations: the most tokens, near-duplicates."""
    if selection.max_tokens is not None:
        _count_tokens(rows, reader, tokenizer)
        short = "place IN (SELECT place FROM counted WHERE n_tokens <= ?)"
        rows.keep("max_tokens", selection.max_tokens, short, selection.max_tokens)
    if selection.dedupe is not None:
        ranked = rows.run(f"SELECT place FROM rows ORDER BY {BEST}").fetchnumpy()
        gone = near_duplicates(reader, np.asarray(ranked["place"], np.int64), selection.dedupe)
        rows.create("gone", pa.table({"place": pa.array(gone, pa.int64())}))
        rows.keep("dedupe", f"{selection.dedupe:g}", "place NOT IN (SELECT place FROM gone)")


def _count_tokens(rows: RowTable, reader: ShardReader, tokenizer: Tokenizer | None) -> None:
    """Create the table `counted`: the tokens of the rows that are left, empty without a tokenizer."""
    left = np.asarray(rows.run("SELECT place FROM rows ORDER BY place").fetchnumpy()["place"], np.int64)
    read = reader.read(left, TOKENIZED) if tokenizer else ()
    tables = [pa.table({"place": places, "n_tokens": tokenizer.count(table)}) for places, table in read if tokenizer]
    rows.create("counted", pa.concat_tables([_COUNTED.empty_table(), *tables]))


def _trials(rows: RowTable) -> dict[str, list[int]]:
    """Return the numbers of the trials that are left, by run."""
    return dict(rows.run("SELECT run, list_sort(list(DISTINCT trial)) FROM rows GROUP BY run ORDER BY run").fetchall())


def _histograms(rows: RowTable) -> Histograms:
    shares = {}
    for name in ("item_f1", "coverage"):
        bins = f"least({N_BINS}, greatest(0, floor(coalesce({name}, 0) * {N_BINS})))::INTEGER"
        counts = dict(rows.run(f"SELECT {bins}, count(*) FROM rows GROUP BY 1").fetchall())
        shares[name] = [counts.get(number, 0) for number in range(N_BINS + 1)]
    steps = dict(rows.run("SELECT n_steps, count(*) FROM rows GROUP BY 1 ORDER BY 1").fetchall())
    return Histograms(rows.n_rows, shares, steps)


def _selected(rows: RowTable, order: str) -> tuple[Places, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the places, the numbers of the tasks and the tokens of the rows that are left, in order."""
    found = rows.run(
        f"SELECT place, dense_rank() OVER (ORDER BY task) AS task, coalesce(n_tokens, 0) AS n_tokens "
        f"FROM rows LEFT JOIN counted USING (place) ORDER BY {order}"
    ).fetchnumpy()
    tasks, n_tokens = (np.asarray(found[name], np.int32) for name in ("task", "n_tokens"))
    return np.asarray(found["place"], np.int64), tasks, n_tokens
