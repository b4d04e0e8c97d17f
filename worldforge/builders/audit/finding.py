"""A finding: how many items a check looked at, how many failed, and the first failures in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check. `failures` spells out at most MOST_SHOWN of the `n_failed`.

    `against` is what another world is called where the check is against one, `note` what is to be known beside the
    numbers. `seconds` is how long the check took, which no file of a world may hold.
    """

    check: str
    n_checked: int
    n_failed: int
    failures: tuple[str, ...]
    seconds: float = field(default=0.0, compare=False)
    against: str = ""
    note: str = ""

    @property
    def title(self) -> str:
        """What the check is called in a table: with the world that it is against."""
        return f"{self.check}: {self.against}" if self.against else self.check

    def lasting(self) -> dict[str, Any]:
        """Return what of the finding is the same each time; what is empty is left out."""
        written = {key: value for key, value in asdict(self).items() if key != "seconds"}
        return {key: value for key, value in written.items() if value or key not in ("against", "note")}


class CheckCounter:
    """Counts what a check looks at and what fails."""

    def __init__(self, check: str, against: str = "") -> None:
        self._check, self._against = check, against
        self._n_checked = 0
        self._n_failed = 0
        self._failures: list[str] = []

    def checked(self, n: int) -> None:
        """Count `n` items as looked at."""
        self._n_checked += n

    def failed(self, failures: Iterable[str], n_failed: int | None = None) -> None:
        """Add failures in words; `n_failed` says how many there are where `failures` does not hold them all."""
        shown = list(failures)
        self._n_failed += len(shown) if n_failed is None else n_failed
        self._failures += shown[: MOST_SHOWN - len(self._failures)]

    def finding(self) -> Finding:
        """Close the check."""
        return Finding(self._check, self._n_checked, self._n_failed, tuple(self._failures), against=self._against)
