"""How a column is drawn by chance: from a generator, or as references to another type. A drawer draws any of its rows.

drawer = drawer_of(draft, "club", "founded")
drawer.draw(stream, rows)               values for these rows of the table, null where the spec leaves them empty
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.builders.populate.generated_columns import GeneratorDrawer, generated, spread_out
from worldforge.builders.populate.name_partition import PartitionDrawer
from worldforge.builders.populate.reference_columns import referring
from worldforge.core.chance import Rows, Stream
from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.drawn_names import draws_a_name


class Drawer(Protocol):
    """Draws values of one column."""

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw a value for each of `rows` (ascending). Raises InputError that shows the rows it cannot."""


def drawer_of(draft: DraftTables, table: str, column: str) -> Drawer:
    """Return the drawer of a name, an attribute, or a column of a relation."""
    if table in draft.spec.types and column == "name":
        return _parted(generated(draft, table, column, draft.spec.types[table].name))
    attribute = drawn_columns(draft.spec, table)[column]
    drawer: Drawer
    if attribute.references is None:
        drawer = _parted(generated(draft, table, column, attribute))
    else:
        drawer = referring(draft, table, column, attribute, attribute.references)
    return MissingDrawer(drawer, attribute.missing) if attribute.missing else drawer


def _parted(drawer: GeneratorDrawer) -> Drawer:
    """Keep names that are drawn to the part that the spec takes, where it takes one."""
    spec = drawer.draft.spec
    if spec.names_part is None or not draws_a_name(spec, drawer.table, drawer.column):
        return drawer
    return PartitionDrawer(drawer, spec.names_part)


@dataclass(frozen=True)
class MissingDrawer:
    """Leaves a share of the rows empty."""

    inner: Drawer
    missing: float

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw values for the rows that are not left empty."""
        present = stream.child("missing").uniform(rows) >= self.missing
        return spread_out(self.inner.draw(stream, rows[present]), present)
