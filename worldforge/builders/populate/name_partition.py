"""Names of one part of all names: what is drawn of another part is drawn again, until every row has its own.

    in_part(NamesPart(of=2, take=0), pa.array(["Velmar", "Tarn"]))     true for the names of this part

Which part a name is of is told by its key alone, by the MD5 digest (RFC 1321) of it: the same on any day, in any world.
A row's name is the first of this part among those that its number draws, attempt by attempt; other rows count for it
only where two would bear the same. What is named after something that bears a drawn name (`Velmar Rovers`) stays as it
is where it holds that name: nothing of another part does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.generated_columns import GeneratorDrawer
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError
from worldforge.schema.column_paths import follow
from worldforge.schema.drawn_names import draws_a_name
from worldforge.schema.expression_values import connect_to_nothing
from worldforge.schema.expressions import Expression
from worldforge.schema.spec import NamesPart

_ATTEMPTS = 32  # for each part: a row of a large space of names is left without one once in e to the 32 times
_KIND_OF_PLACE = r"(\p{Han}{2,})[省市县镇州]$"

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PartitionDrawer:
    """Draws names of one part alone."""

    inner: GeneratorDrawer
    part: NamesPart

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw names. Raises InputError where the part has not as many as are asked for."""
        names = self.inner.draw(stream, rows)
        kept = in_part(self.part, names) | self._held(names, rows)
        for attempt in range(1, _ATTEMPTS * self.part.of + 1):
            waiting = np.flatnonzero(~kept)
            if not len(waiting):
                return names
            drawn = self.inner.draw(stream.child("part", attempt), rows[waiting])
            there = pc.is_in(drawn, value_set=names.filter(pa.array(kept))).to_numpy(zero_copy_only=False)
            fits = in_part(self.part, drawn) & ~there
            found = np.zeros(len(names), np.bool_)
            found[waiting[fits]] = True
            names = pc.replace_with_mask(names, pa.array(found), drawn.filter(pa.array(fits)))
            kept |= found
        where, n_left = f"{self.inner.table}.{self.inner.column}", int((~kept).sum())
        if n_left:
            said = f"{where}: part {self.part.take} of {self.part.of} has no name for {n_left} of {len(rows)} rows"
            raise InputError(said, "lower the count, or `names_part.of`: this sort of name is a small one")
        return names

    def _held(self, names: pa.Array, rows: Rows) -> Flags:
        """Say which names need not be of the part: those not there, and those that hold a drawn name they are after."""
        held: Flags = names.is_null().to_numpy(zero_copy_only=False)
        hosts = {name: one for name, one in self.inner.expressions.items() if self._is_drawn(one)}
        for host in self.inner.draft.evaluate(self.inner.table, hosts, rows).values():
            if pa.types.is_string(host.type):
                held |= _ask("coalesce(contains(one, other), false)", names, host)
        return held

    def _is_drawn(self, expression: Expression) -> bool:
        spec = self.inner.draft.spec
        routes = [follow(spec, self.inner.table, path) for path in expression.paths]
        return any(draws_a_name(spec, route.table, route.column) for route in routes)


def in_part(part: NamesPart, names: pa.Array) -> Flags:
    """Say which names are of a part; a null is of none."""
    return _ask(f"coalesce(md5_number_lower(one) % {part.of} = {part.take}, false)", names)


def name_key(names: pa.Array) -> pa.Array:
    """Write names such that two that would be taken for one another are the same: without case, accents, spaces."""
    return pc.replace_substring_regex(pc.utf8_normalize(pc.utf8_lower(names), "NFKD"), r"[\s*`\p{Mn}]+", "")


def _ask(sql: str, *names: pa.Array) -> Flags:
    """Ask SQL of keys of names, `one` and `other`; what a Chinese place is (安溪市) is no part of its key."""
    keys = [pc.replace_substring_regex(name_key(column), _KIND_OF_PLACE, r"\1") for column in names]
    table = pa.table({**dict(zip(("one", "other"), keys, strict=False)), "place": np.arange(len(names[0]))})
    connection = connect_to_nothing()
    connection.register("asked", table)
    answer = connection.sql(f"SELECT {sql} AS holds FROM asked ORDER BY place").to_arrow_table()
    found: Flags = answer["holds"].to_numpy()
    return found
