"""Checks on names: nothing that was made up bears a well-known real name."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.core.imports import shipped_lines
from worldforge.schema.spec import WorldSpec


def check_names(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> Finding:
    """No name or alias of an entity is on the shipped list of real names, as a whole: case and accents aside.

    What a spec's own generator has named is left alone: its author may have meant it.
    """
    tally = CheckCounter("names")
    real = pa.array(shipped_lines("names", "real_names.txt"))
    for name, entity_type in spec.types.items():
        if ":" in entity_type.name.generator:
            continue
        table = tables[name]
        for ids, names in (
            (table["id"].combine_chunks(), table["name"].combine_chunks()),
            _aliases(table),
        ):
            tally.checked(len(names))
            listed = pc.indices_nonzero(pc.is_in(plain_names(names), value_set=real))
            shown = listed.slice(0, MOST_SHOWN).to_pylist()
            tally.failed(
                [f"{ids[row].as_py()} is called `{names[row].as_py()}`, a real name" for row in shown], len(listed)
            )
    return tally.finding()


def _aliases(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    aliases = table["aliases"].combine_chunks()
    return table["id"].combine_chunks().take(pc.list_parent_indices(aliases)), pc.list_flatten(aliases)


def plain_names(names: pa.Array) -> pa.Array:
    """Write names as the list of real ones does: in lower case, without accents."""
    apart = pc.utf8_normalize(pc.utf8_lower(names.cast(pa.string())), form="NFKD")
    return pc.utf8_normalize(pc.replace_substring_regex(apart, r"\p{Mn}+", ""), form="NFKC")
