"""One column's cells under the strict scorer: what a cell says, and whether it agrees with gold.

What gold holds decides how both are read: a gold cell that is a number or a date is met by that number or date alone,
and any other by its words. So a cell that cannot be read never equals a different one that cannot be read either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from worldforge.scoring.date import Written, read_date
from worldforge.scoring.gold import ColumnRule, Metric
from worldforge.scoring.number import Number, near, read_number
from worldforge.scoring.text import contained, same_text

_DAYS_NEAR = 31
_HOST = re.compile(r"(?:https?://|(?<!\w)www\.)(?:www\.)?([^\s/?#:|()\[\]<>\"',;]+)")
_EXACT = Decimal(0)

Reading = str | Number | Written


@dataclass(frozen=True, slots=True)
class CellReader:
    """Reads one column's cells: by `value` what it holds, by `aliases` other names as gold's own, both as compared."""

    rule: ColumnRule
    value: Callable[[str], Number | Written | None]
    aliases: Mapping[str, str]

    def read(self, cell: str) -> Reading:
        """Return what a cell says, such that equal readings say the same."""
        if (value := self.value(cell)) is not None:
            return value
        text = same_text(cell)
        return self.aliases.get(text, text)

    def agrees(self, cell: str, gold_cell: str, right: Reading) -> bool:
        """Tell whether a cell says what gold's cell says, which reads as `right`, by every metric of the column."""
        said = self.read(cell)
        if said == right:
            return True
        metrics = self.rule.metrics or ("exact_match",)
        return all(self._agrees_by(metric, cell, said, gold_cell, right) for metric in metrics)

    def _agrees_by(self, metric: Metric, cell: str, said: Reading, gold_cell: str, right: Reading) -> bool:
        match metric:
            case "number_near":
                return _near(said, right, self.rule.tolerance)
            case "date_near":
                return _days_near(said, right)
            case "in_match":
                return contained(cell, gold_cell)
            case "url_match":
                return _hosts(cell) == _hosts(gold_cell) != set()
            case _:
                return _near(said, right, _EXACT)


def reader_of(rule: ColumnRule, aliases: Mapping[str, str], gold_cells: Iterable[str]) -> CellReader:
    """Return the reader of a column. A name that is gold's own stays itself, though it be another's alias."""
    own = set(map(same_text, gold_cells)) if aliases else set()
    names = {same_text(alias): same_text(name) for alias, name in aliases.items()}
    return CellReader(rule, _value_of(rule), {alias: name for alias, name in names.items() if alias not in own})


def _value_of(rule: ColumnRule) -> Callable[[str], Number | Written | None]:
    """Return what reads a column's values, by what the benchmark's rule does with it."""
    if "norm_date" in rule.preprocess or "date_near" in rule.metrics:
        return read_date
    if "extract_number" in rule.preprocess or "number_near" in rule.metrics:
        return read_number
    return _no_value


def _no_value(cell: str) -> None:
    """Read a cell of words."""


def _near(said: Reading, right: Reading, tolerance: Decimal) -> bool:
    return isinstance(said, Number) and isinstance(right, Number) and near(said, right, tolerance)


def _days_near(said: Reading, right: Reading) -> bool:
    """Tell whether both are dates, down to the month at least, within 31 days of each other."""
    if not (isinstance(said, Written) and isinstance(right, Written)):
        return False
    if said.ambiguous or right.ambiguous or None in (said.year, said.month, right.year, right.month):
        return False
    return abs((said.first_day() - right.first_day()).days) <= _DAYS_NEAR


def _hosts(cell: str) -> frozenset[str]:
    """Return the host names of the URLs in a cell, in lower case and without `www.`."""
    return frozenset(host.rstrip(".") for host in _HOST.findall(cell.lower()))
