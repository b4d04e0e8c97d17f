"""How often a noisy oracle errs, and in which ways: `noisy-oracle?wander=0.2&misread=0.05`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from urllib.parse import parse_qsl

from worldforge.core.errors import InputError

NAME = "noisy-oracle"


@dataclass(frozen=True, slots=True)
class NoiseRates:
    """Rates of mistakes, each from 0 to 1.

    Of each turn: `wander` off the path, `repeat` what was just done, send a `malformed` call, `give_up`. Of each value
    on a page: `misread` another in its place, `forget` to read it. `recover` is the share of values so lost that a
    second look at the page puts right.
    """

    wander: float = 0.15
    repeat: float = 0.08
    malformed: float = 0.05
    give_up: float = 0.03
    misread: float = 0.1
    forget: float = 0.1
    recover: float = 0.4

    def __post_init__(self) -> None:
        for name in RATES:
            rate = getattr(self, name)
            if not 0 <= rate <= 1:
                raise InputError(f"{NAME}: `{name}` is {rate:g}, and must be from 0 to 1")

    @classmethod
    def parse(cls, text: str) -> NoiseRates:
        """Read what stands after `noisy-oracle?`, or nothing. Raises InputError for what is no rate."""
        rates: dict[str, float] = {}
        for name, value in _pairs(text):
            if name not in RATES:
                raise InputError(f"{NAME}: it has no rate `{name}`", f"the rates are {', '.join(RATES)}")
            try:
                rates[name] = float(value)
            except ValueError as error:
                raise InputError(f"{NAME}: `{name}={value}` is no number", f"for example: `{name}=0.1`") from error
        return cls(**rates)

    def __str__(self) -> str:
        return "&".join(f"{name}={getattr(self, name):g}" for name in RATES)


RATES = tuple(field.name for field in fields(NoiseRates))


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=100)
    except ValueError as error:
        example = f"for example: `{NAME}?wander=0.2&misread=0.05`"
        raise InputError(f"{NAME}: `{text}` is not written as rates are", example) from error
