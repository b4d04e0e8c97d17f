"""Find the facts on which pages disagree, and those that the rule of the world does not settle.

date         the page published last that states the fact is right, and no page of that day says otherwise
authority    the same, among the pages of the sites with most authority that state it
majority     more pages state it as it is than say any one other thing

A fact is contested where a page says of it what is out of date or mistaken. What is stated relative to another fact is
never contested, nor is what a total is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.schema.expression_sql import query_columns
from worldforge.world.parquet_reader import Table, parts, rows_matching
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import RELATIVE, TOTAL, TRUE_STANCES

Rule = Literal["date", "authority", "majority"]

_LATEST = """
    SELECT fact FROM (
        SELECT fact, is_true, rank() OVER (PARTITION BY fact ORDER BY weight DESC, published DESC) AS place
        FROM rows_read
    ) WHERE place = 1 GROUP BY fact HAVING bool_and(is_true)
"""
_MAJORITY = """
    SELECT fact FROM (
        SELECT fact, is_true, count(DISTINCT page) AS n_pages
        FROM rows_read GROUP BY fact, is_true, CASE WHEN NOT is_true THEN value END
    ) GROUP BY fact HAVING coalesce(max(n_pages) FILTER (is_true), 0) > coalesce(max(n_pages) FILTER (NOT is_true), 0)
"""


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The facts that pages disagree on, and those among them that the rule does not settle; by id."""

    contested: frozenset[str]
    unsettled: frozenset[str]


def contested_mentions(mentions: Table) -> pa.Table:
    """Return the mentions of contested facts, in order: of those that some page states outdated or mistaken."""
    undoubted = pa.array([*TRUE_STANCES, RELATIVE, TOTAL])
    doubted = [
        part["fact"].filter(pc.invert(pc.is_in(part["stance"], undoubted))).unique()
        for part in parts(mentions, ["fact", "stance"])
    ]
    facts = pa.chunked_array(doubted, pa.string()).unique()
    return rows_matching(mentions, ["page", "fact", "stance", "value"], "fact", facts)


def find_conflicts(mentions: pa.Table, pages: pa.Table, authority: Mapping[str, float], rule: Rule | None) -> Conflicts:
    """Find the contested facts of a world, and those that `rule` does not settle; without a rule, all of them.

    `pages` needs the columns kind and published, in page order; `authority` says by kind how much a page's word counts.
    """
    mentions = mentions.filter(pc.not_equal(mentions["stance"], TOTAL))
    is_true = pc.is_in(mentions["stance"], pa.array(TRUE_STANCES))
    contested = mentions["fact"].filter(pc.invert(is_true)).unique()
    settled: set[str] = set()
    if rule is not None:
        stated = mentions.select(["page", "fact", "value"]).append_column("is_true", is_true)
        stated = stated.filter(pc.is_in(stated["fact"], contested))
        own = pages.select(["kind", "published"]).take(pa.array(rows_of(stated["page"])))
        weights = [authority[kind] if rule == "authority" else 0.0 for kind in own["kind"].to_pylist()]
        columns = {name: stated[name] for name in stated.column_names}
        columns |= {"published": own["published"], "weight": pa.array(weights)}
        settled = set(query_columns(_MAJORITY if rule == "majority" else _LATEST, columns)["fact"].to_pylist())
    facts = frozenset(contested.to_pylist())
    return Conflicts(facts, facts - settled)
