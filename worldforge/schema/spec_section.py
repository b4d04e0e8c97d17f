"""What the parts of a spec are made of: sections closed to unknown keys, identifiers, shares, ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Share = Annotated[float, Field(ge=0, le=1)]
Language = Literal["en", "zh"]
"""A language that pages and questions are written in: English, Chinese."""
Key = TypeVar("Key")
Value = TypeVar("Value")


class Section(BaseModel):
    """A part of a spec: immutable, and closed to keys it does not know.

    Fields in `_omitted_defaults` are left out of a resolved spec where they hold their default, so that a key that is
    added to the language changes no spec that does without it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    _omitted_defaults: ClassVar[tuple[str, ...]] = ()
    _errors: ClassVar[tuple[tuple[Callable[[Any], bool], str], ...]] = ()
    """Combinations of values that are refused, each with the message, in which `{one.low}` is the value of `low`."""

    @classmethod
    def field_of(cls, key: object) -> FieldInfo | None:
        """Return the field that a key is for: its name, or where that would be a word of Python's, its alias."""
        fields = cls.model_fields.items()
        return next((field for name, field in fields if key in (name, field.validation_alias)), None)

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, given: Any) -> Any:
        """Take a known key whose value is null as not given; YAML makes an unknown one of a comma too many."""
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if value is not None or cls.field_of(key) is None}

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        for is_wrong, message in self._errors:
            if is_wrong(self):
                raise ValueError(message.format(one=self))
        return self

    @model_serializer(mode="wrap")
    def _write_without_defaults(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        for name in filter(self.has_default, self._omitted_defaults):
            written.pop(name, None)
        return written

    def has_default(self, name: str) -> bool:
        """Say whether a field holds its default."""
        return bool(getattr(self, name) == type(self).model_fields[name].get_default(call_default_factory=True))


class UncomparedDict(dict[Key, Value]):
    """A dict that equals any other of its kind: specs that say the same are equal, wherever they are written."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UncomparedDict)

    __hash__ = None


class Range(Section):
    """Whole numbers from `low` to `high`, both included."""

    _errors = ((lambda one: one.low > one.high, "low ({one.low}) is above high ({one.high})"),)

    low: int = Field(ge=0, description="The least.")
    high: int = Field(ge=0, description="The most.")
