"""Check generators: that they exist, may run, take their parameters, and can draw the last row."""

from __future__ import annotations

import datetime
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

from worldforge.core.chance import Stream
from worldforge.core.columns import ARROW_TYPES, ValueKind
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, load, shipped
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_rows import least_rows
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_dependencies import compile_parameters, parameter_expression
from worldforge.schema.column_paths import all_drawn
from worldforge.schema.document import KeyPath
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters
from worldforge.schema.shape_errors import shown
from worldforge.schema.table_columns import Kinds, generator_kind, hints_of

_SAMPLES: dict[ValueKind, tuple[object, ...]] = {
    "integer": (1,), "year": (1,), "number": (1.5, 1), "text": ("",), "boolean": (True,),
    "date": (datetime.date(2000, 1, 1), "2000-01-01"),
}  # fmt: skip
_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "`true` or `false`",
    datetime.date: "a day such as 1992-01-31",
    pa.Array: "an expression (`= …`)",
}


def check_generators(checker: Checker) -> None:
    """Check every generator of names, attributes and relations' columns, and its parameters."""
    for _, path, generator, params in generated(checker):
        function = find_code(checker, path, "generator", generator)
        if function is None:
            continue
        try:
            kind, known = generator_kind(generator, checker.code_from), parameters_of(function)
        except InputError as error:
            checker.reject_error((*path, "generator"), error, path)
            continue
        if path[2:] == ("name",) and kind != "text":
            message = f"`{generator}` makes values of the kind {kind}: a name must be text"
            checker.reject((*path, "generator"), message, "use a generator of `names`", path)
        check_parameters(checker, path, generator, params, known)


def generated(checker: Checker) -> Iterator[tuple[str, KeyPath, str, Mapping[str, Any]]]:
    """List the uses of generators: table, path, generator, parameters."""
    for name, entity_type in checker.spec.types.items():
        if not checker.is_broken(("types", name, "name")):
            yield name, ("types", name, "name"), entity_type.name.generator, entity_type.name.params
    for path, one in all_drawn(checker.spec):
        if one.generator is not None:
            yield str(path[1]), path, one.generator, one.params


def find_code(checker: Checker, path: KeyPath, key: str, reference: str) -> Callable[..., Any] | None:
    """Load what the value of `key` at `path` names; where it cannot be had, report it, with `path` broken."""
    try:
        return load(reference, checker.code_from)
    except InputError as error:
        hint = error.hint or ("" if ":" in reference else did_you_mean(reference, shipped()))
        checker.reject((*path, key), error.message, hint, path)
    except Exception as error:  # a stranger's code may raise all
        if ":" not in reference:
            raise
        message = f"`{reference}` cannot be imported: {type(error).__name__}: {error}"
        checker.reject((*path, key), message, "", path)
    return None


def accepts(annotation: Any, kind: ValueKind) -> bool:
    """Say whether a parameter may be an expression of that kind: it takes columns, and if plain values, such ones."""
    taken = {one for one, samples in _SAMPLES.items() if any(_accepts_value(annotation, sample) for sample in samples)}
    return accepts_columns(annotation) and (not taken or kind in taken)


def accepts_columns(annotation: Any) -> bool:
    """Say whether a parameter takes one value a row, so that it may be an expression."""
    return annotation is inspect.Parameter.empty or _accepts_value(annotation, pa.nulls(0))


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return what a generator takes after the stream and the rows, by name. Raises InputError where it does not say."""
    try:
        given = list(inspect.signature(function).parameters.values())[2:]
        hints = hints_of(function)
    except (NameError, TypeError, ValueError) as error:
        raise InputError(f"the parameters of the generator cannot be read: {error}") from error
    return {one.name: one.replace(annotation=hints.get(one.name, one.annotation)) for one in given}


def check_parameters(
    checker: Checker, path: KeyPath, reference: str, params: Mapping[str, Any], known: Mapping[str, inspect.Parameter]
) -> None:
    """Check the parameters given at `path` against those that a generator knows."""
    takes_any = any(one.kind is one.VAR_KEYWORD for one in known.values())
    named = {name: one for name, one in known.items() if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}
    for name, one in named.items():
        if one.default is one.empty and name not in params:
            message = f"`{reference}` needs the parameter `{name}`"
            checker.reject((*path, "generator"), message, _type_hint(one.annotation))
    for name, value in params.items():
        place = (*path, "params", name)
        if name not in named:
            if not takes_any:
                message = f"`{reference}` has no parameter `{name}`"
                checker.reject(place, message, did_you_mean(name, named), key=True)
            continue
        annotation = named[name].annotation
        if parameter_expression(value) is not None:
            if not accepts_columns(annotation):
                checker.reject(place, f"`{name}` takes a plain value, not an expression", _type_hint(annotation))
        elif not _accepts_value(annotation, value):
            hint = _quotes_hint(annotation, value) or _type_hint(annotation)
            given = f"the list `{str(value)[:60]}`" if isinstance(value, list) else shown(value)
            checker.reject(place, f"`{name}` cannot be {given}", hint)


def _accepts_value(annotation: Any, value: object) -> bool:
    """Say whether an annotation allows a value; True where it says nothing that can be checked."""
    if annotation is inspect.Parameter.empty:
        return True
    try:
        _adapter_of(annotation).validate_python(value)
    except ValidationError:
        return False
    except (PydanticUserError, NameError, TypeError):
        return True
    return True


def _adapter_of(annotation: Any) -> TypeAdapter[Any]:
    """Return what checks values against an annotation, from a cache unless the annotation has no hash."""
    try:
        hash(annotation)
    except TypeError:  # `Annotated[int, {}]`
        return _make_adapter(annotation)
    return _cached_adapter(annotation)


def _make_adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation, config=ConfigDict(arbitrary_types_allowed=True, strict=True))


_cached_adapter = lru_cache(256)(_make_adapter)


def _quotes_hint(annotation: Any, value: Any) -> str:
    """Return a hint where quotes alone make a value wrong: curly ones, or those that are there, or that are not."""
    if isinstance(value, str) and value[:1] in ("“", "”", "„", "‘"):
        return "quotes are straight: `\"` or `'`"
    if isinstance(value, str) and value.isdecimal() and _accepts_value(annotation, int(value)):
        return f"write it without quotes: {value}"
    if isinstance(value, list):
        texts = [str(one).lower() if isinstance(one, bool) else str(one) for one in value]
        if texts != value and _accepts_value(annotation, texts):
            listed = ", ".join(f'"{text}"' for text in texts[:3])
            return f"put each into quotes: [{listed}{', …' if len(texts) > 3 else ''}]"
    return ""


def _type_hint(annotation: Any) -> str:
    """Return a hint: what an annotation allows, in words; empty where it cannot be said."""
    words = list(dict.fromkeys(_type_words(annotation)))
    return f"it takes {' or '.join(words)}" if words else ""


def _type_words(annotation: Any) -> Iterator[str]:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in _WORDS:
        yield _WORDS[annotation]
    elif origin is typing.Literal:
        yield "one of " + ", ".join(f"`{choice}`" for choice in parts)
    elif origin in (typing.Union, types.UnionType, typing.Annotated):
        for part in parts:
            yield from _type_words(part)
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        inner = dict.fromkeys(word for part in parts for word in _type_words(part))
        yield " of ".join(["a list", " or ".join(inner)] if inner else ["a list"])
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        yield "a mapping"


_IN_ROWS = re.compile(r" in \d+ of \d+ rows$")


def check_draws(checker: Checker) -> None:
    """Try every shipped generator, but those of columns that have a problem already."""
    kinds = Kinds(checker.spec, checker.code_from)
    faulty = {problem.path for problem in checker.problems}
    for table, path, generator, params in generated(checker):
        dotted = ".".join(map(str, path))
        if not is_own(generator) and not any(f"{one}.".startswith(f"{dotted}.") for one in faulty):
            _try_drawing(checker, kinds, table, path, generator, params)


def _try_drawing(
    checker: Checker, kinds: Kinds, table: str, path: KeyPath, generator: str, params: Mapping[str, Any]
) -> None:
    try:
        constants = constant_parameters(checker.spec, table, params)
        given = {name: float(one) if isinstance(one, Decimal) else one for name, one in constants.items()}
        expressions = compile_parameters(checker.spec, table, params)
        varying = {name: kinds.of_expression(one) for name, one in expressions.items() if name not in given}
    except ExpressionError as error:
        checker.reject((*path, "params"), error.message, error.hint, key=True)
        return
    if any(value is None for value in given.values()):
        return  # a row for which a parameter is null gets none
    last = (least_rows(checker, table) or 0) - 1
    rows = np.array([last] if last >= 0 and not varying else [], np.int64)
    arrays = {name: pa.array([], ARROW_TYPES[kind]) for name, kind in varying.items()}
    try:
        load(generator)(Stream(checker.spec.seed), rows, **given, **arrays)
    except InputError as error:
        where = _problem_path(path, error.message, constants)
        checker.reject(where, _IN_ROWS.sub("", error.message), error.hint)


def _problem_path(path: KeyPath, message: str, params: Mapping[str, Any]) -> KeyPath:
    """Choose the parameter that a message is about: one that it names, one whose value it shows, else all."""
    for name, value in params.items():
        if f"`{name}`" in message or f"`{value}`" in message:
            return (*path, "params", name)
    places = {name: re.search(rf"\b{re.escape(name)}\b", message) for name in params}
    named = {name: found.start() for name, found in places.items() if found}
    return (*path, "params", min(named, key=named.__getitem__)) if named else (*path, "generator")
