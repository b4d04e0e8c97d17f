"""Check task families: that pages can answer them, and that their ranges can be met."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, shipped_families
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_generators import find_code
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_paths import names_of, references_of
from worldforge.schema.document import KeyPath
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import generator_kind
from worldforge.schema.task_section import TaskFamily

_Doubt = tuple[KeyPath, str, str]
"""Why a type cannot be asked about: the path of the value at fault, the message, the hint."""


def check_tasks(checker: Checker) -> None:
    """Check every task family against the types it asks about and the pages about them."""
    for name, family in checker.spec.tasks.items():
        path: KeyPath = ("tasks", name)
        if is_own(family.family):
            if find_code(checker, path, "family", family.family) is not None:
                _check_family(checker, path, family)
        elif family.family in shipped_families():
            _check_family(checker, path, family)
        else:
            hint = did_you_mean(family.family, shipped_families()) or f"write one of {', '.join(shipped_families())}"
            checker.reject((*path, "family"), f"unknown task family `{family.family}`", hint, path)
    by = checker.spec.split.by if checker.spec.split is not None else None
    if by is not None and checker.is_known(("split", "by"), by) and checker.spec.n_entities(by) < 2:
        message = f"there is one of `{by}`: nothing to split"
        checker.reject(("split", "by"), message, "split by a type of more entities")


def stated_columns(spec: WorldSpec, type_name: str) -> list[str]:
    """List the columns of a type that some page about it may state, the name left out, in the spec's order."""
    kinds = [kind for kind in spec.pages.values() if kind.about == type_name and kind.completeness and kind.share]
    kinds = [kind for kind in kinds if kind.copies is None and kind.rows is None]
    columns = names_of(spec, type_name)[1:]
    return [column for column in columns if any(kind.states == "all" or column in kind.states for kind in kinds)]


def _check_family(checker: Checker, path: KeyPath, family: TaskFamily) -> None:
    """Check each type that the family names; with `about: all` one type that fits is enough."""
    uncertain = {name for name in checker.spec.types if _is_uncertain(checker, name)}
    _check_columns(checker, path, family, uncertain)
    if family.about == "all":
        doubts = [next(_doubts(checker, path, name, family), None) for name in checker.spec.types]
        if doubts[0] is not None and all(doubts) and not uncertain:
            where, message, hint = doubts[0]
            checker.reject(where or path, message, hint, key=not where)
        return
    for number, name in enumerate(family.about):
        if checker.is_known((*path, "about", number), name) and name not in uncertain:
            for where, message, hint in _doubts(checker, path, name, family):
                checker.reject(where or (*path, "about", number), message, hint)
                break


def _is_uncertain(checker: Checker, type_name: str) -> bool:
    """Say whether parts are broken that might make the type answerable."""
    return any(path[0] == "pages" or path[:2] == ("types", type_name) for path in checker.broken)


def _check_columns(checker: Checker, path: KeyPath, family: TaskFamily, uncertain: set[str]) -> None:
    """Check that the columns that groups are made by, or computed of, are stated of some type that is asked about."""
    types = [name for name in checker.spec.types if family.about == "all" or name in family.about]
    if not types or uncertain.intersection(types):
        return
    stated = [(name, column) for name in types for column in stated_columns(checker.spec, name)]
    fits = {
        "by": {column for name, column in stated if _may_group(checker, name, column)},
        "of": {column for name, column in stated if column not in references_of(checker.spec, name)},
    }
    for key, wanted in (("by", "a reference or a text"), ("of", "values")):
        for number, column in enumerate(getattr(family.groups, key) or ()):
            if column not in fits[key]:
                message = f"pages about what is asked about state no column `{column}` of {wanted}"
                checker.reject((*path, "groups", key, number), message, did_you_mean(column, sorted(fits[key])))


def _doubts(checker: Checker, path: KeyPath, type_name: str, family: TaskFamily) -> Iterator[_Doubt]:
    """Yield why no task of the family can be asked about a type; an empty path stands for the name of the type."""
    stated, count = stated_columns(checker.spec, type_name), checker.spec.n_entities(type_name)
    if not stated:
        message = f"no page states anything about `{type_name}`: no task about it could be answered"
        yield (), message, "add a kind of page about it under `pages`"
    if family.columns.low > len(stated) + 1:
        message = f"pages state {len(stated) + 1} columns of `{type_name}`, its name included: too few to ask for"
        yield (*path, "columns", "low"), message, f"let it be {len(stated) + 1} at most"
    if family.least_rows > count:
        message = f"there are {count} of `{type_name}`: too few to ask for {family.least_rows} rows"
        part, most = ("rows", count) if family.cells is None else ("cells", count * family.columns.high)
        yield (*path, part, "low"), message, f"let it be {most} at most"
    if lacking := _lacks(checker, type_name, family):
        yield (), lacking, "ask of another type, or of a family that needs no other tables, such as `filter`"
    if family.family == "aggregate" and (wanted := family.groups.members.low) > count:
        message = f"there are {count} of `{type_name}`: too few to put {wanted} into groups"
        yield (*path, "groups", "members", "low"), message, f"let it be {count} at most"
    references = references_of(checker.spec, type_name)
    further = sum(len(references_of(checker.spec, references[one])) for one in stated if one in references)
    if family.conditions.low > (most := len(stated) + further):
        message = f"pages about `{type_name}` carry {most} conditions at most"
        yield (*path, "conditions", "low"), message, f"let it be {most} at most"


def _lacks(checker: Checker, type_name: str, family: TaskFamily) -> str:
    """Say what a family needs of a type that it does not have: rows that refer to it, or references of its own."""
    spec = checker.spec
    if family.family == "described" and not references_of(spec, type_name):
        return f"`{type_name}` refers to nothing: there is no entity to describe"
    columns = stated_columns(spec, type_name)
    if family.family == "aggregate" and not any(_may_group(checker, type_name, one) for one in columns):
        return f"pages state neither a reference nor a text of `{type_name}`: there is nothing to group by"
    tables = (*spec.types, *spec.relations)
    if family.family == "join" and not any(type_name in references_of(spec, table).values() for table in tables):
        return f"nothing refers to `{type_name}`: there is no other table to ask about"
    return ""


def _may_group(checker: Checker, type_name: str, column: str) -> bool:
    """Say whether entities of a type may be grouped by a column: a reference, or what may be a text."""
    kind = checker.spec.types[type_name]
    if column in kind.derived:
        return kind.derived[column].kind in ("text", None)
    drawn = kind.attributes.get(column)
    if drawn is None or drawn.generator is None:
        return column in references_of(checker.spec, type_name)
    try:
        return generator_kind(drawn.generator, checker.code_from) == "text"
    except InputError:
        return True  # there is none: that is said elsewhere
