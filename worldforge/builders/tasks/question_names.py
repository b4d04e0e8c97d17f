"""Choose the names by which a question calls entities whose own names are in another script than the question.

    names = QuestionNames(spec, tables, mentions)
    names.said(terms, "zh", stream)        Velomar is now called 韦洛马尔, in the share `used` of places

An alias is used only if some page calls the entity by it: a reader of the web can know who is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Stream
from worldforge.schema.spec import WorldSpec
from worldforge.world.parquet_reader import Table, parts
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, RelatedTerm, Term

_HAN = re.compile(r"[\u3400-\u9fff]")


class QuestionNames:
    """For each language, by id, the aliases of entities whose names are in another script."""

    def __init__(self, spec: WorldSpec, tables: Mapping[str, pa.Table], mentions: Table) -> None:
        self._used = {name: kind.name.aliases.used for name, kind in spec.types.items() if kind.name.aliases}
        self._aliases: dict[bool, dict[str, list[str]]] = {True: {}, False: {}}
        if len(spec.languages) < 2 or not self._used:
            return
        said = set[tuple[str, str]]()
        for part in parts(mentions, ["fact", "value", "stance"]):
            names = pc.and_(pc.equal(part["stance"], "alias"), pc.ends_with(part["fact"], "#name"))
            called = part.filter(names)
            said.update(zip(called["fact"].to_pylist(), called["value"].to_pylist(), strict=True))
        for type_name in self._used:
            known = tables[type_name].select(["id", "name", "aliases"])
            known = known.filter(pc.greater(pc.list_value_length(known["aliases"]), 0))
            for id_, name, aliases in zip(*(known[column].to_pylist() for column in known.column_names), strict=True):
                chinese = not _HAN.search(name)
                fit = [one for one in aliases if bool(_HAN.search(one)) == chinese and (f"{id_}#name", one) in said]
                if fit:
                    self._aliases[chinese][id_] = fit

    def said(self, terms: Sequence[Term], language: str, stream: Stream) -> tuple[Term, ...]:
        """Call the entities of conditions by an alias in the language's script, where chance has it so."""
        aliases = self._aliases[language == "zh"]
        return _all_said(terms, aliases, self._used, stream)


def _said(term: Term, aliases: Mapping[str, list[str]], used: Mapping[str, float], stream: Stream) -> Term:
    match term:
        case Condition() if term.value in aliases:
            first, which = np.zeros(1, np.int64), aliases[term.value]
            if stream.uniform(first)[0] >= used[term.value.partition("/")[0]]:
                return term
            return replace(term, written=which[int(stream.child("which").integers(first, 0, len(which) - 1)[0])])
        case AnyOf() | NoneOf():
            parts = (_all_said(part, aliases, used, stream.child(place)) for place, part in enumerate(term.parts))
            return replace(term, parts=tuple(parts))
        case RelatedTerm() | DescribedTerm():
            return replace(term, where=_all_said(term.where, aliases, used, stream))
        case _:
            return term


def _all_said(
    terms: Sequence[Term], aliases: Mapping[str, list[str]], used: Mapping[str, float], stream: Stream
) -> tuple[Term, ...]:
    return tuple(_said(term, aliases, used, stream.child(place)) for place, term in enumerate(terms))
