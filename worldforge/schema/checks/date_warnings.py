"""Years and days that lie beyond the world's today: warnings, for a spec may mean them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.expression_values import constant_parameters
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec
from worldforge.schema.yaml_tree import Path, TreeNode

_PAST = re.compile(
    r"birth|born|death|died|found|establish|opened|opening|built|construct|complet|launch|releas|publi|charter"
    r"|accession|join|discover|成立|出生|诞生|逝世|去世|创立|创办|建立|建成|落成|开业|发行|出版|发布"
)
FAR_YEARS = 100
"""Years beyond today that hardly anyone means."""


def tells_of_past(column: str, label: str) -> bool:
    """Say whether a column holds when something happened, by its name or label: `born`, `founding year`."""
    return _PAST.search(f"{column} {label}".lower()) is not None


def day_warnings(tree: TreeNode, spec: WorldSpec) -> Iterator[Problem]:
    """Warn of constant bounds of years and days that lie far beyond the world's today, or in no past."""
    for part, inner in (("types", "attributes"), ("relations", "columns")):
        for table in getattr(spec, part):
            for column, source in drawn_columns(spec, table).items():
                if source.generator in ("values.year", "values.date"):
                    path = (part, table, inner, column)
                    constants = constant_parameters(spec, table, source.params)
                    yield from _of_column(tree, spec, path, constants, past=tells_of_past(column, source.label))


def _of_column(
    tree: TreeNode, spec: WorldSpec, path: Path, constants: dict[str, object], *, past: bool
) -> Iterator[Problem]:
    for side in ("low", "high"):
        value = constants.get(side)
        year = _year(value)
        place = tree.value_place((*path, "params", side))
        if year is not None and abs(year - int(spec.as_of[:4])) > FAR_YEARS and year > int(spec.as_of[:4]):
            message = f"`{side}` is {value}, and the world's today is {spec.as_of}"
            hint = f"values are drawn up to it: write a nearer one, such as {spec.as_of[:4]}, or set `as_of`"
            yield place.problem((*path, "params", side), message, hint)
            return
        if past and _is_later(value, spec.as_of):
            message = f"`{side}` is {value}, after the world's today, {spec.as_of}, of what has happened by its label"
            hint = f"let it be {spec.as_of[: len(str(value))]} at most, or set `as_of` to a later day"
            yield place.problem((*path, "params", side), message, hint)
            return


def _year(value: object) -> int | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value)
    found = re.match(r"(\d{1,4})-", str(value)) if isinstance(value, str | datetime.date) else None
    return int(found[1]) if found else None


def _is_later(value: object, as_of: str) -> bool:
    """Say whether a year, or a day as it is written, comes after today."""
    if isinstance(value, str | datetime.date):
        return str(value)[: len(as_of)] > as_of
    year = _year(value)
    return year is not None and year > int(as_of[:4])
