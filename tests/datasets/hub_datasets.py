"""Datasets by hand, as `worldforge export` lays them out, small enough to be pushed twenty times over."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.files import write_text
from worldforge.datasets.card.markdown import size
from worldforge.datasets.card.yaml_header import description
from worldforge.datasets.manifest import Manifest, ViewRecord, read_manifest, record_file, write_manifest
from worldforge.schema.resolved_spec import write_resolved
from worldforge.schema.spec_loader import load_spec

WORLD_DIGEST = "d1" * 32
CARD = """\
---
license: cc-by-4.0
size_categories:
  - "n<1K"
configs:
{configs}
---

# paper: search trajectories

## Views

|  | for |  |  |
| --- | --- | --- | --- |
{table}
"""


def make_dataset(
    folder,
    n_shards=2,
    rows_per_shard=3,
    run="oracle",
    text="",
    digest=WORLD_DIGEST,
    identity="",
    trials=(0,),
    **changes,
):
    """Write a dataset of two views, `sft` in `n_shards` files and `pages` in one; return its folder.

    Runs of the same `identity` (default: the run's name) have the same episodes in the same `trials`.
    """
    folder.mkdir(parents=True)
    canary = f"worldforge:canary:{run}"
    views, files = {}, {}
    for name, shards in (("sft", n_shards), ("pages", 1)):
        (folder / name).mkdir()
        paths = []
        for shard in range(shards):
            path = f"{name}/train-{shard:05d}-of-{shards:05d}.parquet"
            ids = [f"{name if name == 'pages' else run}-{shard}-{row}" for row in range(rows_per_shard)]
            rows = {"id": ids, "text": [f"{text}{i}" for i in ids], "canary": [canary] * rows_per_shard}
            pq.write_table(pa.table(rows), folder / path)
            files[path] = record_file(folder / path)
            paths.append(path)
        size = sum(files[path].bytes for path in paths)
        views[name] = ViewRecord(
            shards * rows_per_shard, size, tuple(paths), "world" if name == "pages" else "trajectories"
        )
    write_text(folder / "spec" / "spec.yaml", write_resolved(load_spec("quickstart")))
    (folder / "traces").mkdir()
    trace = f"traces/{run}.jsonl"
    write_text(folder / trace, '{"type": "session", "harness": "worldforge"}\n')
    views["traces"] = ViewRecord(1, (folder / trace).stat().st_size, (trace,))
    files[trace] = record_file(folder / trace)
    files["spec/spec.yaml"] = record_file(folder / "spec" / "spec.yaml")
    manifest = Manifest(
        world={"name": "paper", "digest": digest},
        runs=[{"name": run, "config_sha256": "c0" * 32, "n_episodes": 3, "identity": identity or run}],
        selection={"asked": {}, "report": {"trials": {run: list(trials)}}},
        recipe={"name": "default"},
        canary=canary,
        license="cc-by-4.0",
        versions={"worldforge": "0.1.0"},
        views=views,
        empty_views=[],
        files=files,
    )
    return finish(folder, replace(manifest, **changes))


def finish(folder, manifest):
    """Write card and manifest."""
    configs = "\n".join(
        f"- config_name: {name}\n  description: {description(manifest, name)}\n"
        f"  data_files: [{{split: train, path: {name}/train-*.parquet}}]"
        for name in ("sft", "pages")
        if name in manifest.views
    )
    lines = [
        f"| `{name}` | trainers | {view.n_rows:,} row{'s' * (view.n_rows != 1)} | {size(view.n_bytes)} |"
        for name, view in manifest.views.items()
    ]
    write_text(folder / "README.md", CARD.format(configs=configs, table="\n".join(lines)))
    card = folder / "README.md"
    write_manifest(folder, replace(manifest, files={**manifest.files, "README.md": record_file(card)}))
    return folder


def listed(folder):
    """Every file of the dataset, manifest included: bytes by path."""
    paths = [*read_manifest(folder).files, "manifest.json"]
    return {path: (folder / path).read_bytes() for path in paths}
