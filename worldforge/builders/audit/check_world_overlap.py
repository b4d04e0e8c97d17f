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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.check_entities import names_and_aliases, plain_names
from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding, even_sample, open_files
from worldforge.builders.text_similarity import SimilarTexts
from worldforge.core.errors import InputError
from worldforge.schema.column_dependencies import types_with_composed_names
from worldforge.world.task import Task
from worldforge.world.world import World

SAME_TEXT = 0.9
"""Jaccard similarity of two texts' shingles from which on they are nearly the same."""
MOST_PAGES = 4_000
"""Pages of each world that are compared by shingles; the same text is looked for among all."""
_ID = re.compile(r"'([a-z][a-z0-9_]*)/(\d+)'")  # as a query writes it
_CALLED = pa.schema([("key", pa.string()), ("id", pa.string()), ("called", pa.string()), ("own", pa.bool_())])


def check_overlap(one: World, other: World, said: str) -> list[Finding]:
    """Check that two worlds share nothing, one check after the other; `said` is what the other is called."""
    checks: dict[str, Callable[[CheckCounter, World, World], str]] = {
        "shared names": _names,
        "shared pages": _pages,
        "shared questions": _questions,
        "shared queries": _queries,
        "shared gold": _gold,
    }
    findings = []
    for name, check in checks.items():
        began, tally, note = time.perf_counter(), CheckCounter(name, said), ""
        try:
            note = check(tally, one, other)
        except (InputError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
            tally.failed([f"cannot be checked, the files are damaged: {' '.join(str(error).split())[:200]}"])
        findings.append(replace(tally.finding(), note=note, seconds=time.perf_counter() - began))
    return findings


def _names(tally: CheckCounter, one: World, other: World) -> str:
    connection = open_files({"here": _called(one), "there": _called(other)})
    for place in ("here", "there"):
        (n,) = connection.execute(f"SELECT count(DISTINCT key) FROM {place} WHERE NOT own").fetchone() or (0,)
        tally.checked(n)
    shared = connection.execute(
        "SELECT key, min(here.called), min(here.id), min(there.id), bool_and(here.own AND there.own) AS own "
        "FROM here JOIN there USING (key) GROUP BY key ORDER BY own, key"
    ).fetchall()
    drawn = [row for row in shared if not row[4]]
    shown = [f"`{called}` is {id_} here and {there} there" for _, called, id_, there, _ in drawn[:MOST_SHOWN]]
    tally.failed(shown, len(drawn))
    own = [called for _, called, _, _, own in shared if own]
    listed = ", ".join(f"`{name}`" for name in own[:3]) + (", …" if len(own) > 3 else "")
    return f"{len(own)} names in the spec's own words are in both, which fails nothing: {listed}" if own else ""


def _called(world: World) -> pa.Table:
    """List what a world's entities are called: names and aliases, as they are compared."""
    own, parts = types_with_composed_names(world.spec), [_CALLED.empty_table()]
    for name in world.spec.types:
        bearers, called = names_and_aliases(world.entities(name))
        columns = [plain_names(called), bearers, called, pa.repeat(name in own, len(called))]
        parts.append(pa.table(columns, schema=_CALLED))
    return pa.concat_tables(parts)


def _pages(tally: CheckCounter, one: World, other: World) -> str:
    tally.checked(one.pages.num_rows + other.pages.num_rows)
    same = pc.is_in(one.pages["text"].combine_chunks(), value_set=other.pages["text"].combine_chunks())
    urls = one.pages["url"].filter(same)
    shown = [f"the text of {url} is there too" for url in urls.slice(0, MOST_SHOWN).to_pylist()]
    tally.failed(shown, len(urls))
    unlike = one.pages.filter(pc.invert(same))
    here, there = (
        pages.take(pa.array(even_sample(pages.num_rows, MOST_PAGES), pa.int64())) for pages in (unlike, other.pages)
    )
    near = list(_nearly_the_same(there["text"].to_pylist(), here["text"].to_pylist()))
    shown = [
        f"{here['url'][place].as_py()} is nearly the text of {there['url'][known].as_py()} there "
        f"(similarity {share:.2f})"
        for known, place, share in near[:MOST_SHOWN]
    ]
    tally.failed(shown, len(near))
    return ""


def _nearly_the_same(known: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Yield for each of `texts` that has one the first nearest of `known`: both places, and how similar they are."""
    index = SimilarTexts(SAME_TEXT)
    for text in known:
        index.add(text)
    for place, text in enumerate(texts):
        number, share = max(index.nearest(text), key=lambda found: found[1], default=(-1, 0.0))
        if number >= 0:
            yield number, place, share


def _questions(tally: CheckCounter, one: World, other: World) -> str:
    asked, known = ([task.wording.partition("\n")[0] for task in world.tasks] for world in (one, other))
    tally.checked(len(asked) + len(known))
    tally.failed(
        f"{one.tasks[place].id} and {other.tasks[near].id} there ask in the same words (similarity {share:.2f})"
        for near, place, share in _nearly_the_same(known, asked)
    )
    return ""


def _queries(tally: CheckCounter, one: World, other: World) -> str:
    _compare(tally, one, other, [_named(world) for world in (one, other)], "ask the same")
    return ""


def _gold(tally: CheckCounter, one: World, other: World) -> str:
    rows = [[frozenset(task.gold) for task in world.tasks] for world in (one, other)]
    _compare(tally, one, other, rows, "have the same gold table")
    return ""


def _compare(tally: CheckCounter, one: World, other: World, of_tasks: Sequence[Sequence[object]], said: str) -> None:
    here, there = of_tasks
    tally.checked(len(here) + len(there))
    known: dict[object, Task] = dict(zip(there, other.tasks, strict=True))
    same = ((task, known[value]) for task, value in zip(one.tasks, here, strict=True) if value in known)
    tally.failed(f"{task.id} and {twin.id} there {said}" for task, twin in same)


def _named(world: World) -> list[str]:
    """Write the queries of a world's tasks with the names of entities in the place of their ids."""
    names = {name: world.entities(name)["name"].to_pylist() for name in world.spec.types}

    def name_of(found: re.Match[str]) -> str:
        kind, row = found[1], int(found[2])
        return repr(names[kind][row]) if row < len(names.get(kind, ())) else found[0]

    return [_ID.sub(name_of, task.query) for task in world.tasks]
