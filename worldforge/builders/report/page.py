"""The report as one file of HTML: no network, no scripts, light and dark, readable on a phone.

A world may come from a stranger: every text of it is escaped, and a Content-Security-Policy lets nothing in but styles
of the page's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import Finding
from worldforge.builders.audit.run_audit import LOOKED_AT
from worldforge.builders.report import charts
from worldforge.core.errors import WorldForgeError
from worldforge.core.files import write_text
from worldforge.schema.column_paths import derived_columns, drawn_columns, references_of
from worldforge.schema.spec import Phrasing
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.site_figures import page_sites
from worldforge.world.subgraphs import edges_of
from worldforge.world.table_files import read_parquet
from worldforge.world.task import Task
from worldforge.world.value_text import kind_of
from worldforge.world.world import World

_EXAMPLES = 5
_NODES = 44  # of the graph that is drawn
_NOT_DRAWN = ("id", "name", "aliases", "source", "target", "previous")
_MOST_ROWS, _MOST_PAGES = 12, 6  # of a gold table, and of its evidence, that are shown
_STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
_HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    '<meta name="color-scheme" content="light dark">'
)


def write_report(world: World, findings: Sequence[Finding], path: Path) -> None:
    """Write the report of a world to `path`. Raises OSError where that cannot be written."""
    write_text(path, report(world, findings))


def report(world: World, findings: Sequence[Finding]) -> str:
    """Return the report; the same text for the same world and findings. Sections that fail are replaced by a note."""
    body = [
        _title(world, findings),
        _section("Audit", "What was checked, from the files alone.", _audit(findings)),
        *(_tried(title, description, draw, world) for title, description, draw in _PARTS),
    ]
    name = escape(f"{world.name}: report")
    return (
        f"{_HEAD}<title>{name}</title><style>{_STYLE}</style></head><body><main>{''.join(body)}</main></body></html>\n"
    )


def _title(world: World, findings: Sequence[Finding]) -> str:
    manifest = world.manifest
    broken = sum(finding.n_failed > 0 for finding in findings)
    verdict = (
        '<span class="good">every check held</span>'
        if not broken
        else f'<span class="bad">{broken} of {len(findings)} checks failed</span>'
    )
    counted = manifest["counts"]
    tiles = {
        "entities": sum(counted["entities"].values()),
        "relation rows": sum(counted["relations"].values()),
        "pages": counted["pages"],
        "facts stated": counted["mentions"],
        "links": counted["links"],
        "tasks": counted["tasks"],
        "tasks set aside": counted["set_aside"],
    }
    cards = "".join(f"<div><b>{count:,}</b>{escape(name)}</div>" for name, count in tiles.items())
    facts = (
        f"seed {escape(str(manifest['seed']))} · scale {escape(str(manifest['scale']))} · digest "
        f"<code>{escape(str(manifest['digest'])[:16])}</code>"
    )
    title = escape(str(manifest["title"] or manifest["name"]))
    return (
        f'<header><p class="quiet">{escape(world.name)}</p><h1>{title}</h1><p>{verdict} · {facts}</p>'
        f'<div class="tiles">{cards}</div></header>'
    )


def _audit(findings: Sequence[Finding]) -> str:
    rows = [(f.title, LOOKED_AT.get(f.check, ""), f.n_checked, f.n_failed) for f in findings]
    texts = ((f.title, text) for f in findings for text in (*f.failures, *([f.note] if f.note else ())))
    broken = "".join(f"<li><b>{escape(title)}</b>: {escape(text)}</li>" for title, text in texts)
    return charts.table(("check", "looked at", "checked", "failed"), rows) + (f"<ul>{broken}</ul>" if broken else "")


_DEGREES = """
    SELECT CAST(2 ** floor(log2(degree)) AS INTEGER) AS least, count(*) FROM (
        SELECT count(*) AS degree FROM (SELECT source AS id FROM edges UNION ALL SELECT target FROM edges) GROUP BY id
    ) GROUP BY least ORDER BY least
"""


def _graph(world: World) -> Iterator[str]:
    sample = world.sample(_NODES)
    kinds = [name for name in world.spec.types if any(kind == name for _, kind in sample.nodes(data="type"))]
    yield f'<div class="wide">{charts.graph(sample, kinds)}</div>'
    counted = connect({"edges": edges_of(world.spec, world.tables())}).sql(_DEGREES).fetchall()
    degrees = [(f"{least} to {2 * least - 1}" if least > 1 else "1", n) for least, n in counted]
    yield charts.figure("Links of an entity", charts.bars(degrees, "entities, by references and rows that they are in"))


def _attributes(world: World) -> Iterator[str]:
    spec = world.spec
    for name, table in world.tables().items():
        phrasings: dict[str, Phrasing] = {**drawn_columns(spec, name), **derived_columns(spec, name)}
        references = references_of(spec, name)
        drawn = "".join(
            _attribute(world, table, column, phrasings.get(column, Phrasing()), references.get(column, ""))
            for column in table.column_names
            if column not in _NOT_DRAWN
        )
        if drawn:
            yield f'<h3>{escape(name)} <small>{table.num_rows:,} rows</small></h3><div class="charts">{drawn}</div>'


def _attribute(world: World, table: pa.Table, column: str, phrasing: Phrasing, references: str) -> str:
    values = table[column].drop_null()
    label = phrasing.label or column.replace("_", " ")
    missing = table.num_rows - len(values)
    title = label + (f" ({missing / table.num_rows:.0%} empty)" if missing else "")
    names = {}
    if references in world.spec.types:
        known = world.entities(references)
        names = dict(zip(known["id"].to_pylist(), known["name"].to_pylist(), strict=True))
    kind = kind_of(values.type)
    if kind in ("text", "boolean"):
        return charts.figure(title, charts.top(values, "rows", 7, names))
    if kind == "date":
        values, label = pc.year(values), "year"
    numbers = np.asarray(values.to_numpy(), np.float64)
    return charts.figure(title, charts.histogram(numbers, phrasing.unit or label, whole=kind != "number"))


def _pages(world: World) -> Iterator[str]:
    pages, mentions = world.pages, world.mentions
    sites = pc.replace_substring_regex(pages["site"], r"^www\.", "")
    yield charts.figure("Pages by kind", charts.top(pages["kind"], "pages", 16))
    yield charts.figure("Pages by site", charts.top(sites, "pages", 16))
    lengths = pc.utf8_length(pages["text"]).to_numpy().astype(np.float64)
    yield charts.figure("Length of pages", charts.histogram(lengths, "characters", of="pages", whole=True))
    stating = mentions.group_by("fact").aggregate([("page", "count_distinct")])["page_count_distinct"]
    spread = charts.histogram(stating.to_numpy().astype(np.float64), "pages that state it", of="facts", whole=True)
    yield charts.figure("Evidence of a fact", spread)
    yield charts.figure("Stances of what pages state", charts.top(mentions["stance"], "mentions"))


def _tasks(world: World) -> Iterator[str]:
    shares = np.array([task.measures.gold_page_share for task in world.tasks], np.float64)
    drawn = charts.histogram(shares, "share", 10, of="tasks")
    yield charts.figure("Share of the gold's facts on the best single page", drawn)
    for family in sorted({task.family for task in world.tasks}):
        chosen = [task for task in world.tasks if task.family == family]
        for title, values in (
            ("rows", [task.n_rows for task in chosen]),
            ("columns", [task.n_columns for task in chosen]),
            ("cells", [task.n_cells for task in chosen]),
            ("references followed", [task.measures.n_hops for task in chosen]),
            ("pages read by the oracle", [task.measures.oracle_pages for task in chosen]),
            ("tool calls of the oracle", [task.measures.oracle_calls for task in chosen]),
            ("pages opened by the searcher", [task.measures.searcher_pages or 0 for task in chosen]),
            ("tool calls of the searcher", [task.measures.searcher_calls or 0 for task in chosen]),
        ):
            drawn = charts.histogram(np.array(values, np.float64), title, of="tasks", whole=True)
            yield charts.figure(f"{family}: {title}", drawn)


def _set_aside(world: World) -> Iterator[str]:
    table = read_parquet(world.path / "set_aside.parquet")
    gates = pc.list_element(pc.split_pattern(table["reason"], ":", max_splits=1), 0)
    yield charts.figure("By the gate that refused", charts.top(gates, "tasks"))
    for row in table.slice(0, 5).to_pylist():
        yield f"<p><code>{escape(row['id'])}</code> {escape(row['reason'])}</p>"


def _examples(world: World) -> Iterator[str]:
    evidence = Evidence(world.mentions, page_sites(world))
    step = max(1, len(world.tasks) // _EXAMPLES)
    for task in world.tasks[::step][:_EXAMPLES]:
        yield _example(world, task, evidence)


def _example(world: World, task: Task, evidence: Evidence) -> str:
    question, _, form = task.wording.partition("\n")
    more = len(task.gold) - _MOST_ROWS
    counts = Counter(page for fact in task.needed_facts for page in set(evidence.page[evidence.of(fact)].tolist()))
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_PAGES]
    pages = world.pages.select(["title", "url", "kind"]).take([page for page, _ in best]).to_pylist()
    rows = [(*page.values(), n_facts) for page, (_, n_facts) in zip(pages, best, strict=True)]
    return (
        f'<article><h3>{escape(task.id)}</h3><p class="asked">{escape(question)}</p>'
        f"<details><summary>The rest of the wording, and the query</summary>"
        f"<p>{escape(form.strip())}</p><pre>{escape(task.query)}</pre></details>"
        f"<h4>Gold table</h4>{charts.table(task.labels, task.gold[:_MOST_ROWS])}"
        + (f'<p class="quiet">and {more} rows more</p>' if more > 0 else "")
        + f"<h4>Pages that state most of it</h4>{charts.table(('title', 'address', 'kind', 'facts'), rows)}</article>"
    )


_PARTS = (
    ("Entities", "A few dozen connected entities and what links them.", _graph),
    ("Attributes", "How values are spread, column by column; of texts and references the most frequent.", _attributes),
    ("Pages", "What the web of this world is made of, and how often it states a fact.", _pages),
    ("Tasks", "How hard they are; what the oracle needed.", _tasks),
    ("Tasks set aside", "What a gate refused, and why.", _set_aside),
    ("Examples", "Tasks as they are asked, their gold tables, and the pages behind them.", _examples),
)


def _tried(title: str, description: str, draw: Callable[[World], Iterator[str]], world: World) -> str:
    """Render one section, or a note if the world is too damaged for it."""
    try:
        drawn = "".join(draw(world))
    except (WorldForgeError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
        drawn = f'<p class="bad">Cannot be drawn: {escape(" ".join(str(error).split())[:200])}</p>'
    inner = f'<div class="charts">{drawn}</div>' if title in ("Pages", "Tasks", "Tasks set aside") else drawn
    return _section(title, description, inner)


def _section(title: str, description: str, inner: str) -> str:
    return f'<section><h2>{escape(title)}</h2><p class="quiet">{escape(description)}</p>{inner}</section>'
