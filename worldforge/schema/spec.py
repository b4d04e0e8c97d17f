"""What a world.yaml says, as frozen typed records. Unknown keys are errors; every field has one meaning.

Two notations run through the spec:

- an *expression* is SQL over the columns of one row (`population / area_km2`), reaching through references with dots
  (`town.region.area_km2`; in a relation `source.born`, `target.founded`). Only pure functions are allowed.
- a *parameter* is a plain value, or an expression when it is text that begins with `=` (`"= town.founded + 1"`).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, WithJsonSchema, model_validator

from worldforge.core.columns import ValueKind
from worldforge.core.imports import is_own, shipped_views
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.document import KeyPath, Place
from worldforge.schema.spec_section import Identifier, Language, Range, Section, Share, UncomparedDict
from worldforge.schema.strategy_section import NamesPart, Strategies
from worldforge.schema.task_section import Gates, Split, TaskFamily
from worldforge.schema.web_section import PageKind, SearchSettings, Site, Web, spread_prose, with_site_maps


class Phrasing(Section):
    """How a column is spoken of."""

    label: str = Field(
        default="", description="What a reader calls it, a noun phrase: `founding year`. Defaults to the column's name."
    )
    unit: str = Field(default="", description="Unit written after the value: `km²`.")
    sentences: list[str] = Field(
        default_factory=list,
        description="Ways a page may state it, with the slots {subject} and {value}: "
        '"{subject} was founded in {value}." Defaults fit the kind of value.',
    )


class Aliases(Section):
    """Other names that entities are known by: in the table's column `aliases`, on pages, and true in an answer."""

    share: Share = Field(default=0.3, description="Share of entities that have any.")
    forms: list[Literal["short", "initials", "former", "transliterated"]] = Field(
        default=["short", "initials", "former"],
        min_length=1,
        description="Which sorts: a shorter name, initials, a name borne before, the name in another script.",
    )
    used: Share = Field(default=0.2, description="Share of places where a page calls such an entity by an alias.")


class Name(Section):
    """How the entities of a type are named: unique within the type, but for namesakes."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("namesakes", "aliases")

    generator: str = Field(description="A generator of names: `names.town`, or `module:function` of your own.")
    params: dict[str, Any] = Field(
        default_factory=dict, description="Parameters of the generator; `= …` is an expression."
    )
    namesakes: Share = Field(default=0.0, description="Share of entities that bear the name of another of their type.")
    aliases: Aliases | None = Field(default=None, description="Other names that entities are known by.")


class Attribute(Phrasing):
    """A column drawn by chance: values from a generator, or references to entities of another type."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("acyclic", "varies", "where", "optional")
    _errors = (
        (lambda one: (one.generator is None) == (one.references is None),
         "give exactly one of `generator` and `references`"),
        (lambda one: one.references is not None and one.params,
         "`params` belong to a generator; a reference takes distribution, exponent, capacity"),
        (lambda one: one.where is not None and one.references is None,
         "`where` belongs to a reference: it says which entities a row may refer to"),
        (lambda one: one.optional and one.where is None, "`optional` belongs to `where`"),
    )  # fmt: skip

    generator: str | None = Field(
        default=None, description="A generator: `values.year`, or `module:function` of one's own."
    )
    params: dict[str, Any] = Field(
        default_factory=dict, description="Parameters of the generator; `= …` is an expression."
    )
    references: Identifier | None = Field(default=None, description="The type that this column refers to.")
    distribution: Literal["uniform", "zipf"] = Field(
        default="uniform", description="How references spread over their targets."
    )
    exponent: float = Field(default=1.0, gt=0, le=4, description="Steepness of `zipf`.")
    capacity: int | None = Field(default=None, ge=1, description="Most rows that may refer to one target.")
    acyclic: bool = Field(
        default=False,
        description="Of a reference to the column's own type: no chain of references comes back to where it began.",
    )
    where: str | None = Field(
        default=None,
        description="With `references`: what must hold of the entity referred to, under the column's own name: "
        "`cites.in_force <= decided`, `university = student.university`.",
    )
    optional: bool = Field(
        default=False, description="With `where`: whether a row for which no entity meets it is left empty."
    )
    missing: Share = Field(default=0.0, description="Share of rows left empty.")
    varies: Share = Field(
        default=0.0,
        description="How it changes with the years, for pages that are out of date: a number by that share a year, "
        "upwards on the whole; any other value is another one with that probability a year.",
    )


class Derived(Phrasing):
    """A column computed from others: an expression on the row, or an aggregate `over` rows that point at it."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("sql", "rank", "within", "tree")
    _errors = (
        (lambda one: (one.sql is None) == (one.rank is None), "give exactly one of `sql` and `rank`"),
        (lambda one: one.rank is None and one.within is not None, "`within` belongs to `rank`"),
        (lambda one: one.over is not None and one.tree is not None, "give one of `over` and `tree`"),
        (lambda one: one.rank is not None and (one.over, one.tree, one.where, one.kind) != (None, None, None, None),
         "`rank` goes with `within` alone: rank a derived column where rows are aggregated first"),
        (lambda one: one.where is not None and one.over is None and one.tree is None,
         "`where` needs `over` or `tree`: it chooses among the rows aggregated"),
    )  # fmt: skip

    sql: str | None = Field(default=None, description="An expression; with `over`, an aggregate: `max(goals)`.")
    rank: str | None = Field(
        default=None,
        description="In the place of `sql`: what rows are ranked by, from 1, ties alike: `points desc, goals desc`.",
    )
    within: str | None = Field(
        default=None, description="With `rank`: a reference path whose entities are ranked each apart (`league`)."
    )
    over: str | None = Field(
        None,
        description="The rows aggregated: a relation (`plays_for`), or references that lead to this type (`club.town`, "
        "`club.town.region`).",
    )
    tree: Identifier | None = Field(
        default=None,
        description="In the place of `over`: a reference of the type to itself. The rows aggregated are the entity's "
        "own and all from which it leads there, in any number of steps.",
    )
    where: str | None = Field(
        default=None, description="With `over` or `tree`: an expression that chooses among those rows."
    )
    kind: ValueKind | None = Field(
        None, description="What it holds, where the expression's type does not say it (year)."
    )


class EntityType(Section):
    """A table of entities: a name, attributes drawn by chance, attributes derived from others."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("distractors",)

    count: int = Field(ge=1, le=10_000_000, description="How many entities there are at scale 1.")
    scaled: bool = Field(default=True, description="Whether the world's `scale` multiplies the count.")
    label: str = Field(default="", description="One of them: `football club`. Defaults to the type's name.")
    plural: str = Field(default="", description="Several of them. Defaults to the plural of the label.")
    name: Name = Field(description="How they are named: `{generator: names.club}`, with `params` where it takes some.")
    distractors: Share = Field(
        default=0.0,
        description="Share of entities that are near twins of others: alike in references and values, but for one or "
        "two of them and what those entail; named alike, but not the same.",
    )
    attributes: dict[Identifier, Attribute] = Field(
        default_factory=dict,
        description="Columns with drawn values or references, by name: `town: {references: town}`, "
        "`colour: {generator: values.choice, params: {options: [red, blue]}}`.",
    )
    derived: dict[Identifier, Derived] = Field(default_factory=dict, description="Computed columns, by name.")


class Pairs(Section):
    """Rows of a relation of a type with itself: all entities of a group meet one another, in rounds.

    In a round each entity meets one other at most, so what has a date by its round never has two on one day.
    """

    within: str | None = Field(
        default=None,
        description="A reference path of the type that splits it into groups (`league`). Default: one group.",
    )
    legs: int = Field(default=2, ge=1, le=8, description="How often two meet; they change sides from leg to leg.")


class Relation(Section):
    """A many-to-many table from `source` entities to `target` entities, with columns of its own (`from`, …).

    With `pairs` it has a column `round`, from 1. With `series` it has `position`, from 1, and `previous`, its owner's
    row before, which expressions may follow (`previous.until`).
    """

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("per_source", "pairs", "series", "order", "where")
    _errors = (
        (lambda one: (one.per_source is None) == (one.pairs is None), "give exactly one of `per_source` and `pairs`"),
        (lambda one: one.pairs is not None and (one.per_target, one.series, one.source) != (None, None, one.target),
         "`pairs` are of one type with itself, without `per_target` and `series`"),
        (lambda one: one.where is not None and one.pairs is not None,
         "`where` does not go with `pairs`: all of a group meet; split it with `within`"),
        (lambda one: one.where is not None and one.per_target is not None and one.per_target.low,
         "`where` does not go with `per_target.low`: few sources may meet it; leave `low` at 0"),
        (lambda one: one.order is not None and one.series is None,
         "`order` belongs to `series`: it says in which order an owner's rows come"),
    )  # fmt: skip

    source: Identifier = Field(description="The type at the first end.")
    target: Identifier = Field(description="The type at the other end; it may be the same.")
    title: str = Field(default="", description="Heading of its table on a source's page: `Career`.")
    per_source: Range | None = Field(default=None, description="How many targets a source has: `{low: 1, high: 2}`.")
    pairs: Pairs | None = Field(default=None, description="In the place of `per_source`: who meets whom.")
    series: Literal["source", "target"] | None = Field(
        default=None,
        description="Which end owns its rows as a series: one comes after another, and `previous` is the one before.",
    )
    order: str | None = Field(
        default=None,
        description="With `series`: an expression on the two ends by which an owner's rows are ordered: `target.year`.",
    )
    where: str | None = Field(
        default=None,
        description="What must hold of a source and its target: `target.in_force <= source.decided`. A source that has "
        "fewer such targets than it would draw has those, `per_source.low` at least.",
    )
    per_target: Range | None = Field(None, description="How many sources a target may have; both hold.")
    distinct: bool = Field(default=True, description="Whether one source and one target meet at most once.")
    distribution: Literal["uniform", "zipf"] = Field(default="uniform", description="How targets are chosen.")
    exponent: float = Field(default=1.0, gt=0, le=4, description="Steepness of `zipf`.")
    columns: dict[Identifier, Attribute] = Field(
        default_factory=dict, description="Its own columns, by name; `from` and `until` are the usual ends of a period."
    )


class Exclusive(Section):
    """Periods of one owner that do not overlap: one may begin on the day, or in the year, in which another ends."""

    per: Identifier = Field(description="The column that says whose periods they are: `target`, `company`.")
    begin: Identifier = Field(default="from", description="The column in which a period begins.")
    end: Identifier = Field(default="until", description="The column in which it ends; empty where it has not.")


class Constraint(Section):
    """What every row of a type or relation must keep: an expression that is true, or what holds between its rows."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("sql", "unique", "exclusive", "acyclic")
    _errors = (
        (lambda one: [one.sql, one.unique, one.exclusive, one.acyclic].count(None) != 3,
         "give exactly one of `sql`, `unique`, `exclusive` and `acyclic`"),
        (lambda one: one.redraw is not None and one.acyclic is not None,
         "`redraw` does not go with `acyclic`: write `acyclic: true` on the attribute"),
    )  # fmt: skip

    on: Identifier = Field(description="The type or relation whose rows it holds for.")
    sql: str | None = Field(default=None, description="An expression that every row makes true.")
    unique: list[Identifier | list[Identifier]] | None = Field(
        default=None,
        min_length=1,
        description="Columns that no two rows share, where all are filled: `[club, year]`. A list in the place of a "
        "column is any of its columns: `[[source, target], day]` lets each entity, at either end, have a day once.",
    )
    exclusive: Exclusive | None = Field(
        default=None,
        description="Periods of one owner that do not overlap: `{per: target}`, where they lie in `from` and "
        "`until`; else `{per: company, begin: opened, end: closed}`.",
    )
    acyclic: Identifier | None = Field(default=None, description="A reference to its own type that never comes back.")
    redraw: Identifier | None = Field(
        None, description="Which column is drawn again where it fails. Default, of `sql`: the last drawn that it names."
    )


def _n_steps(given: object) -> object:
    if given == "task" or (type(given) is int and 1 <= given <= 10_000):
        return given
    raise ValueError("must be a whole number from 1 to 10000, or `task`")


class Rollouts(Section):
    """How agents are let loose."""

    agent: Literal["oracle", "searcher"] = Field(
        default="oracle",
        description="Who plays: the oracle, which knows where everything stands, or the searcher, which knows what it "
        "has seen (in the search environment; elsewhere the oracle plays). `--agent` names others.",
    )
    dialect: str = Field(
        default="",
        pattern=r"^([a-z][a-z0-9_]*(\+[a-z][a-z0-9_]*)*)?$",
        description="The dialect of the search environment's tools, with further tools after `+`: "
        "`agentworld+find_in_page`. Default: that environment's own. `--dialect` names others.",
    )
    trials: int = Field(default=1, ge=1, le=1024, description="Episodes a task.")
    max_steps: Annotated[int | Literal["task"], BeforeValidator(_n_steps)] = Field(
        default=50,
        description="Tool calls an episode may take; WideSearch allows 50. `task`: 50, or twice what the searcher "
        "needed at the task, where that is more.",
    )
    concurrency: int = Field(default=64, ge=1, le=100_000, description="Episodes under way at once in one process.")


def _view_name(name: str) -> str:
    if name == "all" or is_own(name) or name in shipped_views():
        return name
    raise ValueError(f"unknown view `{name}`; {did_you_mean(name, ['all', *shipped_views()])}".rstrip("; "))


ViewName = Annotated[
    str,
    AfterValidator(_view_name),
    WithJsonSchema({"anyOf": [{"enum": ["all", *shipped_views()]}, {"type": "string", "pattern": r"^[\w.]+:\w+$"}]}),
]
"""A view of a dataset: a file of datasets/views, `module:attribute` of the user's own, or `all` for all shipped."""


class Export(Section):
    """How trajectories become a dataset."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("views",)

    views: list[ViewName] = Field(
        default=["trajectories"], min_length=1, description="Trainers' formats to write; `all` for every one."
    )
    rows_per_shard: int = Field(default=10_000, ge=1, description="Most rows a file of a dataset holds.")
    license: str = Field(default="cc-by-4.0", description="Licence named on the dataset card.")


class Jobs(Section):
    """Scheduled generation. Takes no keys yet."""


class WorldSpec(Section):
    """A whole world.yaml, resolved: `extends` merged, overrides applied.

    A field a top-level key: each is a part of its own, which a spec that extends another replaces or adds to by name.
    """

    _omitted_defaults: ClassVar[tuple[str, ...]] = (
        *("web", "naming", "names_part", "search", "gates", "split", "strategies", "applied", "translations"),
        *("phrases", "value_wordings"),
    )

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")] = Field(
        description="The world's name, and that of its folder in `output/`."
    )
    title: str = Field(default="", description="A title for people.")
    description: str = Field(default="", description="A description for people.")
    seed: int = Field(default=0, ge=0, lt=2**63, description="Everything random follows from it.")
    naming: int = Field(
        default=0, ge=0, lt=2**63, description="Names are drawn anew for another number; all else stays as it is."
    )
    names_part: NamesPart | None = Field(
        default=None,
        description="Which part of all names this world takes: worlds that take different ones share no name.",
    )
    scale: float = Field(default=1.0, gt=0, le=100_000, description="Multiplies every scaled count of entities.")
    as_of: str = Field(default="2031-06-30", pattern=r"^\d{4}-\d{2}-\d{2}$", description="Today, in the world.")
    languages: list[Language] = Field(
        default=["en"], min_length=1, description="Languages of its pages and questions; tables are in the first."
    )
    translations: dict[Language, dict[str, str]] = Field(
        default={},
        description="By language, what texts of this spec are there: labels, units, sentences, titles, options.",
    )
    phrases: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_-]{0,63})?$")] = Field(
        default="", description="Its phrasebooks: the files `phrases/NAME.LANGUAGE.yaml` beside it, or shipped ones."
    )
    value_wordings: dict[Language, dict[str, dict[str, str]]] = Field(
        default={},
        description="By language and column (`hotel.breakfast`), how pages word values: `{comes with the room: yes}`. "
        "Phrasebooks fill it.",
    )
    types: dict[Identifier, EntityType] = Field(min_length=1, description="Tables of entities, by name.")
    relations: dict[Identifier, Relation] = Field(default_factory=dict, description="Many-to-many tables, by name.")
    constraints: list[Constraint] = Field(default_factory=list, description="What must hold of rows.")
    sites: dict[Identifier, Site] = Field(default_factory=dict, description="Hosts that pages are on, by name.")
    web: Web = Web()
    pages: Annotated[dict[Identifier, PageKind], BeforeValidator(spread_prose)] = Field(
        default_factory=dict, description="Kinds of pages, by name; `prose: model` among them holds for all of them."
    )
    search: SearchSettings = SearchSettings()
    tasks: dict[Identifier, TaskFamily] = Field(default_factory=dict, description="Families of questions, by name.")
    gates: Gates = Gates()
    split: Split | None = Field(default=None, description="Which tasks are for training, which for evaluation.")
    rollouts: Rollouts = Rollouts()
    export: Export = Export()
    jobs: Jobs = Jobs()
    strategies: Strategies = Strategies()
    applied: list[str] = Field(
        default_factory=list, description="Strategies that this spec came of, as a resolved spec says."
    )
    _with_site_maps = model_validator(mode="before")(with_site_maps)
    _places: UncomparedDict[KeyPath, Place] = PrivateAttr(default_factory=UncomparedDict)
    _books: UncomparedDict[str, Any] = PrivateAttr(default_factory=UncomparedDict)

    @property
    def books(self) -> UncomparedDict[str, Any]:
        """Its phrasebooks (`schema.phrasebook.Book`) by language; empty for a spec that was not read with them."""
        return self._books

    @property
    def places(self) -> UncomparedDict[KeyPath, Place]:
        """Where parts of the spec are written, by path; empty for a spec that was not read from a file."""
        return self._places

    def n_entities(self, type_name: str) -> int:
        """Return how many entities of a type this world has, its scale applied."""
        entity_type = self.types[type_name]
        return max(1, round(entity_type.count * self.scale)) if entity_type.scaled else entity_type.count
