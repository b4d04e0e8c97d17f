"""Find the facts on which pages disagree, and those that the rule of the world does not settle.

date         the page published last that states the fact is right, and no page of that day says otherwise
authority    the same, among the pages of the sites with most authority that state it
majority     more pages state it as it is than say any one other thing

A fact is contested where a page says of it what is out of date or mistaken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.world.parquet_reader import Table, parts, rows_matching
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import TRUE_STANCES

Rule = Literal["date", "authority", "majority"]
Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The facts that pages disagree on, and those among them that the rule does not settle; by id."""

    contested: frozenset[str]
    unsettled: frozenset[str]


def contested_mentions(mentions: Table) -> pa.Table:
    """Return the mentions of contested facts, in order: of those that some page states outdated or mistaken."""
    doubted = [
        part["fact"].filter(pc.invert(pc.is_in(part["stance"], pa.array(TRUE_STANCES)))).unique()
        for part in parts(mentions, ["fact", "stance"])
    ]
    facts = pa.chunked_array(doubted, pa.string()).unique()
    return rows_matching(mentions, ["page", "fact", "stance", "value"], "fact", facts)


def find_conflicts(mentions: pa.Table, pages: pa.Table, authority: Mapping[str, float], rule: Rule | None) -> Conflicts:
    """Find the contested facts of a world, and those that `rule` does not settle; without a rule, all of them.

    `pages` needs the columns kind and published, in page order; `authority` says by kind how much a page's word counts.
    """
    true = pc.is_in(mentions["stance"], pa.array(TRUE_STANCES))
    contested = mentions.filter(pc.invert(true))["fact"].combine_chunks().unique()
    stated = mentions.filter(pc.is_in(mentions["fact"], contested))
    facts = pc.index_in(stated["fact"].combine_chunks(), contested).to_numpy().astype(np.int64)
    is_true = pc.is_in(stated["stance"], pa.array(TRUE_STANCES)).combine_chunks().to_numpy(zero_copy_only=False)
    page = rows_of(stated["page"])
    settled = np.zeros(len(contested), np.bool_)
    if rule == "majority":
        value = stated["value"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)
        settled = majority_is_true(facts, page, np.where(is_true, -1, value), len(contested))
    elif rule is not None:
        day = pages["published"].combine_chunks().cast(pa.int32()).to_numpy().astype(np.int64)[page]
        weighed = rule == "authority"
        kinds = pages["kind"].combine_chunks().dictionary_encode()
        weights = np.array([authority[kind] for kind in kinds.dictionary.to_pylist()])[kinds.indices.to_numpy()]
        settled = latest_is_true(facts, weights[page] if weighed else np.zeros(len(page)), day, is_true, len(contested))
    doubtful = contested.filter(pa.array(~settled))
    return Conflicts(frozenset(contested.to_pylist()), frozenset(doubtful.to_pylist()))


def latest_is_true(facts: Numbers, authority: npt.NDArray[np.float64], day: Numbers, true: Mask, n_facts: int) -> Mask:
    """Tell for each fact whether its statements of most authority, and of these the latest, are all true.

    `facts` says by number below `n_facts` what each statement is about; a fact without a statement is not settled.
    """
    heaviest = np.full(n_facts, -np.inf)
    np.maximum.at(heaviest, facts, authority)
    heard = authority == heaviest[facts]
    last = np.full(n_facts, np.iinfo(np.int64).min)
    np.maximum.at(last, facts[heard], day[heard])
    heard &= day == last[facts]
    right = np.bincount(facts[heard & true], minlength=n_facts) > 0
    wrong = np.bincount(facts[heard & ~true], minlength=n_facts) > 0
    settled: Mask = right & ~wrong
    return settled


def majority_is_true(facts: Numbers, page: Numbers, value: Numbers, n_facts: int) -> Mask:
    """Tell for each fact whether more pages state its true value, -1, than any other; a page counts once a value."""
    said = np.unique(np.stack([facts, value, page]), axis=1)
    ballots, n_pages = np.unique(said[:2], axis=1, return_counts=True)
    true = ballots[1] == -1
    votes = np.zeros(n_facts, np.int64)
    votes[ballots[0][true]] = n_pages[true]
    others = np.zeros(n_facts, np.int64)
    np.maximum.at(others, ballots[0][~true], n_pages[~true])
    settled: Mask = votes > others
    return settled
