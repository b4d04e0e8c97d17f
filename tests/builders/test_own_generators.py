"""A spec's own generators: the example of the docs, their site and authority, and such as do not repeat themselves."""

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from harbours import harbour_spec, harbour_tables

from worldforge.builders.audit.run_audit import audit_world
from worldforge.builders.pages.alias_choice import call_by_aliases
from worldforge.builders.pages.outline import outline_pages
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.builders.pages.rendered_values import write_tables
from worldforge.builders.populate.populate_stage import populate
from worldforge.builders.tasks.question_languages import settling_sentence
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.entry_points.build_world import build
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.web_section import authority_of
from worldforge.world.world import open_world

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "how-to" / "own-page-kind.md").read_text(encoding="utf-8")


def fenced(language):
    return re.search(rf'```{language} title="[^"]*"\n(.*?)```', GUIDE, re.DOTALL)[1]


@pytest.fixture(scope="module")
def documented(tmp_path_factory):
    """A small quickstart with the pages of the docs' example and few tasks, built and audited."""
    folder = tmp_path_factory.mktemp("documented")
    (folder / "my_pages.py").write_text(fenced("python"), encoding="utf-8")
    (folder / "world.yaml").write_text(fenced("yaml"), encoding="utf-8")
    with pytest.raises(InputError, match="runs only where you allow it"):
        build(folder / "world.yaml", folder / "refused")
    spec = load_spec(folder / "world.yaml", ["scale=0.3", "tasks.list.count=4"], code_from=folder)
    return open_world(build(spec, folder / "world", code_from=folder).folder)


def test_the_example_of_the_docs_builds_and_states_facts(documented):
    pages = [page for page in documented.pages.to_pylist() if page["kind"] == "club_show"]
    assert len(pages) > 10 and all("Ann Velm" in page["text"] for page in pages)
    assert all(page["url"].startswith("https://www.sarn-waves.example/shows/") for page in pages)
    ids = {page["id"] for page in pages}
    mentions = pq.read_table(documented.path / "mentions.parquet").to_pylist()
    stated = {row["fact"].split("#")[1] for row in mentions if row["page"] in ids and row["fact"].startswith("club/")}
    assert stated == {"name", "town", "founded", "titles"}


def test_own_pages_count_less_than_the_encyclopedia_unless_the_site_says_more(documented):
    spec = documented.spec
    article = next(key for key, kind in spec.pages.items() if kind.generator == "pages.encyclopedia")
    assert authority_of(spec, "club_show") < authority_of(spec, article)
    given = spec.sites | {"waves": spec.sites["waves"].model_copy(update={"character": "official"})}
    assert authority_of(spec.model_copy(update={"sites": given}), "club_show") == 6


def test_the_authority_of_shipped_kinds_is_as_before():
    for topic in ("academia", "finance_zh", "food", "quickstart"):
        spec = load_spec(topic)
        lists = [key for key, kind in spec.pages.items() if kind.generator == "pages.directory" and kind.site is None]
        assert all(authority_of(spec, key) == 5 for key in lists)


def urls_of(pages, **changes):
    spec, tables = harbour_spec(pages, **changes), harbour_tables()
    return outline_pages(spec, *call_by_aliases(spec, tables, write_tables(spec, tables))).urls.to_pylist()


def test_official_pages_stand_on_the_site_that_they_are_given():
    kind = {"generator": "pages.official", "about": "harbour"}
    sites = {"board": {"title": "Board of Harbours", "host": "harbours.example"}}
    own = urls_of({"harbour_site": kind}, sites=sites)
    assert all(re.fullmatch(r"https://www\.[^/]*\.example/(~\w+)?", url) for url in own)
    together = urls_of({"harbour_site": kind | {"site": "board"}}, sites=sites)
    assert all(re.match(r"https://harbours\.example/harbour-site/[a-z0-9~-]+", url) for url in together)
    assert len(set(together)) == len(own)


def test_rules_by_authority_name_the_site_of_official_pages():

    spec = harbour_spec(
        {"harbour_site": {"generator": "pages.official", "about": "harbour", "site": "board"}},
        sites={"board": {"title": "Board of Harbours", "host": "harbours.example"}},
        web={"settled_by": "authority"},
    )
    assert "Board of Harbours (harbours.example)" in settling_sentence(spec, None)


UNSTEADY = """
import random

import pyarrow as pa

from worldforge.core.columns import Integers
from worldforge.world.page_inputs import Subject
from worldforge.world.page_writer import Page

CALLS = []


def _card(page, subject, title=None, text=""):
    page.heading(title or "{name}", name=subject.name)
    page.write(subject.name, ": ", *[value or "?" for value in subject.values], text)


def steady(page: Page, subject: Subject):
    _card(page, subject, text=f" {page.draws.integer(0, 9)}")


def text(page: Page, subject: Subject):
    _card(page, subject, text=f" No. {random.random()}")


def title(page: Page, subject: Subject):
    _card(page, subject, title=f"Page {random.random()}")


def facts(page: Page, subject: Subject):
    CALLS.append(1)
    page.heading(subject.name.text)
    page.write(subject.name if len(CALLS) % 3 else subject.name.text)


def broken(page: Page, subject: Subject):
    raise KeyError("colour")


def dice(stream, rows) -> Integers:
    return pa.array([random.randrange(10**9) for _ in rows], pa.int64())


def counted(stream, rows) -> Integers:
    CALLS.append(1)
    return pa.array([len(CALLS)] * len(rows), pa.int64())


def fair(stream, rows) -> Integers:
    return pa.array(stream.integers(rows, 1, 6))
"""


UNSTEADY_PARTS = """
import random
from typing import Annotated

from generators.pages.continued import continued
from generators.pages.encyclopedia import encyclopedia
from worldforge.world.page_inputs import Continuation, Layout, Subject
from worldforge.world.page_writer import Page


def article(page: Page, subject: Subject) -> Annotated[None, Layout(continued="unsteady_parts:more")]:
    encyclopedia(page, subject)


def more(page: Page, part: Continuation) -> None:
    continued(page, part)
    page.write(f"{random.random()}")
"""


@pytest.fixture
def beside(tmp_path):
    (tmp_path / "unsteady_code.py").write_text(UNSTEADY)
    return tmp_path


def write_own(function, folder):
    spec = harbour_spec({"cards": {"generator": f"unsteady_code:{function}", "about": "harbour"}})
    write_pages(spec, harbour_tables(), folder / "world", LocalEngine(1), Progress(), folder)


def test_a_page_generator_that_draws_from_its_page_is_taken(beside):
    write_own("steady", beside)
    assert pq.read_metadata(beside / "world" / "pages.parquet").num_rows == 40


@pytest.mark.parametrize(
    ("function", "what"),
    [
        ("text", "the text of page 0 has `.* No. 0.*`, then `"),
        ("title", "the title of page 0 has `Page 0"),
        ("facts", "state other facts"),
    ],
)
def test_a_page_generator_that_does_not_repeat_itself_is_refused(beside, function, what):
    message = f"pages.cards: `unsteady_code:{function}` wrote other pages when it was asked again: .*{what}"
    with pytest.raises(InputError, match=message) as refused:
        write_own(function, beside)
    assert "page.draws" in refused.value.hint


def test_a_generator_of_later_parts_that_does_not_repeat_itself_is_refused(beside):
    (beside / "unsteady_parts.py").write_text(UNSTEADY_PARTS)
    kind = {"generator": "unsteady_parts:article", "about": "harbour", "part_rows": 2}
    spec = harbour_spec({"cards": kind})
    with pytest.raises(InputError, match=r"pages\.cards: `unsteady_parts:more` wrote other pages"):
        write_pages(spec, harbour_tables(), beside / "world", LocalEngine(1), Progress(), beside)


def test_a_page_generator_that_fails_is_named(beside):
    with pytest.raises(InputError, match=r"pages\.cards: `unsteady_code:broken` failed: KeyError: 'colour'"):
        write_own("broken", beside)


def populated(function, folder, count=30):
    kind = {"count": count, "name": {"generator": "names.town"}}
    kind["attributes"] = {"score": {"generator": f"unsteady_code:{function}"}}
    spec = WorldSpec.model_validate({"name": "scores", "types": {"game": kind}})
    return populate(spec, Progress(), folder)["game"]["score"].to_pylist()


@pytest.mark.parametrize("count", [30, 1500])
@pytest.mark.parametrize("function", ["dice", "counted"])
def test_a_generator_of_values_that_does_not_repeat_itself_is_refused(beside, function, count):
    with pytest.raises(InputError, match=f"game.score: `unsteady_code:{function}` gave other values when it was asked"):
        populated(function, beside, count)


@pytest.mark.parametrize("count", [30, 1500])
def test_a_generator_of_values_that_repeats_itself_is_taken(beside, count):
    assert set(populated("fair", beside, count)) == {1, 2, 3, 4, 5, 6}


OWN_YEARS = """
import numpy as np
import pyarrow as pa

from worldforge.core.columns import Years


def opened(stream, rows) -> Years:
    return pa.array(stream.integers(rows, 1950, 2030), pa.int32())
"""
OWN_WORLD = """
name: piers
seed: 4
types:
  pier:
    count: 40
    name: {generator: names.place, params: {culture: sarnese}}
    attributes:
      opened: {generator: "my_years:opened", label: year of opening}
pages:
  pier_article: {generator: pages.encyclopedia, about: pier}
tasks:
  list: {family: list, about: [pier], count: 3}
"""


def test_a_world_with_values_of_its_own_is_built_and_audited_without_its_code(tmp_path):
    (tmp_path / "my_years.py").write_text(OWN_YEARS, encoding="utf-8")
    (tmp_path / "world.yaml").write_text(OWN_WORLD, encoding="utf-8")
    build(tmp_path / "world.yaml", tmp_path / "world", code_from=tmp_path)
    (tmp_path / "my_years.py").unlink()
    findings = {one.check: one for one in audit_world(open_world(tmp_path / "world"))}
    assert all(not one.n_failed for one in findings.values())
    assert findings["dates"].n_checked > 20
