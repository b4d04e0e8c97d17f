"""Read and compare the cells of one column for the strict scorer.

What gold holds decides how both are read: a gold cell that is a number or a date is met by that number or date alone,
and any other by its words. So a cell that cannot be read never equals a different one that cannot be read either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from worldforge.scoring.cell_date import CellDate, as_others_show, read_date
from worldforge.scoring.cell_number import Number, near, read_number, unit_of
from worldforge.scoring.cell_text import contained, loose_text, same_text, without_count, without_stop
from worldforge.scoring.gold_table import ColumnRule, Metric

_DAYS_NEAR = 31
_HOST = re.compile(r"(?:https?://|(?<!\w)www\.)(?:www\.)?([^\s/?#:|()\[\]<>\"',;]+)")
_EXACT = Decimal(0)
_YES_NO = (("yes", "no"), ("是", "否"))
_YES, _NO = ("yes", "true", "y", "✓", "✔", "✅", "☑", "√", "是"), ("no", "false", "n", "✗", "✘", "❌", "☒", "否")
_PERCENT = re.compile(
    r"%|％|per ?cent|\b(?:share|rate|ratio|proportion|growth|margin|yield)\b|率|比例|占比|比重|份额|百分|幅",
    re.IGNORECASE,
)

Reading = str | Number | CellDate


@dataclass(frozen=True, slots=True)
class CellReader:
    """Reads one column's cells: by `value` what it holds, by `names` gold's own texts and other names for them.

    `namesakes` are names that others in the world bear as well; `percents` says that the column holds percentages.
    """

    rule: ColumnRule
    value: Callable[[str], Number | CellDate | None]
    names: Mapping[str, str]
    namesakes: frozenset[str]
    percents: bool

    def read(self, cell: str) -> Reading:
        """Return what a cell says, such that equal readings say the same.

        A cell is read as it stands; where that is no text of gold's, without the marks that a reader passes over.
        """
        if (value := self.value(cell)) is not None:
            return value
        text = same_text(cell)
        if (name := self.names.get(text) or self.names.get(loose_text(cell))) is not None:
            return name
        name = self.names.get(loose_text(without_count(cell)))
        return text if name is None or name in self.namesakes else name

    def in_context(self, cells: Sequence[str]) -> Sequence[str]:
        """Write dates of a column whose day and month could be swapped as others of it show that they are meant."""
        return as_others_show(cells) if self.value is read_date else cells

    def agrees(self, cell: str, gold_cell: str, right: Reading) -> bool:
        """Tell whether a cell says what gold's cell says, which reads as `right`, by every metric of the column."""
        given = self.read(cell)
        if given == right:
            return True
        metrics = self.rule.metrics or ("exact_match",)
        return all(self._agrees_by(metric, cell, given, gold_cell, right) for metric in metrics)

    def _agrees_by(self, metric: Metric, cell: str, given: Reading, gold_cell: str, right: Reading) -> bool:
        match metric:
            case "number_near":
                return self._near(given, right, self.rule.tolerance)
            case "date_near":
                return _days_near(given, right)
            case "in_match":
                return contained(cell, gold_cell)
            case "url_match":
                return _hosts(cell) == _hosts(gold_cell) != set()
            case _:
                return self._near(given, right, _EXACT)

    def _near(self, given: Reading, right: Reading, tolerance: Decimal) -> bool:
        if not (isinstance(given, Number) and isinstance(right, Number)):
            return False
        return near(given, right, tolerance, percents=self.percents)


def reader_of(label: str, rule: ColumnRule, aliases: Mapping[str, str], gold_cells: Iterable[str]) -> CellReader:
    """Return the reader of a column. A name that is gold's own stays itself, though it be another's alias."""
    cells = list(gold_cells)
    own = {text: text for text in map(same_text, cells)}
    others = {same_text(alias): same_text(name) for alias, name in aliases.items()}
    namesakes = frozenset(name for alias, name in others.items() if alias.startswith(f"{name}("))
    percents = _PERCENT.search(label) is not None or any("%" in cell or "％" in cell for cell in cells)
    stopped = {without_stop(text): text for text in own}
    return CellReader(
        rule, _value_of(rule, label), {**_yes_no_words(own), **stopped, **others, **own}, namesakes, percents
    )


def _yes_no_words(own: Mapping[str, str]) -> dict[str, str]:
    """Return other ways to say the answers of a column of yes and no."""
    for yes, no in _YES_NO:
        if own and own.keys() <= {yes, no}:
            return {**dict.fromkeys(_YES, yes), **dict.fromkeys(_NO, no)}
    return {}


def _value_of(rule: ColumnRule, label: str) -> Callable[[str], Number | CellDate | None]:
    """Return what reads a column's values, by what the benchmark's rule does with it."""
    if "norm_date" in rule.preprocess or "date_near" in rule.metrics:
        return read_date
    if "extract_number" in rule.preprocess or "number_near" in rule.metrics:
        return partial(read_number, unit=unit_of(label))
    return lambda _words: None


def _days_near(given: Reading, right: Reading) -> bool:
    """Tell whether both are dates, down to the month at least, within 31 days of each other."""
    if not (isinstance(given, CellDate) and isinstance(right, CellDate)):
        return False
    if given.ambiguous or right.ambiguous or None in (given.year, given.month, right.year, right.month):
        return False
    return abs((given.first_day() - right.first_day()).days) <= _DAYS_NEAR


def _hosts(cell: str) -> frozenset[str]:
    """Return the host names of the URLs in a cell, in lower case and without `www.`."""
    return frozenset(host.rstrip(".") for host in _HOST.findall(cell.lower()))
