"""How pages put things, a YAML file a language: `wordings("zh").news.headlines`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML


class Wordings:
    """Texts by name: one, a tuple of alternatives, or `Wordings` of their own. Raises AttributeError for others."""

    def __init__(self, entries: dict[str, Any]) -> None:
        for name, entry in entries.items():
            setattr(self, name, Wordings(entry) if isinstance(entry, dict) else _frozen(entry))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no wordings `{name}`: there are {', '.join(vars(self))}")


@cache
def wordings(language: str) -> Wordings:
    """Return the wordings of a language: `en`, `zh`."""
    text = files("generators.pages.wordings").joinpath(f"{language}.yaml").read_text(encoding="utf-8")
    return Wordings(YAML(typ="safe").load(text))


def _frozen(entry: Any) -> Any:
    return tuple(entry) if isinstance(entry, list) else entry
