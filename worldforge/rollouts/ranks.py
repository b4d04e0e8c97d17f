"""Play a run by ranks, each every n-th episode in a folder of its own, and merge their shards into the run.

    <run>/ranks/2-of-8/     as a run of its own (`run`), with the episodes at places 2, 10, 18, …; run.json, written
                            last, is the record that the share is whole: it has the digests of the shards
    <run>/                  the run, as one process would have written it, once ranks are merged

A merge reads the shards of all ranks, each in order, and writes the run's. The ranks' folders stay until run.json is
written: a merge that was killed is repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.files import locked, remove_at_once
from worldforge.core.progress import Progress
from worldforge.core.rank_shards import RankShard, collect, lock_shards, number_of_ranks, shards_found
from worldforge.core.store import Store, redirect_stores
from worldforge.rollouts import journal
from worldforge.rollouts.config import CONFIG, RunConfig, read_config
from worldforge.rollouts.ledger import LEDGER, shard_paths, unit_size
from worldforge.rollouts.run import (
    LOCK,
    RANKS,
    RECORD,
    Pace,
    Resume,
    RunSummary,
    begin_run,
    close_run,
    is_begun,
    read_record,
)
from worldforge.rollouts.shards import read_shard, shard_bytes, shard_record, write_bytes
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.rollouts.trials import Trial, read_set_aside, set_aside_lines


@contextmanager
def locked_folder(run: Path, share: RankShard | None, config: RunConfig, resume: Resume) -> Iterator[Path]:
    """Lock and give the folder to play in: the run's, or, with a `share`, that rank's own.

    What models word for a rank is kept there too. Raises InputError where another process is at work there, and where
    the run was begun in the other way.
    """
    if share is None:
        with locked(run / LOCK, f"another process is at work on the run in {run}"):
            _remove_ranks(run, resume)
            yield run
        return
    if (
        resume != "never"
        and not shards_found(run / RANKS)
        and (run / CONFIG).exists()
        and is_begun(run, config, resume)
    ):
        raise InputError(
            f"the run in {run} was begun without ranks",
            "go on without `--rank`, or begin it anew with `--resume never`",
        )
    folder = share.folder(run / RANKS)
    with locked(folder / LOCK, f"another process is at work on {share} of the run in {run}"), redirect_stores(folder):
        yield folder


def merged_before(
    run: Path, share: RankShard | None, config: RunConfig, resume: Resume, retry_failed: bool
) -> RunSummary | None:
    """Return the finished run of which a rank is to play a share, where there is one of this configuration.

    Raises InputError where its failed episodes are to be played again: a rank cannot, once all are merged.
    """
    if share is None or resume == "never" or shards_found(run / RANKS):
        return None
    before = read_record(run)
    if before is None or not is_begun(run, config, resume):
        return None
    if retry_failed and before.tally.n_failed:
        raise InputError(f"the run in {run} is merged", "`--retry-failed` without `--rank` plays again what failed")
    return before


def trials_of_rank(share: RankShard | None, trials: Sequence[Trial]) -> Sequence[Trial]:
    """Return the episodes of a rank, renumbered; all of them without ranks."""
    if share is None:
        return trials
    return [replace(trial, index=index) for index, trial in enumerate(share.mine(trials))]


def merge_ranks(
    run: Path, config: RunConfig, trials: Sequence[Trial], of: int | None, stores: Path, progress: Progress
) -> RunSummary:
    """Make the run of `trials` of what its ranks have played: the same shards as one process would have written.

    What models worded for ranks goes into the files of the same names in the folder `stores`. `of` says how many ranks
    there were (None: as many as are found). A run that was merged before is left as it is.

    Raises PartialError where a rank's share is not whole, naming each; InputError where one was played under
    another configuration, and where a rank is at work.
    """
    with locked(run / LOCK, f"another process is at work on the run in {run}"), lock_shards(run / RANKS, LOCK):
        before = read_record(run)
        if before is not None and not shards_found(run / RANKS) and is_begun(run, config, "auto"):
            remove_at_once(run / RANKS)  # what a merge that was killed at its end may have left
            return before
        ranks = collect(run / RANKS, number_of_ranks(run / RANKS, of), asdict(config), RECORD)
        folders = [folder for folder, _ in ranks]
        reasons = {line["id"]: line["reason"] for folder in folders for line in read_set_aside(folder)}
        begin_run(run, config, set_aside_lines(trials, reasons))
        places = [place for place, trial in enumerate(trials) if trial.id not in reasons]
        _write_shards(run, folders, places, progress)
        _take_in_stores(stores, folders)
        summary = close_run(run, config, _pace([record for _, record in ranks]), len(places))
        remove_at_once(run / RANKS)
        return summary


def recorded_weights(run: Path) -> tuple[str, str]:
    """Return the identities of agent's and world model's weights with which the ranks of a run have played.

    A merge asks no model, whose server may be gone by then.
    """
    folders = [*(share.folder(run / RANKS) for share in shards_found(run / RANKS)), run]
    config: Mapping[str, Any] = next(filter(None, map(read_config, folders)), {})
    return config.get("agent_weights", ""), config.get("world_model_weights", "")


def _remove_ranks(run: Path, resume: Resume) -> None:
    """See that no rank has played of a run that one process is to play; begun anew, their folders go."""
    if not shards_found(run / RANKS):
        return
    if resume != "never":
        raise InputError(
            f"the run in {run} is played by ranks",
            "`--merge` puts together what they have played; `--resume never` throws it away",
        )
    with lock_shards(run / RANKS, LOCK):
        remove_at_once(run / RANKS)


def _write_shards(run: Path, folders: Sequence[Path], places: Sequence[int], progress: Progress) -> None:
    """Write the shards of a run from those of its ranks, and the ledger over them.

    `places` are those of the run's episodes that were played, in order: rank p % len(folders) has the one at place p.
    """
    shards, size = shard_paths(run, len(places)), unit_size(len(places))
    ranks = np.array(places, np.int64) % len(folders)
    rows = [
        _RowReader(shard_paths(folder, int(np.count_nonzero(ranks == rank)))) for rank, folder in enumerate(folders)
    ]
    progress.start("merge", len(shards))
    for unit, shard in enumerate(shards):
        mine = ranks[unit * size : (unit + 1) * size]
        by_rank = pa.concat_tables(rows[rank].take(np.count_nonzero(mine == rank)) for rank in np.unique(mine))
        in_order = pa.array(np.argsort(np.argsort(mine, kind="stable")))
        table = by_rank.combine_chunks().take(in_order)
        content = shard_bytes(table)
        write_bytes(shard, content)
        journal.append(run / LEDGER, journal.to_line(shard_record(shard.name, content, table)))
        progress.advance()


class _RowReader:
    """Reads the rows of a rank's shards in order, one shard at a time."""

    def __init__(self, shards: Sequence[Path]) -> None:
        self._shards, self._rows = iter(shards), TRAJECTORIES.empty_table()

    def take(self, n: int) -> pa.Table:
        """Return the next `n` rows."""
        while self._rows.num_rows < n:
            self._rows = pa.concat_tables([self._rows, read_shard(next(self._shards))])
        rows, self._rows = self._rows.slice(0, n), self._rows.slice(n)
        return rows


def _take_in_stores(target: Path, folders: Sequence[Path]) -> None:
    """Copy the texts in the ranks' stores into the stores that all runs share."""
    with ExitStack() as stack:
        open_stores: dict[str, Store] = {}
        for path in [path for folder in folders for path in sorted(folder.glob("*.sqlite"))]:
            if path.name not in open_stores:
                open_stores[path.name] = stack.enter_context(Store(target / path.name))
            open_stores[path.name].merge_from(path)


def _pace(records: Sequence[Mapping[str, Any]]) -> Pace:
    """Combine the ranks' figures as if they had run at the same time: the longest time, and speeds summed."""
    total = {key: sum(record[key] for record in records) for key in ("n_played", "steps_per_s", "tokens_per_s")}
    return Pace(
        **total,
        unavailable=dict(sum((Counter(record["unavailable"]) for record in records), Counter())),
        wall_s=max(record["wall_s"] for record in records),
        asked=_in_common([record["asked"] for record in records]),
        versions=_in_common([record["versions"] for record in records]),
        models=_models([record["models"] for record in records]),
    )


def _models(loads: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Add up what the models of all ranks did; the share of prompts from the prefix cache is that of all."""
    total = {key: sum(load[key] for load in loads) for key in loads[0]}
    return total | {"prefix_cache_hits": total["cached_tokens"] / max(total["prompt_tokens"], 1)}


def _in_common(values_of_ranks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge the ranks' records: where values differ (a server's address, a version), list them."""
    common = {}
    for key in dict.fromkeys(key for one in values_of_ranks for key in one):
        values = list(dict.fromkeys(one.get(key) for one in values_of_ranks))
        common[key] = values[0] if len(values) == 1 else values
    return common
