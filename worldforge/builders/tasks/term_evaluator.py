"""Evaluates the terms of a task by SQL, and lists the facts that prove them.

evaluator.rows("club", terms)            the rows of the clubs that meet all terms
evaluator.prove("club", terms, rows)     the facts that show the terms to hold of `rows`, and for which pages state them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np
import pyarrow as pa

from worldforge.builders.tasks.gold_sql import rows_query
from worldforge.builders.tasks.table_view import ENDS, Flags, Subset
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.evidence import Evidence
from worldforge.world.stable_ids import entity_id, rows_of
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, GivenEntities, NoneOf, RelatedTerm, Term

Proof = tuple[list[str], Flags]
"""Facts, and for each of the rows asked about whether pages state all that is needed."""


class TermEvaluator:
    """Terms over the tables of one world, which `connection` holds as well."""

    def __init__(
        self,
        spec: WorldSpec,
        tables: Mapping[str, pa.Table],
        connection: duckdb.DuckDBPyConnection,
        evidence: Evidence,
    ) -> None:
        self._spec, self._tables, self._connection, self._evidence = spec, tables, connection, evidence
        self._targets: dict[tuple[str, str], Subset] = {}

    def rows(self, table: str, terms: Sequence[Term]) -> Subset:
        """Return the rows of a table that meet all terms, ascending."""
        found: Subset = self._connection.execute(rows_query(self._spec, table, terms)).fetchnumpy()["_row"]
        return found

    def prove(self, table: str, terms: Sequence[Term], rows: Subset) -> Proof:
        """List the facts that prove `terms` for `rows`, and mark the rows for which all of them are stated."""
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
                valued = np.flatnonzero(self._tables[table][term.path].is_valid())
                facts, stated = self.chain(table, term.path, valued)
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
                more, known = self.prove(term.about, term.where, rows_of(pa.array([term.value])))
                return [*facts, *more], stated & bool(known.all())

    def _prove_any(self, table: str, term: AnyOf, rows: Subset) -> Proof:
        """Prove for each row the first alternative that holds and is stated."""
        facts: list[str] = []
        shown = np.zeros(len(rows), np.bool_)
        for part in term.parts:
            (places,) = np.nonzero(np.isin(rows, self.rows(table, part)) & ~shown)
            _, stated = self.prove(table, part, rows[places])
            facts += self.prove(table, part, rows[places[stated]])[0]
            shown[places[stated]] = True
        return facts, shown

    def _prove_related(self, term: RelatedTerm, rows: Subset) -> Proof:
        """Prove for each row the first related row that meets the terms and is stated."""
        owners, others = self._follow(term.table, term.column), self.rows(term.table, term.where)
        others = others[np.isin(owners[others], rows)]
        link = ENDS.get(term.column, term.column) if term.table in self._spec.relations else term.column
        stated = self.chain(term.table, link, others)[1] & self.prove(term.table, term.where, others)[1]
        others = others[stated]
        found, first = np.unique(owners[others], return_index=True)
        shown = others[first]
        facts = [*self.chain(term.table, link, shown)[0], *self.prove(term.table, term.where, shown)[0]]
        return facts, np.isin(rows, found)

    def chain(self, table: str, path: str, rows: Subset) -> Proof:
        """List the facts along a path for each of `rows`: `club/0031#town`, then `town/0012#region`.

        Either end of a relation's row proves both: it stands on the page of the other.
        """
        facts: list[str] = []
        stated = np.ones(len(rows), np.bool_)
        for step in path.split("."):
            known, steps = self._evidence.stated(table, step, rows), np.full(len(rows), step, object)
            if table in self._spec.relations and step in ENDS:
                steps[~known] = ENDS[step]
                known = known | self._evidence.stated(table, ENDS[step], rows)
            stated &= known
            facts += [f"{entity_id(table, row)}#{one}" for row, one in zip(rows.tolist(), steps, strict=True)]
            if target := references_of(self._spec, table).get(step):
                table, rows = target, self._follow(table, step)[rows]
        return list(dict.fromkeys(facts)), stated

    def _follow(self, table: str, column: str) -> Subset:
        """Return the row that each row of a table refers to, -1 for none; the last is for row -1, and -1."""
        key = (table, column)
        if key not in self._targets:
            self._targets[key] = np.append(rows_of(self._tables[table][column]), -1)
        return self._targets[key]
