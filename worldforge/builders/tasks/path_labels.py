"""What the columns of an answer are called in a language, and what is at the end of a path of references.

labels = PathLabels(spec, columns, "en")
labels.of("club", "founded")              "Founding year"
labels.of("club", "town.region")          "Home town\'s region"
labels.of("played_for", "source")         "Player": an end of a relation is called by its type
labels.of("club", "capacity@herald")      "Capacity according to The Sarn Herald": a figure as a site gives it
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldforge.schema.column_paths import built_in_columns
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import ColumnInfo
from worldforge.schema.translations import BUILT_IN, label_of
from worldforge.world.site_figures import parted

_PLACED = ("所在", "所属")  # what says of itself that it is another's
_PLACES = ("names.region", "names.town", "names.place")
_WHOSE = {"names.person": "的"} | dict.fromkeys(_PLACES, "所在")  # else `所属`: a company, a league
_LEAST = 2  # characters that are left of a label
_UNIT = {"en": " ({})", "zh": "（{}）"}
_OTHER = {"en": "Other {}", "zh": "对方{}"}
_ENDS = ("source", "target")


@dataclass(frozen=True)
class PathLabels:
    """Labels in one language: `spec` is translated into it, and `columns` are those of its tables."""

    spec: WorldSpec
    columns: Mapping[str, Mapping[str, ColumnInfo]]
    language: Language
    sites: Mapping[str, str] = field(default_factory=dict)
    """How a label names the site of a figure, by the site's key: `{} according to The Sarn Herald`."""

    def of(self, table: str, path: str) -> str:
        """Return what a column of an answer is called, with its unit."""
        label, unit = self._end(table, path.split("."))
        return label[:1].upper() + label[1:] + (_UNIT[self.language].format(unit) if unit else "")

    def possessive(self, label: str, further: ColumnInfo) -> str:
        """Name a column of what another refers to: `birthplace's region`, `出生地所在省份`, `前作的导演`.

        A place is in what its own place is in: `大学所在省份`, not `大学所在地所在省份`. What both say is said once:
        `线路编号`, not `线路的线路编号`.
        """
        if self.language == "en":
            return f"{label}'s {further.label}"
        if further.label.startswith(_PLACED):
            return f"{label}{further.label}"
        if not further.references:
            return _said_once(label, further.label)
        generator = self.spec.types[further.references].name.generator
        joint = _WHOSE.get(generator, "所属") if self.is_typed(further) else "的"
        if joint == _PLACED[0] and joint in label:
            label = label.rpartition(joint)[0]
        return f"{label}{joint}{further.label}"

    def is_typed(self, column: ColumnInfo) -> bool:
        """Return whether a reference is called by the name of the type that it refers to."""
        return column.references is not None and self.spec.types[column.references].label == column.label

    def _end(self, table: str, steps: list[str]) -> tuple[str, str]:
        *before, last = steps
        last, site = parted(last)
        if site:
            label, unit = self._end(table, [*before, last])
            return self.sites[site].format(label), unit
        first, *more = steps
        column = self.columns[table][first]
        label = self._label(table, column)
        for step in more:
            table = str(column.references)
            column = self.columns[table][step]
            label = self.possessive(label, column)
        return label, column.unit

    def _label(self, table: str, column: ColumnInfo) -> str:
        if table in self.spec.types:
            return label_of(self.spec, table) if column.name == "name" else column.label
        if column.name in built_in_columns(self.spec, table):
            return BUILT_IN[self.language].get(column.name, column.label)
        if column.name not in _ENDS:
            return column.label
        relation = self.spec.relations[table]
        label = label_of(self.spec, getattr(relation, column.name))
        same = relation.source == relation.target and column.name == "target"
        return _OTHER[self.language].format(label) if same else label


def _said_once(label: str, further: str) -> str:
    """Join two labels by 的, but where the second begins as the first ends: then without, and with that once."""
    shared = next((n for n in range(min(len(label), len(further) - _LEAST), 1, -1) if label.endswith(further[:n])), 0)
    return f"{label}{further[shared:]}" if shared else f"{label}的{further}"
