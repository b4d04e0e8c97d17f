"""Evaluates a task's terms by column: which rows of a table meet them, and which facts prove it.

masks.holds("club", terms)         bool array, a row an entity
masks.prove("club", terms, rows)   the facts that show the terms to hold of `rows`, and for which rows pages state them
"""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.tasks.type_views import Subset
from worldforge.core.columns import ValueKind
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.evidence import Evidence
from worldforge.world.stable_ids import entity_id, rows_of
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, GivenEntities, NoneOf, RelatedTerm, Term
from worldforge.world.value_text import canonical

Mask = npt.NDArray[np.bool_]
Proof = tuple[list[str], Mask]
"""Facts, and for each of the rows asked about whether pages state all that is needed."""
_ENDS = {"source": "target", "target": "source"}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


class ConditionMasks:
    """Terms over the tables of one world. `columns` are those of its types and of its relations."""

    def __init__(
        self,
        tables: Mapping[str, pa.Table],
        columns: Mapping[str, Mapping[str, ColumnInfo]],
        relations: Sequence[str],
        evidence: Evidence,
    ) -> None:
        self.tables, self.columns, self.relations = tables, columns, frozenset(relations)
        self._evidence = evidence
        self._kept: dict[tuple[str, ...], Any] = {}

    def n_rows(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(self.tables[table].num_rows)

    def end_of(self, table: str, path: str) -> tuple[str, ColumnInfo]:
        """Return the table in which a path from `table` ends, and the column it ends at."""
        *steps, last = path.split(".")
        for step in steps:
            table = str(self.columns[table][step].references)
        return table, self.columns[table][last]

    def targets(self, table: str, path: str) -> Subset:
        """Follow a path of references: the row at its end for each row of `table`, or -1."""
        key = ("targets", table, path)
        if key not in self._kept:
            before, _, last = path.rpartition(".")
            here = self.end_of(table, path)[0]
            there = rows_of(self.tables[here][last])
            self._kept[key] = _taken(there, self.targets(table, before), -1) if before else there
        kept: Subset = self._kept[key]
        return kept

    def numbers(self, table: str, path: str) -> npt.NDArray[np.float64]:
        """Return the values at the end of a path as numbers, dates as days since 1970-01-01; NaN where missing."""
        key = ("numbers", table, path)
        if key not in self._kept:
            before, _, last = path.rpartition(".")
            here, column = self.end_of(table, path)
            held = self.tables[here][last].combine_chunks()
            held = held.cast(pa.int32()) if column.kind == "date" else held
            values = pc.fill_null(held.cast(pa.float64()), float("nan")).to_numpy(zero_copy_only=False)
            self._kept[key] = _taken(values, self.targets(table, before), np.nan) if before else values
        kept: npt.NDArray[np.float64] = self._kept[key]
        return kept

    def coded(self, table: str, path: str) -> tuple[Subset, dict[str, int]]:
        """Return the values at the end of a path as codes (-1: missing), and the code of each canonical text."""
        key = ("coded", table, path)
        if key not in self._kept:
            before, _, last = path.rpartition(".")
            here, column = self.end_of(table, path)
            encoded = canonical(self.tables[here][last].combine_chunks(), column.kind).dictionary_encode()
            codes = pc.fill_null(encoded.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
            codes = _taken(codes, self.targets(table, before), -1) if before else codes
            self._kept[key] = codes, {text: code for code, text in enumerate(encoded.dictionary.to_pylist())}
        kept: tuple[Subset, dict[str, int]] = self._kept[key]
        return kept

    def holds(self, table: str, terms: Sequence[Term]) -> Mask:
        """Return for each row of a table whether it meets all terms."""
        mask = np.ones(self.n_rows(table), np.bool_)
        for term in terms:
            mask &= self._meets(table, term)
        return mask

    def n_meeting(self, table: str, terms: Sequence[Term]) -> tuple[int, int]:
        """Count the rows that meet all terms, and those that fail exactly one."""
        met = np.zeros(self.n_rows(table), np.int16)
        for term in terms:
            met += self._meets(table, term)
        return int(np.count_nonzero(met == len(terms))), int(np.count_nonzero(met == len(terms) - 1))

    def _meets(self, table: str, term: Term) -> Mask:
        match term:
            case Condition():
                return self._compare(table, term)
            case AnyOf():
                return np.logical_or.reduce([self.holds(table, part) for part in term.parts])
            case NoneOf():
                return ~np.logical_or.reduce([self.holds(table, part) for part in term.parts])
            case RelatedTerm():
                owners = self.targets(term.table, term.column)[self.holds(term.table, term.where)]
                return _mask(self.n_rows(table), owners[owners >= 0])
            case DescribedTerm():
                (found,) = np.nonzero(self.holds(term.about, term.where))
                targets = self.targets(table, term.path)
                return targets == found[0] if len(found) == 1 else np.zeros(len(targets), np.bool_)
            case GivenEntities():
                return _mask(self.n_rows(table), rows_of(pa.array(term.ids, pa.string())))

    def _compare(self, table: str, condition: Condition) -> Mask:
        column = self.end_of(table, condition.path)[1]
        if column.references:
            targets = self.targets(table, condition.path)
            if condition.operator == "missing":
                return targets < 0
            row = int(condition.value.rpartition("/")[2])
            return (targets == row) if condition.operator == "=" else (targets >= 0) & (targets != row)
        if column.kind in ("text", "boolean"):
            codes, known = self.coded(table, condition.path)
            if condition.operator == "missing":
                return codes < 0
            code = known.get(condition.value, len(known))
            return (codes == code) if condition.operator == "=" else (codes >= 0) & (codes != code)
        return self._compare_numbers(table, condition, column.kind)

    def _compare_numbers(self, table: str, condition: Condition, kind: ValueKind) -> Mask:
        values = self.numbers(table, condition.path)
        match condition.operator:
            case "missing":
                return np.isnan(values)
            case "between":
                low, high = (_number(bound, kind) for bound in (condition.value, condition.upper))
                return (values >= low) & (values <= high)
            case "highest" | "lowest":
                own = values[~np.isnan(values)]
                best = (own.max() if condition.operator == "highest" else own.min()) if len(own) else np.nan
                return np.asarray(values == best)
            case "!=":
                return ~np.isnan(values) & (values != _number(condition.value, kind))
            case _:  # nothing compares with what is missing
                return np.asarray(_COMPARE[condition.operator](values, _number(condition.value, kind)))

    def prove(self, table: str, terms: Sequence[Term], rows: Subset) -> Proof:
        """List the facts that prove `terms` for `rows`, and mark the rows for which a fact is not stated."""
        facts: list[str] = []
        stated = np.ones(len(rows), np.bool_)
        for term in terms:
            more, known = self._prove_one(table, term, rows)
            facts += more
            stated &= known
        return list(dict.fromkeys(facts)), stated

    def _prove_one(self, table: str, term: Term, rows: Subset) -> Proof:
        match term:
            case Condition(operator="missing") | GivenEntities():
                return [], np.ones(len(rows), np.bool_)
            case Condition(operator="highest" | "lowest"):
                everyone = np.arange(self.n_rows(table))
                known = ~np.isnan(self.numbers(table, term.path))
                facts, stated = self.chain(table, term.path, everyone[known])
                return facts, np.full(len(rows), bool(stated.all()))
            case Condition():
                return self.chain(table, term.path, rows)
            case NoneOf():
                return self.prove(table, [one for part in term.parts for one in part], rows)
            case AnyOf():
                return self._prove_any(table, term, rows)
            case RelatedTerm():
                return self._prove_related(term, rows)
            case DescribedTerm():
                facts, stated = self.chain(table, term.path, rows)
                described = rows_of(pa.array([term.value]))
                more, known = self.prove(term.about, term.where, described)
                return [*facts, *more], stated & bool(known.all())

    def _prove_any(self, table: str, term: AnyOf, rows: Subset) -> Proof:
        """Prove for each row the first alternative that holds and is stated."""
        facts: list[str] = []
        shown = np.zeros(len(rows), np.bool_)
        for part in term.parts:
            (places,) = np.nonzero(self.holds(table, part)[rows] & ~shown)
            _, stated = self.prove(table, part, rows[places])
            facts += self.prove(table, part, rows[places[stated]])[0]
            shown[places[stated]] = True
        return facts, shown

    def _prove_related(self, term: RelatedTerm, rows: Subset) -> Proof:
        """Prove for each row the first related row that meets the terms and is stated."""
        owners = self.targets(term.table, term.column)
        wanted = _mask(int(max(owners.max(initial=-1), rows.max(initial=-1))) + 1, rows)
        (others,) = np.nonzero(self.holds(term.table, term.where) & (owners >= 0) & wanted[owners])
        link = _ENDS.get(term.column, term.column) if term.table in self.relations else term.column
        stated = self.chain(term.table, link, others)[1] & self.prove(term.table, term.where, others)[1]
        others = others[stated]
        found, first = np.unique(owners[others], return_index=True)
        shown = others[first]
        facts = [*self.chain(term.table, link, shown)[0], *self.prove(term.table, term.where, shown)[0]]
        return facts, np.isin(rows, found)

    def chain(self, table: str, path: str, rows: Subset) -> Proof:
        """List the facts along a path for each of `rows`: `club/0031#town`, then `town/0012#region`.

        Either end of a relation's row tells of both: it stands on the page of the other.
        """
        facts: list[str] = []
        stated = np.ones(len(rows), np.bool_)
        for step in path.split("."):
            known = self._evidence.stated(table, step, rows)
            steps = np.full(len(rows), step, object)
            if table in self.relations and step in _ENDS:
                steps[~known] = _ENDS[step]
                known = known | self._evidence.stated(table, _ENDS[step], rows)
            stated &= known
            facts += [f"{entity_id(table, row)}#{one}" for row, one in zip(rows.tolist(), steps, strict=True)]
            if self.columns[table][step].references:
                rows = _taken(self.targets(table, step), rows, -1)
                table = str(self.columns[table][step].references)
        return list(dict.fromkeys(facts)), stated


def _taken(values: npt.NDArray[Any], rows: Subset, missing: Any) -> npt.NDArray[Any]:
    """Return `values` at `rows`, and `missing` where a row is negative."""
    if not len(values):
        return np.full(len(rows), missing)
    return np.where(rows >= 0, values[np.maximum(rows, 0)], missing)


def _mask(n_rows: int, rows: Subset) -> Mask:
    mask = np.zeros(n_rows, np.bool_)
    mask[rows] = True
    return mask


def _number(text: str, kind: ValueKind) -> float:
    if kind == "date":
        return float((datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days)
    return float(text)
