"""Validate the shape of a document with pydantic, and report errors with places, messages and hints."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.document import Document, KeyPath
from worldforge.schema.problems import Problem
from worldforge.schema.spec_section import Section

Record = TypeVar("Record", bound=Section)

_NAME_HINT = "a name begins with a small letter, and holds small letters, digits and `_`, 40 at most"
_PATTERN_HINTS = {
    "as_of": "write it as 2031-06-30",
    "host": "every host ends in `.example`: `herald.example`",
    "name": "small letters, digits, `_` and `-`, 64 at most",
}
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


@dataclass(frozen=True, slots=True)
class ShapeError:
    """An error in the shape of a document: its path, the rule of pydantic's, and the problem."""

    path: KeyPath
    rule: str
    problem: Problem


def validate_document(
    document: Document, whole: type[Record], context: object = None
) -> tuple[Record | None, list[ShapeError]]:
    """Validate a document as a record: that record, or every error of its shape. Validators get the context."""
    try:
        return whole.model_validate(document.data, context=context), []
    except ValidationError as error:
        errors: dict[KeyPath, ShapeError] = {}
        for details in error.errors(include_url=False):
            found = _shape_error(document, details, whole)
            if found is not None:
                errors.setdefault(found.path, found)
        return None, list(errors.values())
    except RecursionError:
        return None, [ShapeError((), "recursion", document.problem((), "it is nested too deeply"))]


def section_at(path: KeyPath, whole: type[Section]) -> type[Section] | None:
    """Return the kind of section that stands at `path` (`types.club` is an EntityType); None where none does."""
    annotation: Any = whole
    for step in path:
        if isinstance(annotation, type) and issubclass(annotation, Section):
            annotation = field.annotation if (field := annotation.field_of(step)) is not None else None
        else:
            parts = typing.get_args(annotation) if typing.get_origin(annotation) in (dict, list) else (None,)
            annotation = parts[-1]
        if typing.get_origin(annotation) in (typing.Union, types.UnionType):
            annotation = typing.get_args(annotation)[0]
    return annotation if isinstance(annotation, type) and issubclass(annotation, Section) else None


def _shape_error(document: Document, error: ErrorDetails, whole: type[Section]) -> ShapeError | None:
    """Return the error at its path; None for an alternative that was not meant."""
    path, is_key, union = _locate(document, error)
    rule, place = error["type"], "value"
    if union is not None and not isinstance(document.get(union), list):
        path = union
        single = "a name" if isinstance(path[-1], int) else "`all`"
        message, hint = f"must be {single} or a list of names, not {shown(error['input'])}", _description(path, whole)
    elif union is not None and (rule == "literal_error" or (rule, path) == ("string_type", union)):
        return None
    elif is_key and rule != "value_error":
        rule, place, message, hint = "key", "key", f"`{path[-1]}` cannot be a name", _NAME_HINT
    elif rule == "missing":
        problem = document.problem(path[:-1], f"missing key `{path[-1]}`", _description(path, whole), key=True)
        return ShapeError(path, rule, problem)
    elif rule == "extra_forbidden":
        place, message, hint = "key", f"unknown key `{path[-1]}`", _unknown_key_hint(path, whole)
    elif rule == "value_error":
        message, *hints = error["ctx"]["error"].args  # a validator may give a hint beside its message
        place, hint = "key", hints[0] if hints else _description(path, whole)
    elif error["input"] is None and path and isinstance(path[-1], str):
        place, message = "key", f"nothing is written under `{path[-1]}`"
        hint = "write `{}` where nothing is to be said of it, or remove the key"
    else:
        message, hint = _wrong_value(path, error, whole)
    return ShapeError(path, rule, document.problem(path, message, hint, key=place == "key"))


def _locate(document: Document, error: ErrorDetails) -> tuple[KeyPath, bool, KeyPath | None]:
    """Read pydantic's location as a path, whether it is about a key, and the union around it, if any."""
    path: KeyPath = ()
    union: KeyPath | None = None
    for step in error["loc"]:
        if step == "[key]":
            return path, True, union
        if (*path, step) in document.positions or (error["type"] == "missing" and step == error["loc"][-1]):
            path = (*path, step)
        else:
            union = path
    return path, False, union


def _wrong_value(path: KeyPath, error: ErrorDetails, whole: type[Section]) -> tuple[str, str]:
    """Return the message and the hint for a wrong value."""
    rule, context, given = error["type"], error.get("ctx", {}), shown(error["input"])
    description = _description(path, whole)
    if rule in _EXPECTED:
        return f"must be {_EXPECTED[rule]}, not {given}", _number_hint(error["input"]) or description
    if rule in _LIMITS:
        words, key = _LIMITS[rule]
        return f"must be {words} {context[key]:g}, not {given}", description
    if rule == "literal_error":
        return f"must not be {given}", did_you_mean(str(error["input"]), _choices(context["expected"]))
    if rule == "string_pattern_mismatch":
        return f"must not be {given}", _PATTERN_HINTS.get(str(path[-1]), _NAME_HINT)
    if rule == "too_short":
        return "must hold at least one", description
    return error["msg"].lower(), description


def _choices(expected: str) -> list[str]:
    """Read pydantic's list of what a literal may be: `'en' or 'zh'`."""
    return [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]


def _number_hint(given: object) -> str:
    """Return a hint for a number or a share that is written as text; empty for no hint."""
    if isinstance(given, str):
        plain = given.replace(",", "").replace("_", "").replace(" ", "")
        if plain.isdecimal():
            return f"write it as {plain}"
        if given.endswith("%") and given[:-1].strip().replace(".", "", 1).isdecimal():
            return f"write it as a share from 0 to 1: {float(given[:-1]) / 100:g}"
    return ""


def shown(content: object) -> str:
    """Write a value as messages show it."""
    if content is None:
        return "empty"
    if isinstance(content, bool):
        return f"`{str(content).lower()}`"
    if isinstance(content, str):
        return f"the text `{content if len(content) <= 60 else content[:57] + '…'}`"
    if isinstance(content, int | float):
        return f"{content}"
    return "a list" if isinstance(content, list) else "a mapping"


def _description(path: KeyPath, whole: type[Section]) -> str:
    """Return the description of the field at `path`; of a member of a field, that of the field."""
    for length in range(len(path), 0, -1):
        section = section_at(path[: length - 1], whole)
        if section is not None:
            field = section.field_of(path[length - 1])
            return (field.description or "") if field is not None else ""
    return ""


def _unknown_key_hint(path: KeyPath, whole: type[Section]) -> str:
    section = section_at(path[:-1], whole)
    fields = section.model_fields if section is not None else {}
    hint = did_you_mean(str(path[-1]), [str(field.validation_alias or name) for name, field in fields.items()])
    if "params" in fields and not hint.startswith("did you"):
        return f"what a generator takes stands under `params`: `params: {{{path[-1]}: …}}`"
    return hint
