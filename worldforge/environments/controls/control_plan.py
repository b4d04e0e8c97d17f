"""Control plans: which controls act on an agent's calls, how often, on which calls, under which seed.

    load_controls("mild")                                   a preset
    load_controls("mild,errors.rate=0.3,seed=4")            a preset, changed
    load_controls("controls.yaml")                          a file; `preset: harsh` in it says what it begins from
    ControlPlan(seed=7, errors=Errors(rate=0.2, tools=["search"]), wrong_facts=WrongFacts(rate=0.05))

Two sorts. *Content* controls (pagination to wrong facts) depend on the seed and the call alone: the same call brings
the same view in every session. *Faults* (errors to stale pages) depend on the session as well, and on how often the
same call was made in it before: a call that is made again goes through. By default nothing happens.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.suggestions import did_you_mean
from worldforge.environments.requests import ToolRequest, request_types
from worldforge.schema.document import Document, read_document
from worldforge.schema.problems import SpecError
from worldforge.schema.shape_errors import validate_document
from worldforge.schema.spec_section import Section, Share
from worldforge.schema.spec_sources import override_layer, read_text

ErrorKind = Literal["rate_limited", "server_error", "timeout"]
_PRESETS_FILE = Path(__file__).with_name("presets.yaml")
_COMMA = re.compile(r",(?![^\[{]*[\]}])")  # that no bracket holds
_CAPITAL = re.compile(r"(?<=.)[A-Z]")


class Between(Section):
    """A number from `low` to `high`, drawn evenly."""

    _errors = ((lambda one: one.low > one.high, "low ({one.low:g}) is above high ({one.high:g})"),)

    low: float = Field(ge=0)
    high: float = Field(ge=0)

    def at(self, draw: float) -> float:
        """Map a draw in [0, 1) to the range."""
        return self.low + draw * (self.high - self.low)


class Control(Section):
    """The rate and scope of one control. Requests declare which controls may touch them; see `ToolRequest`."""

    touches_all: ClassVar[bool] = False
    rates: ClassVar[tuple[str, ...]] = ("rate",)
    _errors = (
        (lambda one: one.to_turn is not None and one.to_turn < one.from_turn,
         "to_turn ({one.to_turn}) is before from_turn ({one.from_turn})"),
    )  # fmt: skip

    rate: Share = Field(default=0.0, description="How often, from 0 (never) to 1 (wherever it can be).")
    tools: list[str] = Field(
        default_factory=list, description="Which calls it may touch: `search`, `open`, …; none named, all that it can."
    )
    from_turn: int = Field(default=0, ge=0, description="The first of a session's calls that it may touch, from 0.")
    to_turn: int | None = Field(default=None, ge=0, description="The last call that it may touch; none, to the end.")
    tasks: Share = Field(default=1.0, description="Share of the tasks that it may touch.")
    sessions: Share = Field(default=1.0, description="Share of the sessions that it may touch.")

    @model_validator(mode="after")
    def _in_scope(self) -> Self:
        if self.tools:
            known = request_types()
            if unknown := [kind for kind in self.tools if kind not in known]:
                raise ValueError(f"there is no call `{unknown[0]}`: {did_you_mean(unknown[0], known)}")
            touched = [kind for kind, request in known.items() if self.may_touch(request)]
            if strange := [kind for kind in self.tools if kind not in touched]:
                only = ", ".join(f"`{kind}`" for kind in touched)
                raise ValueError(f"it has nothing to do with `{strange[0]}`: only with {only}")
        return self

    @property
    def acts(self) -> bool:
        """Whether any of its rates is above 0."""
        return any(getattr(self, rate) > 0 for rate in self.rates)

    def is_due(self, turn: int) -> bool:
        """Whether it may touch a session's `turn`-th call, from 0."""
        return self.from_turn <= turn and (self.to_turn is None or turn <= self.to_turn)

    @classmethod
    def may_touch(cls, request: type[ToolRequest]) -> bool:
        """Whether it applies to requests of a type at all."""
        return cls.touches_all or control_name(cls) in request.controls

    def reaches(self, request: type[ToolRequest]) -> bool:
        """Whether it may touch requests of a type under this plan."""
        return self.may_touch(request) and (not self.tools or request.kind in self.tools)


class FaultControl(Control):
    """A fault of a call, which goes away when the call is repeated often enough."""

    most_in_a_row: int = Field(
        default=2, ge=1, le=10, description="After so many faulty answers to one and the same call it spares the next."
    )


class Errors(FaultControl):
    """Calls that fail as a whole, before anything is done: 429, 500, time-out."""

    touches_all = True

    kinds: list[ErrorKind] = Field(default=["rate_limited", "server_error", "timeout"], min_length=1)
    timeout_s: float = Field(default=30.0, ge=0, description="Seconds that a call takes to time out.")


class Latency(Control):
    """Slow answers."""

    touches_all = True

    seconds: Between = Between(low=0.5, high=8.0)
    real: bool = Field(default=False, description="Whether the session truly waits; else the seconds are written down.")


class Truncation(FaultControl):
    """Answers cut off in their text."""

    kept: Between = Between(low=0.2, high=0.8)


class Partial(FaultControl):
    """Lists of which only the first items are returned."""

    kept: Between = Between(low=0.2, high=0.8)


class Malformed(FaultControl):
    """Answers that are broken JSON."""


class Batch(FaultControl):
    """Items of a batch that fail while the others go through: queries, records. `rate` is an item's."""


class Stale(FaultControl):
    """Old copies of pages, with a notice; opened again, the page is up to date."""

    most_in_a_row: int = Field(default=1, ge=1, le=10)
    changed: Share = Field(default=0.5, description="Share of the page's counts and amounts that were others then.")
    days: Between = Between(low=20, high=900)


class Pagination(Control):
    """Fewer items a page than asked for; the next page has more."""

    size: int = Field(default=5, ge=1, description="Most items a page.")


class Withheld(Control):
    """Columns that lists do not show: the entity's own page, or its record, does. `rate` is a column's."""

    rates = ("rate", "links")

    links: Share = Field(default=0.0, description="Share of the lists whose names are no links.")


class Snippets(Control):
    """What the snippet of a search result may disclose. `rate` is a result's."""

    characters: int | None = Field(default=None, ge=20, description="Most characters of a snippet.")
    facts: int | None = Field(default=None, ge=0, description="Most facts that a snippet states, names aside.")


class Distractors(Control):
    """Search results that do not answer the query. `rate` is a query's, for those with a similar name."""

    rates = ("rate", "unrelated")

    most: int = Field(default=1, ge=1, le=5, description="Most results with a similar name, high on a page of results.")
    unrelated: Share = Field(default=0.0, description="Share of the results that are about something else.")


class Fields(Control):
    """Fields under other names, or in another order, than tools describe them. `rate` is a field's."""

    rates = ("rate", "reordered")

    reordered: Share = Field(default=0.0, description="Share of the tables whose fields come in another order.")


class WrongFacts(Control):
    """Facts that are shown wrongly, the same wherever they are shown. `rate` is a fact's."""


class ControlPlan(Section):
    """All controls of a run. Sections left out do nothing, or what `schedule` says."""

    seed: int = Field(default=0, ge=0, lt=2**63)
    pagination: Pagination = Pagination()
    withheld: Withheld = Withheld()
    snippets: Snippets = Snippets()
    distractors: Distractors = Distractors()
    fields: Fields = Fields()
    wrong_facts: WrongFacts = WrongFacts()
    errors: Errors = Errors()
    latency: Latency = Latency()
    truncation: Truncation = Truncation()
    partial: Partial = Partial()
    malformed: Malformed = Malformed()
    batch: Batch = Batch()
    stale: Stale = Stale()
    schedule: Schedule | None = Field(
        default=None, description="A way from one plan to another, for what the plan itself leaves out."
    )

    def controls(self) -> dict[str, Control]:
        """Return the controls that act, by name, in the order of the fields."""
        return {name: control for name in CONTROLS if (control := getattr(self, name)).acts}

    def at(self, place: float) -> ControlPlan:
        """Return the plan for an episode at `place` of the run, from 0 (its first) to 1: without a schedule.

        Rates lie between those of the schedule's ends; other settings are the second end's, where that control acts
        there. What the plan says of a control itself stands.
        """
        if self.schedule is None:
            return self
        begin, end = (plan.at(place) for plan in (self.schedule.begin, self.schedule.to))
        share = min(1.0, max(0.0, place) / self.schedule.over)
        stands = {name: getattr(self, name) for name in CONTROLS if name in self.model_fields_set}
        between = {name: _interpolate(getattr(begin, name), getattr(end, name), share) for name in CONTROLS}
        return ControlPlan(seed=self.seed, **(between | stands))

    def to_json(self) -> dict[str, Any]:
        """Write the plan's set fields as JSON; `ControlPlan.model_validate` reads it back."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @property
    def digest(self) -> str:
        """A SHA-256 over the plan, defaults included."""
        return value_digest(self.model_dump(mode="json", by_alias=True))


class Schedule(Section):
    """A change from one plan to another over a run: `over` is the share of the run after which the second is reached.

    Each end is a preset's name or a plan.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)

    begin: ControlPlan = Field(validation_alias="from", serialization_alias="from")
    to: ControlPlan
    over: float = Field(default=1.0, gt=0, le=1)

    @field_validator("begin", "to", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return preset(value) if isinstance(value, str) else value


ControlPlan.model_rebuild()
CONTROLS = tuple(name for name in ControlPlan.model_fields if name not in ("seed", "schedule"))
"""The names of all controls: those of content first, then the faults."""


def load_controls(source: str | Path) -> ControlPlan:
    """Load a plan: a preset's name or a YAML file, then `,key=value` for changes.

    Raises SpecError with every problem and its place, InputError where there is no such preset or file.
    """
    name, *overrides = _COMMA.split(str(source))
    document = _read_plan(name)
    for override in overrides:
        document = document.merged(override_layer(override, "--controls", "mild,errors.rate=0.3"))
    plan, faults = validate_document(document, ControlPlan)
    if plan is None:
        raise SpecError([fault.problem for fault in faults])
    return plan


def preset(name: str) -> ControlPlan:
    """Return the preset of this name. Raises ValueError where there is none."""
    if name not in PRESETS:
        raise ValueError(f"there is no preset `{name}`: {did_you_mean(name, PRESETS)}")
    return PRESETS[name]


def control_name(control: type[Control]) -> str:
    """Return a control's name in plans and requests: `wrong_facts` for WrongFacts."""
    return _CAPITAL.sub(lambda capital: f"_{capital[0]}", control.__name__).lower()


def _interpolate(begin: Control, end: Control, share: float) -> Control:
    settings = end if end.acts else begin
    rates = {name: getattr(begin, name) * (1 - share) + getattr(end, name) * share for name in begin.rates}
    return settings.model_copy(update={name: round(rate, 6) for name, rate in rates.items()})


def _read_plan(name: str) -> Document:
    """Read a preset, or a file, merged into the preset that it names."""
    path = Path(name)
    if name in PRESETS:
        return _PRESETS.part(name)
    if not path.is_file():
        raise InputError(
            f"there is no preset and no file of controls `{name}`", f"give a file, or: {did_you_mean(name, PRESETS)}"
        )
    document, problems = read_document(read_text(path), name)
    if not isinstance(document.data, dict):
        message, hint = "a control plan is a mapping of keys to values", "`errors: {rate: 0.1}`"
        problems.append(document.problem((), message, hint))
    if problems:
        raise SpecError(problems)
    begins = document.data.pop("preset", None)
    if begins is None:
        return document
    if str(begins) not in PRESETS:
        hint = did_you_mean(str(begins), PRESETS)
        raise SpecError([document.problem(("preset",), f"there is no preset `{begins}`", hint)])
    return _PRESETS.part(str(begins)).merged(document)


_PRESETS, _ = read_document(_PRESETS_FILE.read_text("utf-8"), _PRESETS_FILE.name)
PRESETS: dict[str, ControlPlan] = {}
"""`none` does nothing, `mild` is a good day on the web, `harsh` a bad one; `curriculum` goes from `none` to `harsh`."""
for _name, _plan in _PRESETS.data.items():  # a schedule names presets before its own
    PRESETS[_name] = ControlPlan.model_validate(_plan)
