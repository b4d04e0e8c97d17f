"""What a spec says of its tasks: families of questions, how many, and how hard."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from worldforge.schema.section import Identifier, Range, Section, Share


class TaskFamily(Section):
    """A family of questions, how many, and how hard."""

    family: Literal["list"]
    about: list[Identifier] | Literal["all"] = "all"
    count: int = Field(ge=1, le=1_000_000)
    rows: Range = Range(low=3, high=20)
    columns: Range = Range(low=2, high=4)
    conditions: Range = Range(low=1, high=2)
    through: Share = Field(default=0.5, description="Share of tasks with at least one condition over a reference.")

    @model_validator(mode="after")
    def _asks_something(self) -> TaskFamily:
        for name in ("rows", "columns", "conditions"):
            if getattr(self, name).low < 1:
                raise ValueError(f"{name}.low must be at least 1")
        return self
