"""The report as one file of HTML: no network, no scripts, light and dark, readable on a phone.

A world may come from a stranger: every text of it is escaped, and a Content-Security-Policy lets nothing in but styles
of the page's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import Finding
from worldforge.builders.audit.run_audit import LOOKED_AT
from worldforge.builders.report import charts, figures
from worldforge.core.errors import WorldForgeError
from worldforge.core.files import write_text
from worldforge.schema.column_paths import derived_columns, drawn_columns, references_of
from worldforge.schema.spec import Phrasing
from worldforge.world.evidence import Evidence
from worldforge.world.table_files import read_parquet
from worldforge.world.task import Task
from worldforge.world.value_text import kind_of
from worldforge.world.world import World

_EXAMPLES = 5
_NOT_DRAWN = ("id", "name", "aliases", "source", "target", "previous")
_MOST_ROWS = 12  # of a gold table that is shown
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
        *(_tried(title, said, draw, world) for title, said, draw in _PARTS),
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
    rows = [(f.title, LOOKED_AT.get(f.check, ""), f"{f.n_checked:,}", f"{f.n_failed:,}") for f in findings]
    said = ((f.title, text) for f in findings for text in (*f.failures, *([f.note] if f.note else ())))
    broken = "".join(f"<li><b>{escape(title)}</b>: {escape(text)}</li>" for title, text in said)
    return _table(("check", "looked at", "checked", "failed"), rows, numbers=(2, 3)) + (
        f"<ul>{broken}</ul>" if broken else ""
    )


def _graph(world: World) -> Iterator[str]:
    sample = figures.sample_graph(world)
    kinds = [name for name in world.spec.types if any(kind == name for _, kind in sample.nodes(data="kind"))]
    yield f'<div class="wide">{charts.graph(sample, kinds)}</div>'
    yield _figure(
        "Links of an entity", charts.points_log(figures.degrees(world), "references and rows it is in", "entities")
    )


def _attributes(world: World) -> Iterator[str]:
    spec = world.spec
    for name in (*spec.types, *spec.relations):
        table = world.entities(name) if name in spec.types else world.relation(name)
        said: dict[str, Phrasing] = {**drawn_columns(spec, name), **derived_columns(spec, name)}
        references = references_of(spec, name)
        drawn = "".join(
            _attribute(world, table, column, said.get(column, Phrasing()), references.get(column, ""))
            for column in table.column_names
            if column not in _NOT_DRAWN
        )
        if drawn:
            yield f'<h3>{escape(name)} <small>{table.num_rows:,} rows</small></h3><div class="charts">{drawn}</div>'


def _attribute(world: World, table: pa.Table, column: str, said: Phrasing, references: str) -> str:
    values = table[column].drop_null()
    label = said.label or column.replace("_", " ")
    missing = table.num_rows - len(values)
    title = label + (f" ({missing / table.num_rows:.0%} empty)" if missing else "")
    if references:
        counted, rest = figures.top(values, 7)
        if references in world.spec.types:
            known = world.entities(references)
            names = dict(zip(known["id"].to_pylist(), known["name"].to_pylist(), strict=True))
            counted = [(names.get(entity, entity), count) for entity, count in counted]
        return _figure(title, charts.bars(counted, "rows", rest))
    kind = kind_of(values.type)
    if kind in ("text", "boolean"):
        return _figure(title, _bars(figures.top(values, 7), "rows"))
    if kind == "date":
        days = values.cast(pa.int32()).to_numpy()
        return _figure(title, charts.histogram(np.floor(1970 + days / 365.2425), "year", whole=True))
    numbers = np.asarray(values.to_numpy(), np.float64)
    return _figure(title, charts.histogram(numbers, said.unit or label, whole=kind != "number"))


def _pages(world: World) -> Iterator[str]:
    pages = world.pages
    yield _figure("Pages by kind", _bars(figures.top(pages["kind"], 16), "pages"))
    yield _figure(
        "Pages by site", _bars(figures.top(pc.replace_substring_regex(pages["site"], r"^www\.", ""), 16), "pages")
    )
    yield _figure("Length of pages", charts.histogram(figures.lengths(pages), "characters", of="pages", whole=True))
    spread = figures.pages_by_fact(world.mentions)
    yield _figure("Evidence of a fact", charts.histogram(spread, "pages that state it", of="facts", whole=True))
    yield _figure("Stances of what pages state", _bars(figures.top(world.mentions["stance"]), "mentions"))


def _tasks(world: World) -> Iterator[str]:
    if not world.tasks:
        yield charts.bars([], "")
        return
    shares = np.array([task.measures.gold_page_share for task in world.tasks], np.float64)
    yield _figure(
        "Share of the gold's facts on the best single page", charts.histogram(shares, "share", 10, of="tasks")
    )
    families = sorted({task.family for task in world.tasks})
    for family in families:
        chosen = [task for task in world.tasks if task.family == family]
        for title, values in (
            ("rows", [len(task.gold) for task in chosen]),
            ("columns", [len(task.columns) for task in chosen]),
            ("cells", [len(task.gold) * len(task.columns) for task in chosen]),
            ("references followed", [task.measures.n_hops for task in chosen]),
            ("pages read by the oracle", [task.measures.n_pages for task in chosen]),
            ("tool calls of the oracle", [task.measures.n_tool_calls for task in chosen]),
        ):
            drawn = charts.histogram(np.array(values, np.float64), title, of="tasks", whole=True)
            yield _figure(f"{family}: {title}", drawn)


def _set_aside(world: World) -> Iterator[str]:
    table = read_parquet(world.path / "set_aside.parquet")
    yield _figure("By the gate that refused", _bars(figures.reasons(table), "tasks"))
    for row in table.slice(0, 5).to_pylist():
        yield f"<p><code>{escape(row['id'])}</code> {escape(row['reason'])}</p>"


def _examples(world: World) -> Iterator[str]:
    evidence = Evidence(world.mentions)
    step = max(1, len(world.tasks) // _EXAMPLES)
    for task in world.tasks[::step][:_EXAMPLES]:
        yield _example(world, task, evidence)


def _example(world: World, task: Task, evidence: Evidence) -> str:
    asked, _, form = task.wording.partition("\n")
    more = len(task.gold) - _MOST_ROWS
    pages = [
        (page["title"], page["url"], page["kind"], page["facts"])
        for page in figures.pages_behind(task, evidence, world.pages)
    ]
    return (
        f'<article><h3>{escape(task.id)}</h3><p class="asked">{escape(asked)}</p>'
        f"<details><summary>The rest of the wording, and the query</summary>"
        f"<p>{escape(form.strip())}</p><pre>{escape(task.query)}</pre></details>"
        f"<h4>Gold table</h4>{_table(task.labels, task.gold[:_MOST_ROWS])}"
        + (f'<p class="quiet">and {more} rows more</p>' if more > 0 else "")
        + "<h4>Pages that state most of it</h4>"
        + _table(("title", "address", "kind", "facts"), pages, numbers=(3,))
        + "</article>"
    )


_PARTS = (
    ("Entities", "A few dozen entities and what links them, from the first of the largest type outwards.", _graph),
    ("Attributes", "How values are spread, column by column; of texts and references the most frequent.", _attributes),
    ("Pages", "What the web of this world is made of, and how often it states a fact.", _pages),
    ("Tasks", "How hard they are; what the oracle needed.", _tasks),
    ("Tasks set aside", "What a gate refused, and why.", _set_aside),
    ("Examples", "Tasks as they are asked, their gold tables, and the pages behind them.", _examples),
)


def _tried(title: str, said: str, draw: Callable[[World], Iterator[str]], world: World) -> str:
    """Render one section, or a note if the world is too damaged for it."""
    try:
        drawn = "".join(draw(world))
    except (WorldForgeError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
        drawn = f'<p class="bad">Cannot be drawn: {escape(" ".join(str(error).split())[:200])}</p>'
    inner = f'<div class="charts">{drawn}</div>' if title in ("Pages", "Tasks", "Tasks set aside") else drawn
    return _section(title, said, inner)


def _section(title: str, said: str, inner: str) -> str:
    return f'<section><h2>{escape(title)}</h2><p class="quiet">{escape(said)}</p>{inner}</section>'


def _figure(title: str, drawn: str) -> str:
    return f"<figure><figcaption>{escape(title)}</figcaption>{drawn}</figure>"


def _bars(counted: tuple[figures.Counts, str], what: str) -> str:
    return charts.bars(counted[0], what, counted[1])


def _table(header: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[int] = ()) -> str:
    def line(cells: Sequence[object], tag: str) -> str:
        written = (
            f"<{tag}{' class=n' if place in numbers else ''}>{escape(str(cell))}</{tag}>"
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(written)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table><thead>{line(header, "th")}</thead><tbody>{body}</tbody></table></div>'
