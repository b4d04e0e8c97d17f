"""Checks of one world against another: what is for training and what is for evaluation should share nothing.

shared names      names and aliases of entities, case and accents aside
shared pages      texts of pages, the same or nearly so
shared questions  wordings of tasks, the same or nearly so
shared queries    queries with the names of entities in the place of ids: what is asked, however it is worded
shared gold       gold tables with the same rows

Names in a spec's own words (a sector `Fashion`) are counted apart, and fail nothing: both worlds have them by intent.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.check_entities import names_and_aliases, plain_names
from worldforge.builders.audit.finding import Finding, even_sample, open_files
from worldforge.builders.text_similarity import SimilarTexts
from worldforge.core.errors import InputError
from worldforge.schema.column_dependencies import types_with_composed_names
from worldforge.world.world import World

SAME_TEXT = 0.9
"""Jaccard similarity of two texts' shingles from which on they are nearly the same."""
MOST_PAGES = 4_000
"""Pages of each world that are compared by shingles; the same text is looked for among all."""
_ID = re.compile(r"'([a-z][a-z0-9_]*)/(\d+)'")  # as a query writes it
_CALLED = pa.schema([("key", pa.string()), ("id", pa.string()), ("called", pa.string()), ("own", pa.bool_())])


def check_overlap(one: World, other: World, label: str) -> list[Finding]:
    """Check that two worlds share nothing, one check after the other; `label` is what the other is called."""
    findings = []
    for name, check in _CHECKS.items():
        began, finding = time.perf_counter(), Finding(name, against=label)
        try:
            check(finding, one, other)
        except (InputError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
            finding.fail([f"cannot be checked, the files are damaged: {' '.join(str(error).split())[:200]}"])
        finding.seconds = time.perf_counter() - began
        findings.append(finding)
    return findings


def _names(finding: Finding, one: World, other: World) -> None:
    connection = open_files({"here": _called(one), "there": _called(other)})
    for place in ("here", "there"):
        (n,) = connection.execute(f"SELECT count(DISTINCT key) FROM {place} WHERE NOT own").fetchone() or (0,)
        finding.n_checked += n
    shared = connection.execute(
        "SELECT min(here.called), min(here.id), min(there.id), bool_and(here.own AND there.own) AS own "
        "FROM here JOIN there USING (key) GROUP BY key ORDER BY own, key"
    ).fetchall()
    finding.fail(f"`{called}` is {id_} here and {there} there" for called, id_, there, own in shared if not own)
    if own := [f"`{called}`" for called, _, _, own in shared if own]:
        listed = ", ".join(own[:3]) + (", …" if len(own) > 3 else "")
        finding.note = f"{len(own)} names in the spec's own words are in both, which fails nothing: {listed}"


def _called(world: World) -> pa.Table:
    """List what a world's entities are called: names and aliases, as they are compared."""
    own, parts = types_with_composed_names(world.spec), [_CALLED.empty_table()]
    for name in world.spec.types:
        bearers, called = names_and_aliases(world.entities(name))
        columns = [plain_names(called), bearers, called, pa.repeat(name in own, len(called))]
        parts.append(pa.table(columns, schema=_CALLED))
    return pa.concat_tables(parts)


def _pages(finding: Finding, one: World, other: World) -> None:
    finding.n_checked += one.pages.num_rows + other.pages.num_rows
    same = pc.is_in(one.pages["text"].combine_chunks(), value_set=other.pages["text"].combine_chunks())
    finding.fail(f"the text of {url} is there too" for url in one.pages["url"].filter(same).to_pylist())
    unlike = one.pages.filter(pc.invert(same))
    here, there = (
        pages.take(pa.array(even_sample(pages.num_rows, MOST_PAGES), pa.int64())) for pages in (unlike, other.pages)
    )
    finding.fail(
        f"{here['url'][place].as_py()} is nearly the text of {there['url'][known].as_py()} there "
        f"(similarity {share:.2f})"
        for known, place, share in _nearly_the_same(there["text"].to_pylist(), here["text"].to_pylist())
    )


def _nearly_the_same(known: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Yield for each of `texts` that has one the first nearest of `known`: both places, and how similar they are."""
    index = SimilarTexts(SAME_TEXT)
    for text in known:
        index.add(text)
    for place, text in enumerate(texts):
        number, share = max(index.nearest(text), key=lambda found: found[1], default=(-1, 0.0))
        if number >= 0:
            yield number, place, share


def _questions(finding: Finding, one: World, other: World) -> None:
    questions, known = ([task.wording.partition("\n")[0] for task in world.tasks] for world in (one, other))
    finding.n_checked += len(questions) + len(known)
    finding.fail(
        f"{one.tasks[place].id} and {other.tasks[near].id} there ask in the same words (similarity {share:.2f})"
        for near, place, share in _nearly_the_same(known, questions)
    )


def _compare(of_tasks: Callable[[World], Iterable[object]], label: str) -> Callable[[Finding, World, World], None]:
    """Return a check that no task of one world is equal, in what `of_tasks` gives of each, to one of the other."""

    def check(finding: Finding, one: World, other: World) -> None:
        finding.n_checked += len(one.tasks) + len(other.tasks)
        known = dict(zip(of_tasks(other), other.tasks, strict=True))
        same = ((task, known[value]) for task, value in zip(one.tasks, of_tasks(one), strict=True) if value in known)
        finding.fail(f"{task.id} and {twin.id} there {label}" for task, twin in same)

    return check


def _named_queries(world: World) -> list[str]:
    """Write the queries of a world's tasks with the names of entities in the place of their ids."""
    names = {name: world.entities(name)["name"].to_pylist() for name in world.spec.types}

    def name_of(found: re.Match[str]) -> str:
        kind, row = found[1], int(found[2])
        return repr(names[kind][row]) if row < len(names.get(kind, ())) else found[0]

    return [_ID.sub(name_of, task.query) for task in world.tasks]


_CHECKS: Mapping[str, Callable[[Finding, World, World], None]] = {
    "shared names": _names,
    "shared pages": _pages,
    "shared questions": _questions,
    "shared queries": _compare(_named_queries, "ask the same"),
    "shared gold": _compare(lambda world: [frozenset(task.gold) for task in world.tasks], "have the same gold table"),
}
