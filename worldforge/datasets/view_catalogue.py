"""Find views by name: a file of `views/` by its name, a view of your own as `module:attribute`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, load_own, shipped_views
from worldforge.core.suggestions import did_you_mean
from worldforge.datasets.view import DatasetView

ALL = "all"


def load_views(references: Sequence[str], code_from: Path | None = None) -> list[DatasetView]:
    """Return the views that are named, each once, sorted by name; `all` stands for every shipped one.

    Raises InputError for an unknown name, for none at all, for code that was not allowed (`code_from` is the folder it
    is imported from), and where two views have one name.
    """
    if not references:
        raise InputError("no view is named", "`--view sft`, or `--view all`")
    wanted = dict.fromkeys(name for one in references for name in (shipped_views() if one == ALL else (one,)))
    views: dict[str, DatasetView] = {}
    for reference in wanted:
        view = _load(reference, code_from)
        if views.setdefault(view.name, view) is not view:
            raise InputError(f"two views are called `{view.name}`", f"give the one of `{reference}` another name")
    return [views[name] for name in sorted(views)]


def _load(reference: str, code_from: Path | None) -> DatasetView:
    if not is_own(reference):
        if reference not in shipped_views():
            raise InputError(f"unknown view `{reference}`", did_you_mean(reference, [*shipped_views(), ALL]))
        shipped: DatasetView = import_module(f"worldforge.datasets.views.{reference}").VIEW
        return shipped
    view = load_own(reference, code_from)
    if not isinstance(view, DatasetView):
        raise InputError(f"`{reference}` is no DatasetView", "see docs/how-to/own-view.md")
    if view.name in shipped_views():
        raise InputError(f"`{reference}` is called `{view.name}`, as a shipped view is", "give it another name")
    return replace(view, reference=reference)
