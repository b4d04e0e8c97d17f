"""Generators, each asked for the last row of its table: that it takes its parameters' values, and has enough to give.

Where a parameter is another in every row, it is asked for no row, which shows what is wrong with the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from worldforge.core.chance import Stream
from worldforge.core.columns import ARROW_TYPES
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, load
from worldforge.schema.checks.check_counts import least_rows
from worldforge.schema.checks.check_expressions import generated
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_dependencies import compile_parameters
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_values import constant_parameters
from worldforge.schema.table_columns import Kinds
from worldforge.schema.yaml_tree import Path

_IN_ROWS = re.compile(r" in \d+ of \d+ rows$")


def check_draws(draft: PartialSpec, faulty: Collection[str]) -> Iterator[Rejection]:
    """Try every shipped generator but those in `faulty`, paths of columns of which something is said already."""
    kinds = Kinds(draft.spec, draft.code_from)
    for table, path, generator, params in generated(draft):
        if not is_own(generator) and not _is_faulty(path, faulty):
            yield from _try(draft, kinds, table, path, generator, params)


def _is_faulty(path: Path, faulty: Collection[str]) -> bool:
    dotted = ".".join(map(str, path))
    return any(one == dotted or one.startswith(f"{dotted}.") for one in faulty)


def _try(
    draft: PartialSpec, kinds: Kinds, table: str, path: Path, generator: str, params: Mapping[str, Any]
) -> Iterator[Rejection]:
    function = load(generator)
    try:
        constants = constant_parameters(draft.spec, table, params)
        given = {name: _plain(value) for name, value in constants.items()}
        varying = {
            name: one for name, one in compile_parameters(draft.spec, table, params).items() if name not in given
        }
        given |= {name: pa.array([], ARROW_TYPES[kinds.of_expression(one)]) for name, one in varying.items()}
    except ExpressionError as error:
        yield Rejection(draft.at_key((*path, "params"), error.message, error.hint))
        return
    if any(value is None for value in given.values()):
        return  # a row for which a parameter is null gets none
    last = _n_rows(draft, table) - 1
    rows = np.array([last] if last >= 0 and not varying else [], np.int64)
    try:
        function(Stream(draft.spec.seed), rows, **given)
    except InputError as error:
        where = _place(path, error.message, constants)
        yield Rejection(draft.at_value(where, _IN_ROWS.sub("", error.message), error.hint))


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def _n_rows(draft: PartialSpec, table: str) -> int:
    """Return how many rows a table has at least; 0 where that is not known."""
    if table in draft.spec.types:
        return 0 if draft.is_broken(("types", table, "count")) else draft.spec.n_entities(table)
    return least_rows(draft, draft.spec.relations[table]) or 0


def _place(path: Path, message: str, params: Mapping[str, Any]) -> Path:
    """Choose the parameter that a message is about: one that it names, one whose value it shows, else all."""
    for name, value in params.items():
        if f"`{name}`" in message or f"`{value}`" in message:
            return (*path, "params", name)
    places = {name: re.search(rf"\b{re.escape(name)}\b", message) for name in params}
    named = {name: found.start() for name, found in places.items() if found}
    return (*path, "params", min(named, key=named.__getitem__)) if named else (*path, "generator")
