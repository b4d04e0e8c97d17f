"""Strategies: what may be made of any spec, so that one world becomes several. They are applied when it is loaded.

The resolved spec is what came of them, and says so under `applied`.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from worldforge.schema.spec_section import Section, Share


class TimeShifted(Section):
    """The same world, some years on: every year and date is later, and so is today."""

    years: int = Field(default=28, ge=1, le=500, description="How many; after 28 the calendar repeats, days and all.")


class LongTail(Section):
    """A world of many obscure things: more entities, few of them with a page of their own."""

    detail: float = Field(default=3.0, gt=1, le=100, description="Multiplies the counts of scaled types.")
    documented: Share = Field(default=0.4, description="Share of the pages of their own that entities keep.")


class Grounded(Section):
    """Invented instances after patterns of the real world: names of a real culture, money that is in use."""

    culture: Literal["english"] = Field(default="english", description="Whose names all names are.")
    units: dict[str, str] = Field(
        default_factory=dict, description="Words of units, and what stands in their place: `{crowns: euros}`."
    )


class Private(Section):
    """The web as an organisation's intranet: a wiki, a board for memos, a tracker of tickets, spreadsheets."""

    organisation: str = Field(default="", description="What the organisation is called. Default: an invented name.")


class Strategies(Section):
    """Which strategies are applied, in this order."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("long_tail", "grounded", "private", "time_shifted", "mirror")

    long_tail: LongTail | None = None
    grounded: Grounded | None = None
    private: Private | None = None
    time_shifted: TimeShifted | None = None
    mirror: int | None = Field(
        default=None,
        ge=1,
        lt=2**63,
        description="The same structure under other names: every number is another naming, and equal in all else.",
    )


class NamesPart(Section):
    """One of `of` parts of all names: worlds with the same `of` that take different ones share no name that is drawn.

    A name's part follows from the name alone, so that no world needs to know another.
    """

    _errors = ((lambda one: one.take >= one.of, "`take` counts from 0, and is below `of`, which is {one.of}"),)

    of: int = Field(ge=2, le=100, description="How many parts there are; the same in all worlds kept apart.")
    take: int = Field(ge=0, description="Which of them this world takes, from 0.")
