"""What holds between rows: that constraints name columns to be compared, and that references could come back at all."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.core.columns import ValueKind
from worldforge.core.suggestions import did_you_mean, nearest
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import names_of, references_of
from worldforge.schema.cross_row_constraints import columns_between, own_terms
from worldforge.schema.problems import Problem
from worldforge.schema.spec import Attribute, Constraint
from worldforge.schema.table_columns import Kinds
from worldforge.schema.yaml_tree import Path

_ORDERED: tuple[set[ValueKind], ...] = ({"integer", "year", "number"}, {"date"})
_ACYCLIC_HINT = "write it on an attribute that `references` the type it stands in"


def check_acyclic(draft: PartialSpec, path: Path, attribute: Attribute) -> Iterator[Rejection]:
    """Check an attribute that says `acyclic`."""
    if not attribute.acyclic:
        return
    if attribute.references is None:
        message = "`acyclic` belongs to a reference: what a generator draws leads nowhere"
        yield Rejection(draft.at_key((*path, "acyclic"), message, _ACYCLIC_HINT))
    elif attribute.references != path[1]:
        message = f"it refers to `{attribute.references}`, not to `{path[1]}`: nothing could come back"
        yield Rejection(draft.at_key((*path, "acyclic"), message, _ACYCLIC_HINT))
    elif attribute.capacity is not None:
        message = "`capacity` and `acyclic` do not go together"
        yield Rejection(draft.at_key((*path, "capacity"), message, "leave one of the two out"))


def check_names(draft: PartialSpec, path: Path, constraint: Constraint) -> Iterator[Rejection]:
    """Check that a constraint between rows names columns of its table."""
    known = names_of(draft.spec, constraint.on)
    for steps, name in columns_between(constraint).items():
        if name in known:
            continue
        if draft.may_have_column(constraint.on, name):
            yield Rejection(None, path)
            continue
        near = nearest(name, draft.declared_columns(constraint.on))
        hint = f"did you mean `{near}`?" if near else did_you_mean(name, known)
        if draft.tree.at((*path, *steps)) is None:
            hint = "say in which columns a period begins and ends: `{per: company, begin: opened, end: closed}`"
        yield Rejection(_at(draft, (*path, *steps), f"`{constraint.on}` has no column `{name}`", hint), path)
    for place, one in enumerate(constraint.unique or ()):
        if not one:
            message, hint = "the list names no column", "name several, of which any is meant: `[source, target]`"
            yield Rejection(draft.at_value((*path, "unique", place), message, hint), path)


def check_comparable(draft: PartialSpec, path: Path, constraint: Constraint, kinds: Kinds) -> Iterator[Rejection]:
    """Check that a constraint compares what can be compared, and redraws what it reads. Its columns must be there."""
    if constraint.redraw is not None:
        yield from _check_redraw(draft, path, constraint)
    references = references_of(draft.spec, constraint.on)
    for place, one in enumerate(constraint.unique or ()):
        if isinstance(one, list):
            held = {name: references.get(name) or kinds.of(constraint.on, name) for name in one}
            if len(set(held.values())) > 1:
                listed = ", ".join(f"`{name}` {what}" for name, what in held.items())
                message = f"they hold different things, which no rows can share: {listed}"
                hint = "list columns that refer to one type, or hold one kind of value"
                yield Rejection(draft.at_value((*path, "unique", place), message, hint), path)
    if constraint.exclusive is not None:
        names = (constraint.exclusive.begin, constraint.exclusive.end)
        begin, end = (kinds.of(constraint.on, name) for name in names)
        if not any({begin, end} <= ordered for ordered in _ORDERED):
            message = f"`{names[0]}` holds {begin} and `{names[1]}` {end}: no period lies between them"
            hint = "a period begins and ends with a date each, or with a year or number each"
            yield Rejection(_at(draft, (*path, "exclusive", "begin"), message, hint), path)
    if constraint.acyclic is not None and references.get(constraint.acyclic) != constraint.on:
        to = references.get(constraint.acyclic)
        said = f"refers to `{to}`, not to `{constraint.on}`" if to else "is no reference"
        message = f"`{constraint.acyclic}` {said}: nothing could come back"
        hint = "name a reference of the type to itself"
        yield Rejection(draft.at_value((*path, "acyclic"), message, hint), path)


def _check_redraw(draft: PartialSpec, path: Path, constraint: Constraint) -> Iterator[Rejection]:
    read = {own[0] for expression in own_terms(draft.spec, constraint) for own in expression.paths}
    if constraint.redraw not in read:
        message = f"drawing `{constraint.redraw}` again mends nothing: the constraint does not read it"
        hint = f"name one of {', '.join(f'`{name}`' for name in columns_between(constraint).values())}"
        yield Rejection(draft.at_value((*path, "redraw"), message, hint), path)


def _at(draft: PartialSpec, path: Path, message: str, hint: str) -> Problem:
    """Return a problem at a value; at the key around it where the value is a default that is not written."""
    if draft.tree.at(path) is None:
        return draft.at_key(path[:-1], message, hint)
    return draft.at_value(path, message, hint)
