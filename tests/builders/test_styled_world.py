"""A world whose encyclopedia is in imperial units and ISO dates, its office in metric ones and with point numbers."""

import asyncio
import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.builders.audit.check_mentions import check_facts
from worldforge.entry_points.build_world import build
from worldforge.environments.controls.statements import Statements
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.coverage import gold_spans
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.evidence_plan import EvidencePlanner
from worldforge.environments.search.oracle import SearchOracle
from worldforge.rollouts.factories import TaskMentions
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.evidence import Evidence
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.stable_ids import split_fact
from worldforge.world.value_formats import ValueFormats
from worldforge.world.value_text import as_written
from worldforge.world.world import open_world
from worldforge.world_model.prose import ProseReader

SPEC = """\
name: styled
title: The coast of Ostrel
seed: 7
as_of: 2031-06-30
types:
  land:
    count: 4
    scaled: false
    name: {generator: names.region}
    attributes:
      area: {generator: values.number, params: {low: 900, high: 42000, decimals: 1}, unit: km²}
      chilled: {generator: values.number, params: {low: -12, high: 21, decimals: 1}, label: mean temperature, unit: °C}
  port:
    count: 16
    scaled: false
    label: harbour
    name: {generator: names.town}
    attributes:
      land: {references: land}
      people: {generator: values.integer, params: {low: 800, high: 900000}, label: number of inhabitants}
      length: {generator: values.integer, params: {low: 200, high: 9400}, label: length of the quays, unit: m}
      toll: {generator: values.integer, params: {low: 12, high: 4000}, label: harbour toll, unit: marks}
      debt: {generator: values.number, params: {low: 0.5, high: 1200, decimals: 1}, label: debt, unit: million crowns}
      opened: {generator: values.date, params: {low: 1802-01-01, high: 2020-12-31}, label: opening day}
      founded: {generator: values.year, params: {low: 1100, high: 1790}, label: founding year}
    derived:
      ships: {over: calls, sql: count(*), label: number of lines}
  line:
    count: 9
    scaled: false
    label: shipping line
    plural: shipping lines
    name: {generator: names.company}
    attributes:
      fleet: {generator: values.integer, params: {low: 1, high: 90}, label: number of ships}
      cargo: {generator: values.integer, params: {low: 1000, high: 900000}, label: cargo, unit: t}
relations:
  calls:
    source: line
    target: port
    title: Ports of call
    per_source: {low: 1, high: 5}
    columns:
      since: {generator: values.date, params: {low: 1950-01-01, high: 2030-12-31}}
      fare: {generator: values.integer, params: {low: 4, high: 2000}, unit: marks}
sites:
  encyclopedia: {title: Sea Encyclopedia, style: {units: imperial, dates: iso, currency: crowns}}
  bureau: {title: Bureau of Harbours, style: {numbers: point, dates: day.month.year}}
  gazette: {title: The Gazette, style: {numbers: space, dates: "month day, year", units: imperial, currency: marks}}
web:
  currencies: {crowns: 1, marks: 2.5}
pages:
  port_article: {generator: pages.encyclopedia, about: port, site: encyclopedia}
  land_article: {generator: pages.encyclopedia, about: land, site: encyclopedia}
  line_article: {generator: pages.encyclopedia, about: line, site: encyclopedia}
  port_news: {generator: pages.news, about: port, site: gazette, share: 0.6}
  ports:
    {generator: pages.statistics, about: port, by: land, states: [people, length, toll, debt, opened], site: bureau}
  lines: {generator: pages.statistics, about: line, site: gazette, completeness: 0.9}
tasks:
  ports_of: {family: list, about: [port], count: 5, columns: {low: 3, high: 5}, rows: {low: 2, high: 12}}
  lines_of: {family: list, about: [line], count: 3, columns: {low: 2, high: 3}, rows: {low: 2, high: 12}}
"""
RATE = "100 marks are worth 250 crowns"


@pytest.fixture(scope="module")
def styled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("styled")
    (folder / "styled.yaml").write_text(SPEC, encoding="utf-8")
    build(folder / "styled.yaml", folder / "world")
    return open_world(folder / "world")


@pytest.fixture(scope="module")
def stated(styled):
    """Every mention with its page's kind, and the cell as tables have it written."""
    kinds, rows = styled.pages["kind"].to_pylist(), []
    tables = styled.tables()
    for mention in styled.mentions.to_pylist():
        table, row, column = split_fact(mention["fact"])
        held = tables[table][column].slice(row, 1).combine_chunks()
        kind = kinds[int(mention["page"].removeprefix("page/"))]
        rows.append({**mention, "kind": kind, "column": f"{table}.{column}", "held": held})
    return rows


def of(stated, kind, column):
    return [one for one in stated if (one["kind"], one["column"]) == (kind, column)]


def test_sites_write_each_in_its_own_form(stated):
    shapes = {
        ("port_article", "port.opened"): r"\d{4}-\d\d-\d\d",
        ("port_news", "port.opened"): r"[A-Z][a-z]+ \d+, \d{4}",
        ("ports", "port.opened"): r"\d\d\.\d\d\.\d{4}",
        ("ports", "port.people"): r"\d{1,3}(\.\d{3})*",
        ("port_news", "port.people"): r"\d{1,3}( \d{3})*",
        ("port_article", "port.founded"): r"\d{4}",
    }
    for place, shape in shapes.items():
        found = of(stated, *place)
        assert found and all(re.fullmatch(shape, one["value"]) for one in found), place
    assert {one["stance"] for one in of(stated, "port_article", "port.founded")} == {"current"}
    assert {one["stance"] for one in of(stated, "land_article", "land.area")} == {"restated"}


def test_what_is_as_tables_have_it_is_current_and_nothing_else(stated):
    for one in stated:
        if one["column"].endswith((".people", ".toll", ".debt", ".length")):
            kind = "number" if one["column"].endswith("debt") else "integer"
            same = as_written(one["held"], kind)[0].as_py() == one["value"]
            assert one["stance"] == ("current" if same else "restated")


def test_feet_are_metres_to_a_searcher(styled, stated):
    for one in of(stated, "port_article", "port.length"):
        assert round(float(one["value"].replace(",", "")) * 0.3048) == one["held"][0].as_py()
    for one in of(stated, "land_article", "land.chilled"):
        assert round((float(one["value"]) - 32) / 1.8, 1) == one["held"][0].as_py()
    for one in of(stated, "port_article", "port.toll"):
        assert round(float(one["value"].replace(",", "")) / 2.5) == one["held"][0].as_py()


def test_units_stand_after_values_and_in_headings(styled):
    texts = {kind: [] for kind in styled.spec.pages}
    for page in styled.pages.select(["kind", "text"]).to_pylist():
        texts[page["kind"]].append(page["text"])
    assert all("square miles" in text and "°F" in text and "km²" not in text for text in texts["land_article"])
    assert all("(long tons)" in text for text in texts["lines"])
    assert all("(m)" in text and "(marks)" in text for text in texts["ports"])
    assert all(RATE in text and "Harbour toll | " in text for text in texts["port_article"])
    assert not any(RATE in text for text in texts["ports"] + texts["land_article"])


def test_the_audit_reads_them_back_and_names_one_that_is_wrong(styled):
    audited = (styled.spec, styled.tables(), styled.pages)
    assert check_facts(*audited, styled.mentions).n_failed == 0
    place = pc.index(styled.mentions["stance"], "restated").as_py()
    for wrong in ("1", "12.400.000", "2024-02-31", "rubbish", ""):
        values = styled.mentions["value"].to_pylist()
        values[place] = wrong
        changed = styled.mentions.set_column(5, "value", pa.array(values))
        assert check_facts(*audited, changed).n_failed == 1


def test_an_oracle_converts_and_its_answers_are_gold(styled):
    planner = EvidencePlanner(styled.pages, Evidence(styled.mentions), ValueFormats.of_world(styled))
    environment = SearchEnvironment(styled)
    for task in styled.tasks:
        done = asyncio.run(
            run_episode(
                PlannedAgent(SearchOracle(task, planner.plan(task)).play()),
                environment.session(),
                EpisodeLimits(max_steps=50),
            )
        )
        assert score_strict(done.answer, gold_of(task)).item_f1 == 1


def test_every_cell_of_gold_can_be_seen(styled):
    gold = gold_spans(TaskMentions(styled, styled.tasks))
    for task in styled.tasks:
        assert {one.fact for found in gold(task).values() for one in found} == set(task.answer_facts)


def test_a_restated_fact_is_stated(styled, stated):
    evidence = Evidence(styled.mentions)
    assert all(len(evidence.of(one["fact"])) for one in of(stated, "land_article", "land.area"))


def test_what_is_shown_wrong_is_wrong_in_the_sites_form(styled):
    statements, forms = Statements(styled), ValueFormats.of_world(styled)
    substitutions = Substitutions(styled, 0)
    kinds, n_shown = styled.pages["kind"].to_pylist(), 0
    for page, kind in enumerate(kinds):
        decide = substitutions.on_page(page, 0, 1)
        for one in statements.on_page(page):
            table, row, column = one.cell
            shown, form = decide(one), forms.of(kind, table, column)
            if form is not None and shown is not None:
                n_shown += 1
                true = styled.tables()[table][column][row].as_py()
                assert form.read(shown.shown) not in (None, true)
    assert n_shown > 50


def test_a_model_may_retell_a_restated_value_and_not_change_it(styled):
    reader = ProseReader(Lexicon.of_world(styled))
    told = "The quays are 24 268 feet long; the debt is 395,52 million marks since 18.06.2024."
    retold = "Its quays measure 24 268 feet; the debt has been 395,52 million marks since 18 June 2024."
    assert reader.compare(told, retold, complete=True) is None
    for said, other in (("268", "269"), ("395,52", "395,53"), ("marks", "crowns"), ("feet", "m"), ("18.06", "16.08")):
        assert reader.compare(told, told.replace(said, other), complete=True) is not None


@pytest.mark.parametrize(
    ("old", "new", "path", "message", "hint"),
    [
        ("currency: marks}", "currency: mark}", "sites.gazette.style.currency", "unknown currency", "`marks`"),
        ("marks: 2.5", "marks: 0", "web.currencies.marks", "not above 0", "how many crowns"),
        ("marks: 2.5", "marks: -1", "web.currencies.marks", "not above 0", "how many crowns"),
        ("marks: 2.5", "marks: .nan", "web.currencies.marks", "", ""),
        ("crowns: 1,", "crowns: 2,", "web.currencies.crowns", "what the others are counted in", "crowns: 1"),
        ("marks: 2.5", "marks: 2.5, 'Old $': 3", "web.currencies.Old $", "no word", "million crowns"),
        ("  currencies: {crowns: 1, marks: 2.5}", "  redirects: 0", "sites.gazette.style.currency", "unknown", "web."),
    ],
)
def test_currencies_that_cannot_be(tmp_path, old, new, path, message, hint):
    assert old in SPEC
    (tmp_path / "w.yaml").write_text(SPEC.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError) as raised:
        load_spec(tmp_path / "w.yaml")
    found = {problem.path: problem for problem in raised.value.problems}
    assert message in found[path].message and hint in found[path].hint
