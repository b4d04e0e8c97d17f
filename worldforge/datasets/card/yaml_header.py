"""The head of a card, in YAML: what the Hub and `datasets` read. It names no features: readers find them in the files,
and one JSON type among them would keep `datasets` before 4.7 from every configuration.

A configuration's description says which files it has. `datasets` keeps what it has read of a folder under the folder's
name and these configurations, whatever the files hold: by the digest, it reads them again when they have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from worldforge.datasets.card.markdown import count_of, one_line
from worldforge.datasets.manifest import Manifest
from worldforge.datasets.view_writer import PATTERN
from worldforge.datasets.views.widesearch import FULL, SPLIT
from worldforge.datasets.views.widesearch import VIEW as WIDESEARCH
from worldforge.world.world import World

_DEFAULTS = ("sft", "trajectories")
_DIGITS = 16
_MARK = "---\n"
_SIZES = {1_000: "1K", 10_000: "10K", 100_000: "100K", 1_000_000: "1M", 10_000_000: "10M", 100_000_000: "100M"}


def yaml_header(world: World, configs: Sequence[str], manifest: Manifest) -> str:
    """Write the head: `configs` are what `load_dataset` may be asked for."""
    values: dict[str, Any] = {
        "license": one_line(manifest.license),
        "language": list(world.spec.languages),
        "pretty_name": one_line(f"{world.spec.title or world.name}: search trajectories"),
        "size_categories": [size_category(max((view.n_rows for view in manifest.views.values()), default=0))],
        "task_categories": ["question-answering", "text-generation"],
        "tags": ["synthetic", "agent", "search-agent", "tool-use", "widesearch", "worldforge"],
    }
    default = default_config(configs)
    listed = [
        {
            "config_name": name,
            "description": description(manifest, name),
            **({"default": True} if name == default else {}),
            "data_files": [{"split": "train", "path": f"{name}/{PATTERN}"}],
        }
        for name in configs
    ]
    if not configs and WIDESEARCH.name in manifest.views:
        # `datasets` reads all configurations of a repository in one format: JSON lines cannot stand beside Parquet
        questions = [{"split": SPLIT, "path": f"{WIDESEARCH.name}/{FULL}"}]
        listed = [{"config_name": WIDESEARCH.name, "default": True, "data_files": questions}]
    return _written(values | ({"configs": listed} if listed else {}))


def description(manifest: Manifest, name: str) -> str:
    """Describe the configuration `name`: its number of rows, and 16 digits of its files' digest."""
    n_rows = count_of(manifest.views[name].n_rows, "row")
    return f"{n_rows}, sha256:{manifest.digest_of(name)[:_DIGITS]} of their files"


def update_head(card: str, manifest: Manifest, names: Iterable[str]) -> str:
    """Return `card` with its size and the descriptions of the configurations `names` made anew.

    Configurations that it does not have stay out, as does all of it where it has no head.
    """
    if not card.startswith(_MARK) or card.count(_MARK) < 2:
        return card
    _, head, body = card.split(_MARK, 2)
    read = yaml.load(head, yaml.CSafeLoader)
    read["size_categories"] = [size_category(sum(view.n_rows for view in manifest.views.values()))]
    for config in read.get("configs", ()):
        if config["config_name"] in names:
            config["description"] = description(manifest, config["config_name"])
    return f"{_written(read)}\n{body}"


def default_config(configs: Sequence[str]) -> str:
    """Return the configuration that is loaded where none is named; empty where there is none."""
    return next((name for name in (*_DEFAULTS, *configs) if name in configs), "")


def size_category(n_rows: int) -> str:
    """Return the Hub's name for a dataset's size: `1K<n<10K`."""
    below = [name for size, name in _SIZES.items() if n_rows >= size]
    above = [name for size, name in _SIZES.items() if n_rows < size]
    if not above:
        return f"n>{below[-1]}"
    return f"{below[-1]}<n<{above[0]}" if below else f"n<{above[0]}"


def _written(head: Mapping[str, Any]) -> str:
    return f"{_MARK}{yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=10_000)}---"
