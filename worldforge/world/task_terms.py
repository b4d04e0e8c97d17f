"""The conditions of a task as a tree of terms; all terms of a task must hold.

    Condition("founded", "<", "1904", "1904", "year")
    AnyOf(((Condition(…),), (Condition(…), Condition(…))))              one of several lists of terms holds
    NoneOf(((Condition(…),),))                                          none of them does
    RelatedTerm("plays_for", "source", (Condition("target", "=", …), …))    a row elsewhere that points here meets terms
    DescribedTerm("town", "town", (Condition("chartered", "=", …),), …)    the end of a path is the one that meets terms
    GivenEntities(("club/0003", …), ("Velmar Rovers", …))                       the entities are named

A condition on a value that is missing does not hold, and what does not hold is so beneath `NoneOf` too: truth has two
values. `builders.tasks` compiles terms twice: to SQL, and to a walk over the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from worldforge.core.columns import ValueKind

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "between", "missing", "highest", "lowest"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: a column path (`town.region`, `founded`), an operator, a canonical value.

    Where the path ends in a reference, `value` is an entity id and `written` the entity's name. `between` has an
    `upper` bound as well, both included. `missing`, `highest` and `lowest` (of all rows of the table) take no value.
    """

    path: str
    operator: Operator
    value: str
    written: str
    kind: ValueKind
    upper: str = ""
    upper_written: str = ""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of several lists of terms holds."""

    parts: tuple[Terms, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """None of several lists of terms holds."""

    parts: tuple[Terms, ...]


@dataclass(frozen=True, slots=True)
class RelatedTerm:
    """A row of `table`, a type or a relation, refers here by `column` and meets `where`."""

    table: str
    column: str
    where: Terms


@dataclass(frozen=True, slots=True)
class DescribedTerm:
    """What `path` leads to is the one entity of type `about` that meets `where`; it is `value`, called `written`."""

    path: str
    about: str
    where: Terms
    value: str
    written: str


@dataclass(frozen=True, slots=True)
class GivenEntities:
    """The entities are these, by id, and called so."""

    ids: tuple[str, ...]
    names: tuple[str, ...]


Term: TypeAlias = Condition | AnyOf | NoneOf | RelatedTerm | DescribedTerm | GivenEntities
Terms: TypeAlias = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """What is made of the entities that meet a task's terms, where it is not simply their list: those first, or groups.

    They are ranked by the column `order`, from the highest or the lowest, and `limit` of them are asked for, of all or
    of each group by the column `within`; or they are grouped by the column `group`, and the rows of the answer are the
    groups; or the rows of the answer are those of the relation `rows` that meet `where` and whose `end`, source or
    target, is one of them: their posts, or seasons of some years. `within` without a `limit` asks for all of each
    group: the players of each club.
    """

    order: str = ""
    highest: bool = True
    limit: int = 0
    group: str = ""
    rows: str = ""
    end: str = ""
    within: str = ""
    where: Terms = ()

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the answer's rows counts: that of a ranking, but not where it is one for each group."""
        return self.limit > 0 and not self.within

    @property
    def owners(self) -> str:
        """The reference by whose entities two lists are joined: all members of each; empty where none are."""
        return "" if self.limit else self.within


def parts_of(term: Term) -> tuple[Terms, ...]:
    """Return the lists of terms that a term is made of."""
    match term:
        case AnyOf() | NoneOf():
            return term.parts
        case RelatedTerm() | DescribedTerm():
            return (term.where,)
        case _:
            return ()


def leaves(terms: Sequence[Term]) -> Iterator[Condition]:
    """Yield the conditions of terms, however deep they lie, in order."""
    for term in terms:
        if isinstance(term, Condition):
            yield term
        for part in parts_of(term):
            yield from leaves(part)


def terms_of_members(owners: Sequence[Term], reference: str) -> Terms:
    """Say of those who refer by a column what terms say of the entities referred to: `founded` as `club.founded`."""
    return tuple(_moved(term, lambda path: f"{reference}.{path}") for term in owners)


def split_terms(terms: Sequence[Term], reference: str) -> tuple[Terms, Terms]:
    """Return the terms that are on what a column refers to, as said of that, and the other terms."""
    before = f"{reference}."
    on_owners = [term for term in terms if all(one.path.startswith(before) for one in leaves((term,)))]
    owners = tuple(_moved(term, lambda path: path.removeprefix(before)) for term in on_owners)
    return owners, tuple(term for term in terms if term not in on_owners)


def _moved(term: Term, change: Callable[[str], str]) -> Term:
    """Change the paths that a term begins at, also those of its alternatives and exceptions."""
    match term:
        case Condition() | DescribedTerm():
            return replace(term, path=change(term.path))
        case AnyOf() | NoneOf():
            parts = tuple(tuple(_moved(one, change) for one in part) for part in term.parts)
            return replace(term, parts=parts)
        case _:
            return term


def n_hops(terms: Sequence[Term]) -> int:
    """Count the references and relations that have to be followed from entity to entity."""
    hops = 0
    for term in terms:
        hops += isinstance(term, RelatedTerm | DescribedTerm)
        hops += term.path.count(".") if isinstance(term, Condition | DescribedTerm) else 0
        hops += sum(map(n_hops, parts_of(term)))
    return hops


def logic_of(terms: Sequence[Term], shape: Shape) -> str:
    """Say what a task takes beside looking up: words such as `and or not between`, in a fixed order."""
    words = {"and"} if len(terms) > 1 else set()
    _add_words((*terms, *shape.where), words)
    found = words | {word for word, made in _SHAPES.items() if getattr(shape, made)}
    return " ".join(word for word in LOGIC if word in found)


LOGIC = ("and", "or", "not", "between", "related", "window", "described", "given", "top", "group", "rows", "each")
"""The words of `logic_of`, in order."""
_SHAPES = {"top": "limit", "group": "group", "rows": "rows", "each": "within"}


def _add_words(terms: Sequence[Term], words: set[str]) -> None:
    for term in terms:
        match term:
            case Condition():
                words |= {"!=": {"not"}, "between": {"between"}}.get(term.operator, set())
                words |= {"top"} if term.operator in ("highest", "lowest") else set()
            case AnyOf() | NoneOf():
                if any(isinstance(one, Condition) and one.operator == "missing" for part in term.parts for one in part):
                    words.add("window")  # a period that has not ended, or ended later
                    continue
                words |= {"or"} if isinstance(term, AnyOf) else {"not"}
                for part in term.parts:
                    words |= {"and"} if len(part) > 1 else set()
                    _add_words(part, words)
            case RelatedTerm() | DescribedTerm():
                words.add("related" if isinstance(term, RelatedTerm) else "described")
                _add_words(term.where, words)
            case GivenEntities():
                words.add("given")


def to_plain(terms: Sequence[Term]) -> list[dict[str, Any]]:
    """Write terms as JSON takes them: a condition as its fields, any other term under its name."""
    return [_plain(term) for term in terms]


def from_plain(plain: Sequence[dict[str, Any]]) -> Terms:
    """Read terms back from what `to_plain` gave."""
    return tuple(_term(one) for one in plain)


def _plain(term: Term) -> dict[str, Any]:
    match term:
        case Condition():
            return {key: value for key, value in asdict(term).items() if value or not key.startswith("upper")}
        case AnyOf():
            return {"any_of": [to_plain(part) for part in term.parts]}
        case NoneOf():
            return {"none_of": [to_plain(part) for part in term.parts]}
        case RelatedTerm():
            return {"related": {"table": term.table, "column": term.column, "where": to_plain(term.where)}}
        case DescribedTerm():
            fields = {"path": term.path, "about": term.about, "value": term.value, "written": term.written}
            return {"described": {**fields, "where": to_plain(term.where)}}
        case GivenEntities():
            return {"given": {"ids": list(term.ids), "names": list(term.names)}}


def _term(plain: dict[str, Any]) -> Term:
    match plain:
        case {"any_of": parts}:
            return AnyOf(tuple(from_plain(part) for part in parts))
        case {"none_of": parts}:
            return NoneOf(tuple(from_plain(part) for part in parts))
        case {"related": inner}:
            return RelatedTerm(inner["table"], inner["column"], from_plain(inner["where"]))
        case {"described": inner}:
            where = from_plain(inner["where"])
            return DescribedTerm(inner["path"], inner["about"], where, inner["value"], inner["written"])
        case {"given": inner}:
            return GivenEntities(tuple(inner["ids"]), tuple(inner["names"]))
        case _:
            return Condition(**plain)
