"""Play a run by ranks, each every n-th episode in a folder of its own, and merge their shards into the run.

    <run>/ranks/2-of-8/     as a run of its own (`run`), with the episodes at places 2, 10, 18, …; its share is whole
                            once there is a run.json, which is written last, and all shards are as the ledger says
    <run>/                  the run, as one process would have written it, once ranks are merged

A merge reads the shards of all ranks, each in order, and writes the run's. The ranks' folders stay until run.json is
written: a merge that was killed is repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError, PartialError
from worldforge.core.files import locked, remove_at_once
from worldforge.core.progress import Progress
from worldforge.core.store import Store, redirect_stores
from worldforge.rollouts.config import CONFIG, RunConfig, differences, read_config, read_json
from worldforge.rollouts.ledger import append_record, shard_paths, unit_places, whole_shards
from worldforge.rollouts.rank_shards import RankShard, in_short, lock_shards, number_of_ranks, shards_found
from worldforge.rollouts.run import (
    LOCK,
    RANKS,
    RECORD,
    Resume,
    RunSummary,
    begin_run,
    close_run,
    read_record,
    trials_begun,
)
from worldforge.rollouts.shards import ShardStore, encode_shard, read_shard
from worldforge.rollouts.trials import Trial, read_set_aside

_LISTED = 20  # ranks that a message lists one by one


@contextmanager
def locked_folder(run: Path, share: RankShard | None, resume: Resume) -> Iterator[Path]:
    """Lock and give the folder to play in: the run's, or, with a `share`, that rank's own.

    What models word for a rank is kept there too. Raises InputError where another process is at work there, and where
    ranks have played of a run that one process is to play; begun anew, their folders go.
    """
    if share is not None:
        folder = share.folder(run / RANKS)
        refusal = f"another process is at work on {share} of the run in {run}"
        with locked(folder / LOCK, refusal), redirect_stores(folder):
            yield folder
        return
    with locked(run / LOCK, f"another process is at work on the run in {run}"):
        if shards_found(run / RANKS):
            if resume != "never":
                raise InputError(
                    f"the run in {run} is played by ranks",
                    "`--merge` puts together what they have played; `--resume never` throws it away",
                )
            with lock_shards(run / RANKS, LOCK):
                remove_at_once(run / RANKS)
        yield run


def merged_before(
    run: Path, share: RankShard | None, config: RunConfig, resume: Resume, retry_failed: bool
) -> RunSummary | None:
    """Return the finished run of which a rank is to play a share, where there is one of this configuration.

    Raises InputError where the run was begun without ranks, and where its failed episodes are to be played again: a
    rank cannot, once all are merged.
    """
    if share is None or resume == "never" or shards_found(run / RANKS) or not (run / CONFIG).exists():
        return None
    trials_begun(run, config, resume)
    before = read_record(run)
    if before is None:
        raise InputError(
            f"the run in {run} was begun without ranks",
            "go on without `--rank`, or begin it anew with `--resume never`",
        )
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
    another configuration, where a rank is at work, and where a run that was merged before is damaged.
    """
    with locked(run / LOCK, f"another process is at work on the run in {run}"), lock_shards(run / RANKS, LOCK):
        before = read_record(run)
        if before is not None and not shards_found(run / RANKS) and trials_begun(run, config, "auto"):
            remove_at_once(run / RANKS)  # what a merge that was killed at its end may have left
            _check_merged(run, before)
            return before
        n_ranks = number_of_ranks(run / RANKS, of)
        folders = [RankShard(rank, n_ranks).folder(run / RANKS) for rank in range(n_ranks)]
        records = _check_whole(run / RANKS, folders, config)
        reasons = {id_: why for folder in folders for id_, why in read_set_aside(folder).items()}
        begin_run(run, config, trials, reasons)
        places = [place for place, trial in enumerate(trials) if trial.id not in reasons]
        _write_shards(run, folders, places, progress)
        _take_in_stores(stores, folders)
        summary = close_run(run, config, _combined(records), len(places))
        remove_at_once(run / RANKS)
        return summary


def _check_merged(run: Path, before: RunSummary) -> None:
    """Raise InputError where a shard of a run that was merged before is missing or damaged."""
    try:
        whole_shards(run, before.tally.n_episodes)
    except InputError as error:
        raise InputError(error.message, "the same command without `--merge` plays again what is damaged") from error


def _check_whole(place: Path, folders: Sequence[Path], config: RunConfig) -> list[dict[str, Any]]:
    """Return the record of every rank, in order, having read what each wrote.

    Raises PartialError where shares are missing, unfinished or damaged, InputError where one was played under another
    configuration than `config`, naming what differs.
    """
    runs = [read_record(folder) for folder in folders]
    differing = {
        rank: ", ".join(differences(asdict(run.config), asdict(config)))
        for rank, run in enumerate(runs)
        if run is not None and run.config != config
    }
    if differing:
        raise InputError(
            f"{place} cannot be merged: shares have another configuration than this command's\n{_listed(differing)}",
            f"merge with the options that the ranks were given, or repeat these with yours: {in_short(differing)}",
        )
    gaps = {rank: why for rank, run in enumerate(runs) if (why := _gap(folders[rank], run))}
    if gaps:
        raise PartialError(
            f"{place} cannot be merged: {len(gaps):,} of {len(folders):,} ranks are not whole\n{_listed(gaps)}",
            f"repeat the command with `--rank R --of {len(folders)}` for R = {in_short(gaps)}, then merge again",
        )
    return [read_json(folder / RECORD) or {} for folder in folders]


def _gap(folder: Path, summary: RunSummary | None) -> str:
    """Return why a rank's share is not whole; empty where it is."""
    if summary is None:
        return "has begun, and is not finished" if folder.exists() else "has not begun"
    try:
        whole_shards(folder, summary.tally.n_episodes)
    except InputError as error:
        return error.message
    return ""


def _listed(reasons: Mapping[int, str]) -> str:
    return "\n".join(f"  rank {rank}: {reason}" for rank, reason in islice(reasons.items(), _LISTED))


def recorded_weights(run: Path) -> tuple[str, str]:
    """Return the identities of agent's and world model's weights with which the ranks of a run have played.

    A merge asks no model, whose server may be gone by then.
    """
    folders = [*(share.folder(run / RANKS) for share in shards_found(run / RANKS)), run]
    config: Mapping[str, Any] = next(filter(None, map(read_config, folders)), {})
    return config.get("agent_weights", ""), config.get("world_model_weights", "")


def _write_shards(run: Path, folders: Sequence[Path], places: Sequence[int], progress: Progress) -> None:
    """Write the shards of a run from those of its ranks, and the ledger over them.

    `places` are those of the run's episodes that were played, in order: rank p % len(folders) has the one at place p.
    """
    ranks = [place % len(folders) for place in places]
    rows = [_rows(shard_paths(folder, ranks.count(rank))) for rank, folder in enumerate(folders)]
    shards, store = shard_paths(run, len(places)), ShardStore(run)
    progress.start("merge", len(shards))
    for unit, shard in enumerate(shards):
        in_order = [next(rows[ranks[index]]) for index in unit_places(unit, len(places))]
        content, record = encode_shard(shard.name, in_order)
        store.put(shard.name, content)
        append_record(run, record)
        progress.advance()


def _rows(shards: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for shard in shards:
        yield from read_shard(shard).to_pylist()


def _take_in_stores(target: Path, folders: Sequence[Path]) -> None:
    """Copy the texts in the ranks' stores into the stores that all runs share."""
    for path in [path for folder in folders for path in sorted(folder.glob("*.sqlite"))]:
        with Store(target / path.name) as store:
            store.merge_from(path)


def _combined(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Combine the ranks' figures as if they had run at the same time: the longest time, and speeds summed.

    Servers' addresses and versions are listed where they differ.
    """
    loads = [record["models"] for record in records]
    models = {key: sum(load[key] for load in loads) for key in loads[0]}
    return {
        **{key: sum(record[key] for record in records) for key in ("n_played", "steps_per_s", "tokens_per_s")},
        "unavailable": dict(sum((Counter(record["unavailable"]) for record in records), Counter())),
        "wall_s": max(record["wall_s"] for record in records),
        **{key: _in_common([record[key] for record in records]) for key in ("asked", "versions")},
        "models": models | {"prefix_cache_hits": models["cached_tokens"] / max(models["prompt_tokens"], 1)},
    }


def _in_common(values: Sequence[Mapping[str, Any]]) -> Any:
    different = [value for place, value in enumerate(values) if value not in values[:place]]
    return different[0] if len(different) == 1 else different
