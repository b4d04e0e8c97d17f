"""Check task families: that pages can answer them, and that their ranges can be met."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, shipped_families
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_generators import find_code
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import names_of, references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import generator_kind
from worldforge.schema.task_section import TaskFamily
from worldforge.schema.yaml_tree import Path


def check_tasks(draft: PartialSpec) -> Iterator[Rejection]:
    """Check every task family against the types it asks about and the pages about them."""
    for name, family in draft.spec.tasks.items():
        if found := _check_name(draft, ("tasks", name), family):
            yield found
        else:
            yield from _check_family(draft, ("tasks", name), family)
    yield from _check_split(draft)


def _check_name(draft: PartialSpec, path: Path, family: TaskFamily) -> Rejection | None:
    """Check that the family is a shipped one, or own code that is allowed and can be imported."""
    if is_own(family.family):
        return find_code(draft, path, "family", family.family)[1]
    if family.family in shipped_families():
        return None
    hint = did_you_mean(family.family, shipped_families()) or f"write one of {', '.join(shipped_families())}"
    return Rejection(draft.at_value((*path, "family"), f"unknown task family `{family.family}`", hint), path)


def _check_split(draft: PartialSpec) -> Iterator[Rejection]:
    """Check that what a split begins with is there, and can be split."""
    by = draft.spec.split.by if draft.spec.split is not None else None
    if by is None:
        return
    path: Path = ("split", "by")
    yield from draft.check_known(path, by, draft.spec.types, "type", excluded=draft.may_have_table(by))
    if by in draft.spec.types and draft.spec.n_entities(by) < 2:
        message = f"there is one of `{by}`: nothing to split"
        yield Rejection(draft.at_value(path, message, "split by a type of more entities"))


def stated_columns(spec: WorldSpec, type_name: str) -> list[str]:
    """List the columns of a type that some page about it may state, the name left out, in the spec's order."""
    kinds = [kind for kind in spec.pages.values() if kind.about == type_name and kind.completeness and kind.share]
    kinds = [kind for kind in kinds if kind.copies is None]
    columns = names_of(spec, type_name)[1:]
    return [column for column in columns if any(kind.states == "all" or column in kind.states for kind in kinds)]


def _check_family(draft: PartialSpec, path: Path, family: TaskFamily) -> Iterator[Rejection]:
    """Check each type that the family names; with `about: all` one type that fits is enough."""
    yield from _check_columns(draft, path, family)
    if family.about == "all":
        doubts = [_doubt(draft, path, path, type_name, family) for type_name in draft.spec.types]
        uncertain = any(_is_uncertain(draft, type_name) for type_name in draft.spec.types)
        if all(doubts) and not uncertain:
            yield from (doubt for doubt in doubts[:1] if doubt is not None)
        return
    for number, type_name in enumerate(family.about):
        where = (*path, "about", number)
        if type_name not in draft.spec.types:
            excluded = draft.may_have_table(type_name)
            yield from draft.check_known(where, type_name, draft.spec.types, "type", excluded=excluded)
        elif not _is_uncertain(draft, type_name):
            doubt = _doubt(draft, path, where, type_name, family)
            yield from () if doubt is None else (doubt,)


def _check_columns(draft: PartialSpec, path: Path, family: TaskFamily) -> Iterator[Rejection]:
    """Check that the columns that groups are made by, or computed of, are stated of some type that is asked about."""
    asked = draft.spec.types if family.about == "all" else [name for name in family.about if name in draft.spec.types]
    if not asked or any(_is_uncertain(draft, name) for name in asked):
        return
    stated = [(name, column) for name in asked for column in stated_columns(draft.spec, name)]
    fits = {
        "by": {column for name, column in stated if _may_group(draft, name, column)},
        "of": {column for name, column in stated if column not in references_of(draft.spec, name)},
    }
    for key, wanted in (("by", "a reference or a text"), ("of", "values")):
        for number, column in enumerate(getattr(family, key) or ()):
            if column not in fits[key]:
                message = f"pages about what is asked about state no column `{column}` of {wanted}"
                yield Rejection(draft.at_value((*path, key, number), message, did_you_mean(column, sorted(fits[key]))))


def _is_uncertain(draft: PartialSpec, type_name: str) -> bool:
    """Say whether parts were excluded that might make the type answerable."""
    broken_pages = any(path[0] == "pages" for path in draft.excluded)
    return broken_pages or any(path[:2] == ("types", type_name) for path in draft.excluded)


def _doubt(draft: PartialSpec, path: Path, where: Path, type_name: str, family: TaskFamily) -> Rejection | None:
    """Return why no task of the family can be asked about a type; None where one might."""
    stated = stated_columns(draft.spec, type_name)
    count = draft.spec.n_entities(type_name)
    if not stated:
        message = f"no page states anything about `{type_name}`: no task about it could be answered"
        hint = "add a kind of page about it under `pages`"
        problem = draft.at_value(where, message, hint) if where != path else draft.at_key(where, message, hint)
        return Rejection(problem)
    if family.columns.low > len(stated) + 1:
        message = f"pages state {len(stated) + 1} columns of `{type_name}`, its name included: too few to ask for"
        return Rejection(draft.at_value((*path, "columns", "low"), message, f"let it be {len(stated) + 1} at most"))
    if family.least_rows > count:
        message = f"there are {count} of `{type_name}`: too few to ask for {family.least_rows} rows"
        part = "rows" if family.cells is None else "cells"
        most = count if family.cells is None else count * family.columns.high
        return Rejection(draft.at_value((*path, part, "low"), message, f"let it be {most} at most"))
    lacking = _lacks(draft, type_name, family)
    if lacking:
        hint = "ask of another type, or of a family that needs no other tables, such as `filter`"
        problem = draft.at_value(where, lacking, hint) if where != path else draft.at_key(where, lacking, hint)
        return Rejection(problem)
    if family.family == "aggregate" and family.members.low > count:
        message = f"there are {count} of `{type_name}`: too few to put {family.members.low} into groups"
        return Rejection(draft.at_value((*path, "members", "low"), message, f"let it be {count} at most"))
    n_conditions = len(stated) + _n_second_references(draft.spec, type_name, stated)
    if family.conditions.low > n_conditions:
        message = f"pages about `{type_name}` carry {n_conditions} conditions at most"
        return Rejection(draft.at_value((*path, "conditions", "low"), message, f"let it be {n_conditions} at most"))
    return None


def _lacks(draft: PartialSpec, type_name: str, family: TaskFamily) -> str:
    """Say what a family needs of a type that it does not have: rows that refer to it, or references of its own."""
    spec = draft.spec
    if family.family == "described" and not references_of(spec, type_name):
        return f"`{type_name}` refers to nothing: there is no entity to describe"
    if family.family == "aggregate" and not any(
        _may_group(draft, type_name, one) for one in stated_columns(spec, type_name)
    ):
        return f"pages state neither a reference nor a text of `{type_name}`: there is nothing to group by"
    tables = (*spec.types, *spec.relations)
    if family.family == "join" and not any(type_name in references_of(spec, table).values() for table in tables):
        return f"nothing refers to `{type_name}`: there is no other table to ask about"
    return ""


def _may_group(draft: PartialSpec, type_name: str, column: str) -> bool:
    """Say whether entities of a type may be grouped by a column: a reference, or what may be a text."""
    kind = draft.spec.types[type_name]
    if column in kind.derived:
        return kind.derived[column].kind in ("text", None)
    drawn = kind.attributes.get(column)
    if drawn is None or drawn.generator is None:
        return column in references_of(draft.spec, type_name)
    try:
        return generator_kind(drawn.generator, draft.code_from) == "text"
    except InputError:
        return True  # there is none: that is said elsewhere


def _n_second_references(spec: WorldSpec, type_name: str, stated: list[str]) -> int:
    references = references_of(spec, type_name)
    return sum(len(references_of(spec, references[column])) for column in stated if column in references)
