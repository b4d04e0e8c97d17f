"""The head of a card, in YAML: what the Hub and `datasets` read. It names no features: readers find them in the files,
and one JSON type among them would keep `datasets` before 4.7 from every configuration.

A configuration's description says which files it has. `datasets` keeps what it has read of a folder under the folder's
name and these configurations, whatever the files hold: by the digest, it reads them again when they have changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from worldforge.datasets.card.markdown import counted, one_line
from worldforge.datasets.manifest import Manifest
from worldforge.datasets.view import DatasetView
from worldforge.datasets.view_writer import PATTERN
from worldforge.datasets.views.widesearch import FULL, SPLIT
from worldforge.datasets.views.widesearch import VIEW as WIDESEARCH
from worldforge.world.world import World

_DEFAULTS = ("sft", "trajectories")
_DIGITS = 16
_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
_SIZE_NAMES = ("1K", "10K", "100K", "1M", "10M", "100M")


def yaml_header(world: World, configs: Sequence[str], manifest: Manifest) -> str:
    """Write the head: `configs` are what `load_dataset` may be asked for. Every value stands on one line, as JSON."""
    default = default_config(configs)
    values = {
        "license": manifest.license,
        "language": world.spec.languages,
        "pretty_name": f"{world.spec.title or world.name}: search trajectories",
        "size_categories": [size_category(max((view.n_rows for view in manifest.views.values()), default=0))],
        "task_categories": ["question-answering", "text-generation"],
        "tags": ["synthetic", "agent", "search-agent", "tool-use", "widesearch", "worldforge"],
    }
    lines = [f"{key}: {_written(value)}" for key, value in values.items()]
    questions = [] if configs else _questions(manifest)
    lines += ["configs:"] if configs or questions else []
    for name in configs:
        lines += [f"- config_name: {name}", f"  description: {_written(description(manifest, name))}"]
        lines += ["  default: true"] if name == default else []
        lines += [f"  data_files: [{{split: train, path: {name}/{PATTERN}}}]"]
    return "\n".join(["---", *lines, *questions, "---"])


def _questions(manifest: Manifest) -> list[str]:
    """Write the configuration of the benchmark's questions, for a dataset without tables.

    `datasets` reads all configurations of a repository in one format: JSON lines cannot stand beside Parquet.
    """
    if WIDESEARCH.name not in manifest.views:
        return []
    path = f"{WIDESEARCH.name}/{FULL}"
    return [f"- config_name: {WIDESEARCH.name}", "  default: true", f"  data_files: [{{split: {SPLIT}, path: {path}}}]"]


def description(manifest: Manifest, name: str) -> str:
    """Say which rows the configuration `name` has: how many, and a digest of its files, the first 16 digits of it."""
    n_rows = counted(manifest.views[name].n_rows, "row")
    return f"{n_rows}, sha256:{manifest.digest_of(name)[:_DIGITS]} of their files"


def redescribed(card: str, manifest: Manifest, names: Iterable[str]) -> str:
    """Return `card` with the descriptions of the configurations `names` made anew; those it does not have stay out."""
    for name in names:
        entry = re.search(rf"""(?m)^( *)- config_name: (["']?){re.escape(name)}\2\n(?:\1  .*\n)*""", card)
        if entry:
            renewed = _with_description(entry[0], entry[1] + "  ", _written(description(manifest, name)))
            card = card[: entry.start()] + renewed + card[entry.end() :]
    return card


def config_names(views: Sequence[DatasetView]) -> list[str]:
    """Return the views that are tables, each of which is a configuration."""
    return [view.name for view in views if view.tables is not None]


def default_config(configs: Sequence[str]) -> str:
    """Return the configuration that is loaded where none is named; empty where there is none."""
    return next((name for name in (*_DEFAULTS, *configs) if name in configs), "")


def size_category(n_rows: int) -> str:
    """Return the Hub's name for a dataset's size: `1K<n<10K`."""
    step = sum(n_rows >= size for size in _SIZES)
    if step == 0:
        return "n<1K"
    return f"{_SIZE_NAMES[step - 1]}<n<{_SIZE_NAMES[step]}" if step < len(_SIZES) else "n>100M"


def _with_description(entry: str, indent: str, text: str) -> str:
    """Put a description into the entry of a configuration, next to its name, in place of any that is there."""
    opening, _, rest = entry.partition("\n")
    rest = re.sub(rf"(?m)^{indent}description: .*\n(?:{indent} .*\n)*", "", rest)
    return f"{opening}\n{indent}description: {text}\n{rest}"


def _written(value: str | Sequence[str]) -> str:
    lines = one_line(value) if isinstance(value, str) else list(value)
    return json.dumps(lines, ensure_ascii=False)
