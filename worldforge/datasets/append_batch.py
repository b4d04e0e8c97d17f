"""Append a batch to a dataset on the Hub: compatibility checks, file names, and the merged manifest.

    sft/train-00000-of-00002.parquet    becomes    sft/train-b0001-00000.parquet

so that no file that is there changes, and the card's `sft/train-*.parquet` takes the new ones in. Views of the world
alone (pages, tasks, …) are there already and stay as they are: appended, their rows would be there twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.datasets.card.markdown import count_of, size, table
from worldforge.datasets.card.yaml_header import update_head
from worldforge.datasets.hub_files import Upload, upload_of
from worldforge.datasets.manifest import CARD, MANIFEST, File, Manifest, ViewRecord
from worldforge.rollouts.rank_shards import in_short

_SHARD = re.compile(r"(?P<split>[a-z]+)-(?P<number>\d{5})-of-\d{5}(?P<ending>\.\w+)")
_BATCH = re.compile(r"(?:^|-)b(\d{4})-")
_SECTION = "\n## Batches\n"


@dataclass(frozen=True, slots=True)
class AppendedBatch:
    """A dataset and a further batch of it: its number, the files that are new or changed, and the manifest of all."""

    number: int
    uploads: tuple[Upload, ...]
    manifest: Manifest


def append_batch(folder: Path, batch: Manifest, there: Manifest, card: str) -> AppendedBatch | None:
    """Append the dataset in `folder`, whose manifest is `batch`, to the one whose manifest and card are given.

    None: it has been appended before. Raises InputError where the two do not go together: other worlds, recipes,
    licences or views, or the same runs.
    """
    data = {name: view for name, view in batch.views.items() if view.takes != "world"}
    digests = {file.sha256 for file in there.files.values()}
    if not data or all(batch.files[path].sha256 in digests for view in data.values() for path in view.files):
        return None
    _check_compatible(batch, there)
    number = 1 + max(
        (int(found) for path in there.files for found in _BATCH.findall(path.rpartition("/")[2])), default=0
    )
    names = {path: _name_in_batch(path, number) for view in data.values() for path in view.files}
    merged = _merge_manifests(batch, there, data, names, number)
    card_upload = upload_of(CARD, _update_card(card, merged, data).encode())
    merged = replace(merged, files={**merged.files, CARD: File(bytes=card_upload.n_bytes, sha256=card_upload.sha256)})
    uploads = [
        Upload(name, folder / path, batch.files[path].sha256, batch.files[path].bytes) for path, name in names.items()
    ]
    return AppendedBatch(number, (*uploads, card_upload, upload_of(MANIFEST, _text(merged).encode())), merged)


def _check_compatible(batch: Manifest, there: Manifest) -> None:
    """Raise InputError if the two are not parts of one dataset."""
    pairs: Sequence[tuple[str, Any, Any]] = (
        ("world", batch.world.get("digest"), there.world.get("digest")),
        ("reward recipe", batch.recipe, there.recipe),
        ("licence", batch.license, there.license),
        ("set of views", _views(batch), _views(there)),
    )
    for what, mine, theirs in pairs:
        if mine != theirs:
            raise InputError(
                f"the dataset there has another {what}: {_short(theirs)}, not {_short(mine)}",
                "export with the same options, or push to another repository",
            )
    data = [name for name, view in batch.views.items() if view.takes != "world" and name in there.views]
    differing = [name for name in data if batch.views[name].columns != there.views[name].columns]
    if differing:
        raise InputError(
            f"the dataset there has other columns in `{differing[0]}`",
            "push to another repository, or push all of it anew",
        )
    without = [name for name in batch.views if name in there.empty_views]
    if without:
        raise InputError(
            f"the dataset there has no rows of `{without[0]}`, and a card that does not load it", "push all of it anew"
        )
    for run in batch.runs:
        _check_is_new(run, _trials(batch, run), there)


def _check_is_new(run: Mapping[str, Any], trials: set[int], there: Manifest) -> None:
    """Refuse `trials` of a run where the dataset there has the same episodes, of that run or of another like it.

    Which trials of a run a dataset holds is on record, not of which tasks: a trial counts as a whole.
    """
    for other in there.runs:
        common = sorted(trials & _trials(there, other)) if other["identity"] == run["identity"] else []
        if common:
            called = "" if other["name"] == run["name"] else f", as `{other['name']}`"
            raise InputError(
                f"the dataset there has the run `{run['name']}` already{called}: trials {in_short(common)}",
                "export only what is new, with `--run NAME` or `--where 'trial >= N'`; "
                "`worldforge rollout` plays further trials with `--first-trial N`, and others with `--seed N`",
            )


def _trials(manifest: Manifest, run: Mapping[str, Any]) -> set[int]:
    """Return the numbers of the trials that a dataset holds of one of its runs."""
    number = run.get("batch")
    selection = manifest.selection if number is None else manifest.selection["batches"][f"b{number:04d}"]
    return set(selection["report"]["trials"].get(run["name"], ()))


def _views(manifest: Manifest) -> list[str]:
    return sorted({*manifest.empty_views, *(name for name, view in manifest.views.items() if view.takes != "world")})


def _merge_manifests(
    batch: Manifest, there: Manifest, data: Mapping[str, ViewRecord], names: Mapping[str, str], number: int
) -> Manifest:
    """Merge two manifests; each appended run names its batch and the canary of its rows."""
    runs = [{**run, "batch": number, "canary": batch.canary} for run in batch.runs]
    added = {name: replace(view, files=tuple(names[path] for path in view.files)) for name, view in data.items()}
    earlier = dict(there.selection)
    return replace(
        there,
        runs=[*there.runs, *runs],
        selection={**earlier, "batches": {**earlier.get("batches", {}), f"b{number:04d}": dict(batch.selection)}},
        views={name: _merge_views(there.views.get(name), added.get(name)) for name in {**there.views, **added}},
        empty_views=[name for name in there.empty_views if name not in added],
        files={**there.files, **{name: batch.files[path] for path, name in names.items()}},
    )


def _merge_views(first: ViewRecord | None, second: ViewRecord | None) -> ViewRecord:
    if first is None or second is None:
        return first or second or ViewRecord(0, 0, ())
    return replace(
        first,
        n_rows=first.n_rows + second.n_rows,
        n_bytes=first.n_bytes + second.n_bytes,
        files=(*first.files, *second.files),
    )


def _text(manifest: Manifest) -> str:
    return json.dumps(manifest.as_data(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _name_in_batch(path: str, number: int) -> str:
    folder, _, name = path.rpartition("/")
    shard = _SHARD.fullmatch(name)
    new = f"{shard['split']}-b{number:04d}-{shard['number']}{shard['ending']}" if shard else f"b{number:04d}-{name}"
    return f"{folder}/{new}"


def _update_card(card: str, manifest: Manifest, grown: Iterable[str]) -> str:
    """Update a card: its views, the rows and sizes of those that have `grown`, and the list of batches at its end."""
    text = card.partition(_SECTION)[0].rstrip("\n") + "\n"
    for name, view in manifest.views.items():
        text = _update_line(text, name, view)
    return update_head(text, manifest, set(grown)) + _SECTION + _batches(manifest)


def _update_line(text: str, name: str, view: ViewRecord) -> str:
    """Update rows and size of view `name` in the card's table."""
    line = re.compile(rf"(?m)^(\| `{re.escape(name)}` \|.*\|) [\d,]+ rows? \| [^|\n]* \|$")
    return line.sub(rf"\g<1> {count_of(view.n_rows, 'row')} | {size(view.n_bytes)} |", text, count=1)


def _batches(manifest: Manifest) -> str:
    """Write the table of batches: batch, run, the agent's episodes, canary."""
    rows = [
        (f"b{run['batch']:04d}", run["name"], str(run.get("n_episodes", "")), f"`{run['canary']}`")
        for run in manifest.runs
        if "batch" in run
    ]
    caption = "Appended to what the sections above were written of. `manifest.json` has each run's settings and scores."
    return f"\n{caption}\n\n{table(('batch', 'run', 'trajectories', 'canary'), rows)}\n"


def _short(value: Any) -> str:
    text = ", ".join(value) if isinstance(value, list) else str(value)
    return f"`{text[:80]}`"
