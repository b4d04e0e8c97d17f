"""Which of all names a world's entities bear, so that worlds which are kept apart share none."""

from __future__ import annotations

from pydantic import Field, model_validator

from worldforge.schema.spec_section import Section


class NamesPart(Section):
    """One of `of` parts of all names: worlds with the same `of` that take different ones share no name that is drawn.

    A name's part is told by the name alone, so that no world needs to know another.
    """

    of: int = Field(ge=2, le=100, description="How many parts there are; the same in all worlds kept apart.")
    take: int = Field(ge=0, description="Which of them this world takes, from 0.")

    @model_validator(mode="after")
    def _one_of_them(self) -> NamesPart:
        if self.take >= self.of:
            raise ValueError(f"`take` counts from 0: of {self.of} parts the last is {self.of - 1}")
        return self
