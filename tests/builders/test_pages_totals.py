"""Total rows and notes of tables: what they add up, what they state, and what an audit sees."""

import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from harbours import PAGES, harbour_spec, harbour_tables

from worldforge.builders.audit.check_mentions import check_facts, check_spans, check_totals
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.world.conflict_resolution import contested_mentions
from worldforge.world.evidence import Evidence
from worldforge.world.table_files import read_parquet

FLEET = {"generator": "pages.statistics", "about": "ship", "states": ["length", "crew"], "page_size": 500}


def whole_tables():
    """The harbours' tables, with a crew for each ship."""
    tables = harbour_tables()
    ships = tables["ship"]
    crew = pc.fill_null(ships["crew"], 1)
    return tables | {"ship": ships.set_column(ships.column_names.index("crew"), "crew", crew)}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("totals")
    spec = harbour_spec({"ship_article": PAGES["ship_article"], "fleet": FLEET})
    write_pages(spec, whole_tables(), folder, LocalEngine(1), Progress())
    return spec, {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions")}


def test_a_total_is_the_sum_of_its_column_and_names_its_facts(written):
    spec, files = written
    crew = whole_tables()["ship"]["crew"].to_pylist()
    (page,) = (page for page in files["pages"].to_pylist() if page["kind"] == "fleet")
    last = [line for line in page["text"].split("\n") if line.startswith("|")][-1]
    assert re.sub(r"[*| ]", " ", last).split()[-1] == f"{sum(crew):,}"
    marked = [row for row in files["mentions"].to_pylist() if row["stance"] == "total"]
    assert {row["fact"] for row in marked} == {f"ship/{row:04d}#crew" for row in range(len(crew))}
    assert len({(row["page"], row["start"], row["end"]) for row in marked}) == 1
    assert check_spans(files["pages"], files["mentions"]).n_failed == 0
    assert check_facts(spec, whole_tables(), files["pages"], files["mentions"]).n_failed == 0
    found = check_totals(whole_tables(), files["mentions"])
    assert found.n_checked == 1 and found.n_failed == 0


def test_the_audit_finds_a_total_that_does_not_add_up(written):
    mentions, tables = written[1]["mentions"], whole_tables()
    ships = tables["ship"]
    more = pc.add(ships["crew"], pa.array([1, *[0] * (len(ships) - 1)]))
    wrong = tables | {"ship": ships.set_column(ships.column_names.index("crew"), "crew", more)}
    assert check_totals(wrong, mentions).n_failed == 1


def test_a_total_is_no_statement_of_a_fact_and_no_dispute(written):
    mentions = written[1]["mentions"]
    totals = mentions.filter(pc.equal(mentions["stance"], "total"))
    assert not len(Evidence(totals).of("ship/0000#crew"))
    assert not len(contested_mentions(mentions))


def test_a_column_with_gaps_has_no_total(tmp_path):
    spec = harbour_spec({"ship_article": PAGES["ship_article"], "fleet": FLEET})
    write_pages(spec, harbour_tables(), tmp_path, LocalEngine(1), Progress())
    mentions = read_parquet(tmp_path / "mentions.parquet")
    assert "total" not in mentions["stance"].to_pylist()
