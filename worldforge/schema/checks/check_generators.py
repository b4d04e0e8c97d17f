"""Check generators: that they exist, may run, take their parameters, and can draw the last row."""

from __future__ import annotations

import datetime
import inspect
import re
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

from worldforge.core.chance import Stream
from worldforge.core.columns import ARROW_TYPES, ValueKind
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, load, shipped
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_counts import least_rows
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_dependencies import compile_parameters, parameter_expression
from worldforge.schema.column_paths import all_drawn
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters
from worldforge.schema.table_columns import Kinds, generator_kind, hints_of
from worldforge.schema.yaml_tree import Path

_SAMPLES: dict[ValueKind, tuple[object, ...]] = {
    "integer": (1,),
    "year": (1,),
    "number": (1.5, 1),
    "text": ("",),
    "date": (datetime.date(2000, 1, 1), "2000-01-01"),
    "boolean": (True,),
}
_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "`true` or `false`",
    datetime.date: "a day such as 1992-01-31",
    pa.Array: "an expression (`= …`)",
}


def check_generators(draft: PartialSpec) -> Iterator[Rejection]:
    """Check every generator of names, attributes and relations' columns, and its parameters."""
    for _, path, generator, params in generated(draft):
        yield from _check_use(draft, path, generator, params, is_name=path[2:] == ("name",))


def generated(draft: PartialSpec) -> Iterator[tuple[str, Path, str, Mapping[str, Any]]]:
    """List the uses of generators: table, path, generator, parameters."""
    for name, entity_type in draft.spec.types.items():
        if not draft.is_excluded(("types", name, "name")):
            yield name, ("types", name, "name"), entity_type.name.generator, entity_type.name.params
    for path, one in all_drawn(draft.spec):
        if one.generator is not None:
            yield str(path[1]), path, one.generator, one.params


def find_code(
    draft: PartialSpec, path: Path, key: str, reference: str
) -> tuple[Callable[..., Any] | None, Rejection | None]:
    """Load what the value of `key` at `path` names; the finding where it cannot be had, with `path` excluded."""
    where = (*path, key)
    try:
        return load(reference, draft.code_from), None
    except InputError as error:
        hint = error.hint or ("" if ":" in reference else did_you_mean(reference, shipped()))
        return None, Rejection(draft.at_value(where, error.message, hint), path)
    except Exception as error:
        if ":" not in reference:
            raise
        message = (
            f"`{reference}` cannot be imported: {type(error).__name__}: {error}"  # a stranger's code may raise all
        )
        return None, Rejection(draft.at_value(where, message), path)


def accepts(annotation: Any, kind: ValueKind) -> bool:
    """Say whether a parameter may be an expression of that kind: it takes columns, and if plain values, such ones."""
    if not accepts_columns(annotation):
        return False
    if not any(_takes(annotation, sample) for samples in _SAMPLES.values() for sample in samples):
        return True
    return any(_takes(annotation, sample) for sample in _SAMPLES[kind])


def accepts_columns(annotation: Any) -> bool:
    """Say whether a parameter takes one value a row, so that it may be an expression."""
    return annotation is inspect.Parameter.empty or _takes(annotation, pa.nulls(0))


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return what a generator takes after the stream and the rows, by name. Raises InputError where it does not say."""
    try:
        given = list(inspect.signature(function).parameters.values())[2:]
        hints = hints_of(function)
    except (NameError, TypeError, ValueError) as error:
        raise InputError(f"the parameters of the generator cannot be read: {error}") from error
    return {one.name: one.replace(annotation=hints.get(one.name, one.annotation)) for one in given}


def _check_use(
    draft: PartialSpec, path: Path, reference: str, params: Mapping[str, Any], *, is_name: bool = False
) -> Iterator[Rejection]:
    function, missing = find_code(draft, path, "generator", reference)
    if function is None:
        if missing is not None:
            yield missing
        return
    try:
        kind = generator_kind(reference, draft.code_from)
        known = parameters_of(function)
    except InputError as error:
        yield Rejection(draft.at_value((*path, "generator"), error.message, error.hint), path)
        return
    if is_name and kind != "text":
        message = f"`{reference}` makes values of the kind {kind}: a name must be text"
        yield Rejection(draft.at_value((*path, "generator"), message, "use a generator of `names`"), path)
    yield from check_parameters(draft, path, reference, params, known)


def check_parameters(
    draft: PartialSpec, path: Path, reference: str, params: Mapping[str, Any], known: Mapping[str, inspect.Parameter]
) -> Iterator[Rejection]:
    """Check the parameters given at `path` against those that a generator knows."""
    takes_any = any(one.kind is one.VAR_KEYWORD for one in known.values())
    named = {name: one for name, one in known.items() if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}
    for name, one in named.items():
        if one.default is one.empty and name not in params:
            place = (*path, "generator")
            yield Rejection(
                draft.at_value(place, f"`{reference}` needs the parameter `{name}`", _described(one.annotation))
            )
    for name, value in params.items():
        if name in named:
            yield from _check_value(draft, (*path, "params", name), value, named[name].annotation)
        elif not takes_any:
            hint = did_you_mean(name, named)
            yield Rejection(draft.at_key((*path, "params", name), f"`{reference}` has no parameter `{name}`", hint))


def _check_value(draft: PartialSpec, path: Path, value: Any, annotation: Any) -> Iterator[Rejection]:
    if parameter_expression(value) is not None:
        if not accepts_columns(annotation):
            message = f"`{path[-1]}` takes a plain value, not an expression"
            yield Rejection(draft.at_value(path, message, _described(annotation)))
    elif not _takes(annotation, value):
        hint = _quoted(annotation, value) or _described(annotation)
        yield Rejection(draft.at_value(path, f"`{path[-1]}` cannot be {_shown(value)}", hint))


def _takes(annotation: Any, value: object) -> bool:
    """Say whether an annotation allows a value; True where it says nothing that can be checked."""
    if annotation is inspect.Parameter.empty:
        return True
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(
            annotation, config=ConfigDict(arbitrary_types_allowed=True, strict=True)
        )
        adapter.validate_python(value)
    except ValidationError:
        return False
    except (PydanticUserError, NameError, TypeError):
        return True
    return True


def _quoted(annotation: Any, value: Any) -> str:
    """Return a hint where quotes alone make a value wrong: curly ones, or those that are there, or that are not."""
    if isinstance(value, str) and value[:1] in ("“", "”", "„", "‘"):
        return "quotes are straight: `\"` or `'`"
    if isinstance(value, str) and value.isdecimal() and _takes(annotation, int(value)):
        return f"write it without quotes: {value}"
    if isinstance(value, list):
        texts = [str(one).lower() if isinstance(one, bool) else str(one) for one in value]
        if texts != value and _takes(annotation, texts):
            listed = ", ".join(f'"{text}"' for text in texts[:3])
            return f"put each into quotes: [{listed}{', …' if len(texts) > 3 else ''}]"
    return ""


def _described(annotation: Any) -> str:
    """Return a hint: what an annotation allows, in words; empty where it cannot be said."""
    words = list(dict.fromkeys(_words(annotation)))
    return f"it takes {' or '.join(words)}" if words else ""


def _words(annotation: Any) -> Iterator[str]:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in _WORDS:
        yield _WORDS[annotation]
    elif origin is typing.Literal:
        yield "one of " + ", ".join(f"`{choice}`" for choice in parts)
    elif origin in (typing.Union, types.UnionType, typing.Annotated):
        for part in parts:
            yield from _words(part)
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        inner = dict.fromkeys(word for part in parts for word in _words(part))
        yield " of ".join(["a list", " or ".join(inner)] if inner else ["a list"])
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        yield "a mapping"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else f"the list `{str(value)[:60]}`"
    return f"the text `{value[:60]}`" if isinstance(value, str) else f"{value}"


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
        return 0 if draft.is_excluded(("types", table, "count")) else draft.spec.n_entities(table)
    return least_rows(draft, draft.spec.relations[table]) or 0


def _place(path: Path, message: str, params: Mapping[str, Any]) -> Path:
    """Choose the parameter that a message is about: one that it names, one whose value it shows, else all."""
    for name, value in params.items():
        if f"`{name}`" in message or f"`{value}`" in message:
            return (*path, "params", name)
    places = {name: re.search(rf"\b{re.escape(name)}\b", message) for name in params}
    named = {name: found.start() for name, found in places.items() if found}
    return (*path, "params", min(named, key=named.__getitem__)) if named else (*path, "generator")
