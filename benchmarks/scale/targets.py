"""The targets, and whether a run met them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.scale.measured import Measured, Results
from benchmarks.scale.steps import STAGES

INDEXED = ("populate", "pages", "index")
"""The stages that make a world that can be searched."""
_LINEAR = 1.15
_TEN_THOUSAND, _HUNDRED_THOUSAND, _MILLION = 10_000, 100_000, 1_000_000
_TWO_WORKERS = 1.5  # times as fast as one


@dataclass(frozen=True)
class Judged:
    """A target: what is asked, what was measured in words, and whether it is met; None where it was not measured."""

    what: str
    target: str
    seen: str = "not measured in this run"
    met: bool | None = None


def judged(results: Results) -> list[Judged]:
    """Judge every target on what was measured."""
    return [
        row
        for rows in (_world, _million, _facts, _tasks, _workers, _searching, _apart, _exporting)
        for row in rows(results)
    ]


def cpu_of(results: Results, size: int, stages: tuple[str, ...] = INDEXED) -> float | None:
    """Add up the CPU seconds of stages at a size; None where one was not measured."""
    found = [results.of(stage, size) for stage in stages]
    return sum(each.cpu_s for each in found if each) if all(found) else None


def peak_of(results: Results, size: int, stages: tuple[str, ...]) -> float:
    """Return the most memory that one of some stages took at a size, in GB."""
    return max(found.peak_bytes for stage in stages if (found := results.of(stage, size))) / 1e9


def growth(results: Results, stages: tuple[str, ...] = INDEXED) -> float | None:
    """Return how CPU seconds grew from 10,000 to 1 M pages, as a multiple of how pages did; None if not measured."""
    low, high = cpu_of(results, _TEN_THOUSAND, stages), cpu_of(results, _MILLION, stages)
    if low is None or high is None:
        return None
    pages = [_items(results, "pages", size) for size in (_TEN_THOUSAND, _MILLION)]
    return (high / low) / (pages[1] / pages[0])


def _items(results: Results, step: str, size: int) -> int:
    found = results.of(step, size)
    assert found is not None
    return found.items


def _world(results: Results) -> Iterator[Judged]:
    row = Judged("a world of 100,000 pages with mentions, links, authority and index", "15 CPU s, 1.2 GB")
    cpu_s = cpu_of(results, _HUNDRED_THOUSAND)
    if cpu_s is None:
        yield row
        return
    peak = peak_of(results, _HUNDRED_THOUSAND, INDEXED)
    yield Judged(row.what, row.target, f"{cpu_s:.1f} CPU s, {peak:.2f} GB", cpu_s < 15 and peak <= 1.2)


def _million(results: Results) -> Iterator[Judged]:
    row = Judged("the same at 1 million pages; no stage after it takes more memory", "180 CPU s, 4.5 GB")
    grown = Judged("its growth from 10,000 pages to 1 million", f"{_LINEAR} × linear")
    cpu_s, grew = cpu_of(results, _MILLION), growth(results)
    if cpu_s is not None and all(results.of(stage, _MILLION) for stage in STAGES):
        peak, later = peak_of(results, _MILLION, INDEXED), peak_of(results, _MILLION, STAGES[3:])
        seen = f"{cpu_s:.0f} CPU s, {peak:.1f} GB; tasks and audit {later:.1f} GB"
        row = Judged(row.what, row.target, seen, cpu_s < 180 and max(peak, later) <= 4.5)
    if grew is not None:
        each = ", ".join(f"{stage} {growth(results, (stage,)) or 0:.2f}" for stage in INDEXED)
        grown = Judged(grown.what, grown.target, f"{grew:.2f} × ({each})", grew <= _LINEAR)
    yield from (row, grown)


def _facts(results: Results) -> Iterator[Judged]:
    """Judge the rate by itself, and beside PhantomWiki's articles, whose facts are not counted against it."""
    alone = Judged("facts and pages with mentions, before indexing", "40,000 pages/CPU s")
    beside = Judged("the same beside PhantomWiki's articles in the same run, its facts left out", "20 ×")
    cpu_s, peer = cpu_of(results, _HUNDRED_THOUSAND, INDEXED[:2]), results.of("phantomwiki", _HUNDRED_THOUSAND)
    if cpu_s is not None:
        rate = _items(results, "pages", _HUNDRED_THOUSAND) / cpu_s
        alone = Judged(alone.what, alone.target, f"{rate:,.0f}", rate >= 40_000)
        if peer is not None:
            articles, facts = peer.more["articles_s"], peer.more["facts_s"]
            ratio = rate / (peer.items / articles)
            seen = (
                f"{ratio:.0f} × its {peer.items / articles:,.0f}/CPU s ({peer.items:,} articles {articles:.0f} CPU s, "
                f"facts {facts:.0f})"
            )
            beside = Judged(beside.what, beside.target, seen, ratio >= 20)
    yield from (alone, beside)


def _figure(
    results: Results,
    step: str,
    size: int,
    row: Judged,
    tell: Callable[[Measured], str],
    meets: Callable[[Measured], bool],
) -> Judged:
    """Judge a row by one step."""
    found = results.of(step, size)
    return row if found is None else Judged(row.what, row.target, tell(found), meets(found))


def _tasks(results: Results) -> Iterator[Judged]:
    peer, beside = results.of("phantomwiki", _HUNDRED_THOUSAND), ""
    if peer is not None:
        rate = peer.more["questions"] / peer.more["questions_s"]
        beside = f"; PhantomWiki's shallow questions over as many articles {rate:,.0f}/CPU s"
    yield _figure(
        results,
        "posing",
        _HUNDRED_THOUSAND,
        Judged("tasks posed, gold by both derivations, 100,000 pages", "450/CPU s"),
        lambda found: f"{found.more['posed']:,.0f} ({found.more['beside']:.1f} × the bare queries{beside})",
        lambda found: found.more["posed"] >= 450,
    )
    yield _figure(
        results,
        "posing",
        _HUNDRED_THOUSAND,
        Judged("all gates, the oracle's proof among them, 1,000 tasks", "40 CPU s"),
        lambda found: f"{found.more['gated']:.1f} CPU s",
        lambda found: found.more["gated"] < 40,
    )


def _workers(results: Results) -> Iterator[Judged]:
    """Judge two workers, and tell what the machine lets two have that share nothing."""
    ways: dict[tuple[str, str], Measured] = {}
    for found in results.measured:
        step, _, way = found.step.partition(" ")
        ways[step, way] = found
    for step in ("pages", "tasks", "rollout"):
        row = Judged(f"two workers against one: {step}", f"{_TWO_WORKERS} ×")
        one, two, twice = (ways.get((step, way)) for way in ("by 1", "by 2", "twice"))
        if one and two and twice:
            ratio, most = one.wall_s / two.wall_s, twice.items / twice.wall_s / (one.items / one.wall_s)
            seen = (
                f"{ratio:.2f} × at {one.size:,} pages: {one.items:,} {one.unit}; two runs of one worker each, side by "
                f"side, {most:.2f} × one"
            )
            row = Judged(row.what, row.target, seen, ratio >= _TWO_WORKERS)
        yield row


def _searching(results: Results) -> Iterator[Judged]:
    def tell(found: Measured) -> str:
        return f"{found.items / found.cpu_s:,.0f}, p99 {found.more['p99_ms']:.1f} ms"

    def meets(found: Measured, rate: float) -> bool:
        return found.items / found.cpu_s >= rate and found.more["p99_ms"] < 5

    row = Judged("environment step (search, snippets, observation) on 100,000 pages", "1,400/CPU s, p99 5 ms")
    yield _figure(results, "search", _HUNDRED_THOUSAND, row, tell, lambda found: meets(found, 1_400))
    row = Judged("the same on the quickstart world", "5,000/CPU s, p99 5 ms")
    yield _figure(results, "small search", 1_000, row, tell, lambda found: meets(found, 5_000))
    yield _figure(
        results,
        "search",
        _HUNDRED_THOUSAND,
        Judged("opening a world of 100,000 pages", "0.3 s"),
        lambda found: f"{found.more['opened_s']:.2f} s",
        lambda found: found.more["opened_s"] < 0.3,
    )


def _apart(results: Results) -> Iterator[Judged]:
    for step, what, target, key, unit, meets in (
        ("vllm", "rollouts over vLLM beside a bare script, same engine", "0.90", "ratio", "", lambda seen: seen >= 0.9),
        ("scoring", "scoring a table of 4,096 cells", "10 ms", "strict_ms", " ms", lambda seen: seen < 10),
        ("scoring", "scoring 10,000 tables by both scorers", "60 s", "ten_thousand_s", " s", lambda seen: seen < 60),
        ("command", "`worldforge --help`", "0.5 CPU s", "help_s", " CPU s", lambda seen: seen < 0.5),
    ):
        yield _figure(
            results,
            step,
            0,
            Judged(what, target),
            lambda found, key=key, unit=unit: f"{found.more[key]:.2f}{unit}",
            lambda found, key=key, meets=meets: meets(found.more[key]),
        )


def _exporting(results: Results) -> Iterator[Judged]:
    beside = Judged("export of trajectories beside bare pyarrow writing the same columns, by the clock", "0.5")
    flat = Judged("its memory as rows grow", "flat, under 2 GB")
    size = max((size for size in results.sizes if results.of("export", size)), default=0)
    ours, bare, least = (
        results.of(*step)
        for step in (("export", size), ("bare export", size), ("export", min(results.sizes, default=0)))
    )
    if ours and bare:
        ratio = bare.wall_s / ours.wall_s
        seen = f"{ratio:.2f} ({bare.cpu_s / ours.cpu_s:.2f} by CPU s), {ours.items:,} rows"
        beside = Judged(beside.what, beside.target, seen, ratio >= 0.5)
    if ours and least and ours is not least:
        seen = (
            f"{least.peak_bytes / 1e6:,.0f} MB at {least.items:,} rows, {ours.peak_bytes / 1e6:,.0f} at {ours.items:,}"
        )
        grew = ours.peak_bytes / least.peak_bytes
        flat = Judged(flat.what, flat.target, seen, ours.peak_bytes < 2e9 and grew < (ours.items / least.items) ** 0.25)
    yield from (beside, flat)
