"""The section of a card that shows how the dataset is loaded: by `datasets`, and by the readers of each view."""

from __future__ import annotations

from collections.abc import Sequence

from worldforge.datasets.card.markdown import block
from worldforge.datasets.view import REPOSITORY, DatasetView


def loading(configs: Sequence[str], default: str, views: Sequence[DatasetView]) -> str:
    """Show how `datasets` loads the configurations `configs`, and how the readers of `views` load these."""
    parts = [f"`{REPOSITORY}` stands for this repository, or for a folder that holds a copy of it."]
    if configs:
        parts[0] += f" The configurations are {', '.join(f'`{name}`' for name in configs)}."
        first = f'rows = load_dataset("{REPOSITORY}", "{default}", split="train", streaming=True)'
        parts.append(block("python", f"from datasets import load_dataset\n\n{first}"))
    for view in views:
        for reader, language, code in view.loading:
            parts.append(f"`{view.name}` with {reader}:\n\n{block(language, code)}")
    return "\n\n".join(["## Loading", *parts])
