"""Hold a spec while it is checked: its valid parts, the paths of its broken parts, and the problems found.

A check looks at the valid parts only, and reports nothing that may follow from a broken part. So one mistake is
reported once, and hides no other.
"""

from __future__ import annotations

import copy
import pathlib
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean, nearest
from worldforge.schema.column_paths import UnknownColumnError, built_in_columns, follow, references_of
from worldforge.schema.document import Document, KeyPath
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.shape_errors import ShapeError, section_at, validate_document
from worldforge.schema.spec import Constraint, WorldSpec

_UNITS: tuple[KeyPath, ...] = (
    ("types", "*", "attributes", "*"),
    ("types", "*", "derived", "*"),
    ("relations", "*", "columns", "*"),
    ("types", "*"),
    ("relations", "*"),
    ("constraints", "*"),
    ("sites", "*"),
    ("pages", "*"),
    ("tasks", "*"),
)
_PLACEHOLDERS: dict[KeyPath, Any] = {
    ("name",): "unnamed",
    ("types", "*", "count"): 1,
    ("types", "*", "name"): {"generator": "names.place"},
    ("relations", "*", "per_source"): {"low": 0, "high": 0},
    ("constraints", "*"): {"on": "nothing", "sql": "true"},
}
"""What stands in the place of a broken part that is required."""
_MEANINGFUL = {"generator", "params", "references", "sql", "over", "where", "kind", "on"}
_COLUMNS = (("types", "attributes"), ("types", "derived"), ("relations", "columns"))
_CALLED = {"types": "type", "sites": "site", "pages": "kind of page", "relations": "relation"}
_MAX_ROUNDS = 20
_MOST_PROBLEMS = 1000  # reported; the checks of a larger spec stop there


@dataclass(slots=True)
class Checker:
    """The document as read, its valid parts as a spec, the paths of its broken parts, and the problems."""

    document: Document
    code_from: pathlib.Path | None
    spec: WorldSpec = field(init=False)
    broken: set[KeyPath] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def reject(
        self,
        path: KeyPath,
        message: str,
        hint: str = "",
        breaks: KeyPath | None = None,
        *,
        key: bool = False,
        offset: int | None = None,
    ) -> None:
        """Report a problem at the value of `path`, at its key or a character of its text, and what it breaks.

        Raises SpecError where there are too many.
        """
        problem = self.document.problem(path, message, hint, key=key, offset=offset)
        if problem not in self.problems:
            self.problems.append(problem)
        if len(self.problems) >= _MOST_PROBLEMS:
            raise SpecError(self.problems)
        self.broken |= {breaks} if breaks is not None else set()

    def reject_error(self, path: KeyPath, error: InputError, breaks: KeyPath | None = None) -> None:
        """Report an error as a problem at the value of `path`."""
        self.reject(path, error.message, error.hint, breaks)

    def is_broken(self, path: KeyPath) -> bool:
        """Say whether the part at `path`, or one around it, is broken."""
        return any(path[:length] in self.broken for length in range(1, len(path) + 1))

    def hides(self, table: str, column: str | None = None) -> bool:
        """Say whether a table, or a column of it, may be missing only because it is broken."""
        if column is None:
            return self.is_broken(("types", table)) or self.is_broken(("relations", table))
        return any(self.is_broken((section, table, part, column)) for section, part in _COLUMNS)

    def constraints(self) -> Iterator[tuple[KeyPath, Constraint]]:
        """Yield the valid constraints, each with its path."""
        for number, constraint in enumerate(self.spec.constraints):
            if ("constraints", number) not in self.broken:
                yield ("constraints", number), constraint

    def is_known(self, path: KeyPath, name: str, section: str = "types", breaks: KeyPath | None = None) -> bool:
        """Check that `name`, which stands at `path`, is a key of a section; no problem where that key is broken."""
        known = list(getattr(self.spec, section))
        if name in known:
            return True
        if (section == "types" and self.hides(name)) or self.is_broken((section, name)):
            self.broken |= {breaks} if breaks is not None else set()
        else:
            self.reject(path, f"unknown {_CALLED[section]} `{name}`", did_you_mean(name, known), breaks)
        return False

    def check_references(self, path: KeyPath, table: str, references: str, breaks: KeyPath | None = None) -> None:
        """Check that the text at `path` is a path of references from `table`."""
        try:
            route = follow(self.spec, table, references.split("."))
        except UnknownColumnError as error:
            if not self.hides(error.table, error.column):
                self.reject_error(path, error, breaks)
            self.broken |= {breaks} if breaks is not None else set()
            return
        known = references_of(self.spec, route.table)
        if route.column not in known:
            self.reject(path, f"`{references}` is no reference", did_you_mean(route.column, known), breaks)

    def declared_columns(self, table: str) -> list[str]:
        """List the columns of a table that the document declares, broken ones included."""
        built_in = built_in_columns(self.spec, table)
        declared = ["name"] if table in self.spec.types else ["source", "target", *built_in]
        for section, part in _COLUMNS:
            columns = self.document.get((section, table, part))
            declared += list(columns) if isinstance(columns, dict) else []
        return declared

    def prune(self) -> bool:
        """Take the broken parts out of the spec, with others in the place of what is required; False if none is left.

        What no longer has a valid shape without them is broken too.
        """
        valid = replace(self.document, data=copy.deepcopy(self.document.data))
        for _ in range(_MAX_ROUNDS):
            for path in sorted(self.broken, key=len, reverse=True):  # a part after what is in it
                _remove(valid.data, path)
            spec, faults = validate_document(valid, WorldSpec)
            if spec is not None:
                self.spec = spec
                return True
            self.break_parts(faults)
        return False

    def break_parts(self, faults: Iterable[ShapeError]) -> None:
        """Note what errors of shape break."""
        for fault in faults:
            self.broken |= {_part_around(fault), *_meant_keys(self.document, fault)}

    def breaks_more(self, check: Callable[[Checker], None]) -> bool:
        """Run a check; say whether it broke anything."""
        n_broken = len(self.broken)
        check(self)
        return len(self.broken) > n_broken


def check_shape(document: Document, code_from: pathlib.Path | None) -> Checker:
    """Validate the shape of a spec; return a checker, to be pruned, that holds the problems."""
    faults = validate_document(document, WorldSpec)[1]
    checker = Checker(document, code_from, problems=[fault.problem for fault in faults])
    checker.break_parts(faults)
    return checker


def _part_around(fault: ShapeError) -> KeyPath:
    """Return the smallest part without which the rest has a meaning."""
    path = fault.path
    if fault.rule in ("extra_forbidden", "key"):
        return path
    required = _pattern(path, _PLACEHOLDERS)
    if required is not None:
        return path[: len(required)]
    unit = path[: len(_pattern(path, _UNITS) or ("",))]
    section = section_at(unit, WorldSpec)
    if len(path) > len(unit) and section is not None:
        known = section.field_of(path[len(unit)])
        if known is not None and not known.is_required() and path[len(unit)] not in _MEANINGFUL:
            return path[: len(unit) + 1]
    return unit


def _meant_keys(document: Document, fault: ShapeError) -> set[KeyPath]:
    """Return the key that a misspelled key was probably meant to be, so that its absence is not reported."""
    if not fault.path:
        return set()
    around, key = fault.path[:-1], str(fault.path[-1])
    section = section_at(around, WorldSpec)
    if fault.rule == "key":
        return {(*around, key.lower())}
    if fault.rule != "extra_forbidden" or section is None:
        return set()
    near = nearest(key, section.model_fields)
    return {(*around, near)} if near and document.get((*around, near)) is None else set()


def _pattern(path: KeyPath, patterns: Iterable[KeyPath]) -> KeyPath | None:
    for pattern in patterns:
        if len(path) >= len(pattern) and all(want in ("*", step) for want, step in zip(pattern, path, strict=False)):
            return pattern
    return None


def _remove(data: Any, path: KeyPath) -> None:
    """Remove the part at `path`, or put a placeholder where one is required."""
    pattern = _pattern(path, _PLACEHOLDERS)
    around: Any = data
    for step in path[:-1]:
        if not isinstance(around, list | dict) or (isinstance(around, dict) and step not in around):
            return
        around = typing.cast(Any, around)[step]
    last: Any = path[-1] if path else None
    if pattern is not None and len(pattern) == len(path) and isinstance(around, dict | list):
        around[last] = copy.deepcopy(_PLACEHOLDERS[pattern])
    elif isinstance(around, dict):
        around.pop(last, None)
