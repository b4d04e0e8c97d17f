"""Content controls of records: withhold columns, make cells wrong, rename or reorder fields.

Calls may use a field's shown name or its column's own. `list_tables` describes columns by their own names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldforge.core.chance import Stream
from worldforge.environments.controls.content_controls import ContentControls, ControlledCall
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.database.requests import CreateRequest, ListRequest, UpdateRequest
from worldforge.environments.database.views import RecordsView
from worldforge.environments.disclosure import Alteration, Shaped
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ToolView
from worldforge.world.stable_ids import split_fact

_KEPT = frozenset({"id", "name"})  # fields that are always called so


class RecordControls(ContentControls):
    """Controls of a database's calls."""

    def translate(self, request: ToolRequest, plan: ControlPlan, substitutions: Substitutions) -> ToolRequest:
        """Turn names of fields in a request back into those of their columns."""
        if not plan.fields.acts or not isinstance(request, ListRequest | CreateRequest | UpdateRequest):
            return request
        own = {shown: column for column, shown in _shown_names(request.table, plan, substitutions).items()}
        match request:
            case ListRequest():
                filters = tuple(replace(one, column=own.get(one.column, one.column)) for one in request.filters)
                return replace(request, filters=filters, order_by=own.get(request.order_by, request.order_by))
            case CreateRequest():
                return replace(request, records=tuple(_renamed(record, own) for record in request.records))
            case UpdateRequest():
                return replace(request, changes=_renamed(request.changes, own))

    def resize(self, request: ToolRequest, plan: ControlPlan) -> tuple[ToolRequest, tuple[str, ...]]:
        """List fewer records a page: alike for each page of a list."""
        if not isinstance(request, ListRequest):
            return request, ()
        stream = Stream(plan.seed).child("records", repr(replace(request, cursor="", limit=0)))
        paged = stream.first_uniform(1)[0] < plan.pagination.rate
        limit = min(request.limit, plan.pagination.size) if paged else request.limit
        return replace(request, limit=limit), ("pagination",) if limit < request.limit else ()

    def shape(self, view: ToolView, call: ControlledCall) -> tuple[Shaped, tuple[str, ...]]:
        """Change records of any verb but `tables`."""
        if not isinstance(view, RecordsView) or view.verb == "tables":
            return super().shape(view, call)
        plan, substitutions, names = call.plan, call.substitutions, []
        records, altered = _with_wrong(view, plan, substitutions)
        if altered:
            names.append("wrong_facts")
        if view.verb == "list":
            columns = dict.fromkeys(column for record in records for column in record)
            hidden = {one for one in columns if substitutions.withheld(view.table, one, plan.withheld.rate)}
            names += ["withheld"] * bool(hidden)
            records = [{c: cell for c, cell in record.items() if c not in hidden} for record in records]
        shown = _shown_names(view.table, plan, substitutions)
        named = [_renamed(_reordered(record, view.table, plan), shown) for record in records]
        if [list(record) for record in named] != [list(record) for record in records]:
            names.append("fields")
        renamed = {shown[column]: column for column in shown if any(column in record for record in records)}
        return Shaped(replace(view, records=tuple(named), renamed=renamed), tuple(altered)), tuple(names)


def _shown_names(table: str, plan: ControlPlan, substitutions: Substitutions) -> dict[str, str]:
    """Return the shown name of each renamed column of a table; empty for an unknown table."""
    columns = substitutions.columns(table)
    renamed: dict[str, str] = {}
    if plan.fields.rate == 0:
        return renamed
    for column in columns:
        hit, style = Stream(plan.seed).child("fields", table, column).first_uniform(2).tolist()
        if column in _KEPT or hit >= plan.fields.rate:
            continue
        styles = _styles(table, column)
        first = int(style * len(styles))
        names = [name for name in styles[first:] + styles[:first] if name not in {*columns, *renamed.values()}]
        if names:
            renamed[column] = names[0]
    return renamed


def _styles(table: str, column: str) -> list[str]:
    first, *others = column.split("_")
    return [first + "".join(map(str.capitalize, others)), f"{table}_{column}", f"{column}_value", column.upper()]


def _with_wrong(
    view: RecordsView, plan: ControlPlan, substitutions: Substitutions
) -> tuple[list[dict[str, Any]], list[Alteration]]:
    records = [dict(record) for record in view.records]
    altered: list[Alteration] = []
    if plan.wrong_facts.rate == 0 or not substitutions.columns(view.table):
        return records, altered
    for record in records:
        if not isinstance(record.get("id"), str):
            continue
        for column, cell in record.items():
            fact = f"{record['id']}#{column}"
            place = split_fact(fact)
            true, wrong = substitutions.true(place), substitutions.wrong(place, plan.wrong_facts.rate)
            if wrong is not None and true is not None and cell == true.cell:  # else the session has changed it
                record[column] = wrong.cell
                altered.append(Alteration(fact, str(wrong.cell), str(true.cell)))
    return records, altered


def _reordered(record: Mapping[str, Any], table: str, plan: ControlPlan) -> dict[str, Any]:
    stream = Stream(plan.seed).child("field order", table)
    if plan.fields.reordered == 0 or stream.first_uniform(1)[0] >= plan.fields.reordered:
        return dict(record)
    return {column: record[column] for column in sorted(record, key=lambda one: stream.child(one).first_bits(1)[0])}


def _renamed(record: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(field, field): cell for field, cell in record.items()}
