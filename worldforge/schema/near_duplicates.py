"""What entities share that are near twins of others: see `EntityType.distractors`."""

from __future__ import annotations

from worldforge.schema.column_dependencies import compile_parameters
from worldforge.schema.cross_row_constraints import own_terms
from worldforge.schema.spec import Attribute, WorldSpec

_AS_MADE = ("names.composed", "names.transliterated")  # generators of names as unlike as what they are made of
_TELLING_APART = (
    "values.code",
    "values.sequence",
    "values.year_sequence",
)  # generators whose values tell one entity from another


def shared_by_twins(spec: WorldSpec, type_name: str) -> list[str]:
    """List the attributes of a type that near twins have in common, but for one or two that are drawn for each.

    References and what `values.…` draws, but for codes. Left out are references with `capacity`, `where` or to the type
    itself,
    what a constraint between rows names, and what a name is made of that would not be unique else.
    """
    told_apart: set[str] = set()
    for constraint in spec.constraints:
        if constraint.on == type_name and constraint.sql is None:
            told_apart |= {path[0] for term in own_terms(spec, constraint) for path in term.paths}
            told_apart |= {constraint.redraw} if constraint.redraw is not None else set()
    name = spec.types[type_name].name
    if name.generator in _AS_MADE or not name.generator.startswith("names."):
        made_of = compile_parameters(spec, type_name, name.params)
        told_apart |= {path[0] for expression in made_of.values() for path in expression.paths}
    return [
        key
        for key, attribute in spec.types[type_name].attributes.items()
        if key not in told_apart and _may_be_shared(attribute, type_name)
    ]


def _may_be_shared(attribute: Attribute, type_name: str) -> bool:
    if attribute.references is not None:
        return attribute.references != type_name and (attribute.capacity, attribute.where) == (None, None)
    generator = attribute.generator or ""
    return generator.startswith("values.") and generator not in _TELLING_APART
