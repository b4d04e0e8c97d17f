"""Pages that are out of date or mistaken: what they say, when, and that the world's rule settles it."""

import datetime
import functools
import re
from collections import defaultdict
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from harbours import harbour_spec, harbour_tables

from worldforge.builders.audit.audit_tasks import check_conflicts
from worldforge.builders.audit.check_mentions import check_facts, check_spans
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import authority_of
from worldforge.world.conflict_resolution import find_conflicts
from worldforge.world.stable_ids import split_fact
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.task import TaskMeasures
from worldforge.world.value_text import MONTHS, read_value

RULES = ("date", "authority", "majority")
AS_OF = datetime.date(2031, 6, 30)
VARYING = {"home": 0.1, "length": 0.06, "crew": 0.2, "rig": 0.1}
DATE = re.compile(rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}")


def disagreeing_spec(rule, **sites):
    """The harbours, whose articles are out of date here and there, and whose gazette errs."""
    spec = harbour_spec().model_dump()
    spec["sites"] |= {"gazette": {"mistaken": 0.3}, "wiki": {"outdated": 0.5, "mistaken": 0.1}} | sites
    spec["web"] = {"settled_by": rule}
    for key in ("harbour_article", "ship_article"):
        spec["pages"][key]["site"] = "wiki"
    for name, share in VARYING.items():
        spec["types"]["ship"]["attributes"][name]["varies"] = share
    spec["types"]["harbour"]["attributes"]["depth"]["varies"] = 0.1
    spec["relations"]["calls_at"]["columns"]["cargo"]["varies"] = 0.1
    return WorldSpec.model_validate(spec)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write the harbours under a rule, once for all tests."""

    @functools.cache
    def write(rule):
        folder = tmp_path_factory.mktemp(rule)
        spec = disagreeing_spec(rule)
        write_pages(spec, harbour_tables(), folder, LocalEngine(1), Progress())
        pages, mentions = (pq.read_table(folder / f"{name}.parquet") for name in ("pages", "mentions"))
        page = {row["id"]: row for row in pages.to_pylist()}
        links = pq.read_table(folder / "links.parquet")
        return SimpleNamespace(
            spec=spec, folder=folder, pages=pages, mentions=mentions, links=links, page=page, rows=mentions.to_pylist()
        )

    return write


@pytest.mark.parametrize("rule", RULES)
def test_pages_disagree_and_the_rule_settles_nearly_all(written, rule):
    world = written(rule)
    authority = {key: authority_of(world.spec, key) for key in world.spec.pages}
    found = find_conflicts(world.mentions, world.pages, authority, rule)
    stances = {row["stance"] for row in world.rows}
    assert stances == {"current", "outdated", "mistaken"} and len(found.contested) > 100
    assert len(found.unsettled) <= 0.02 * len(found.contested)
    assert found.contested == {row["fact"] for row in world.rows if row["stance"] != "current"}
    said = defaultdict(lambda: defaultdict(set))
    for row in world.rows:
        said[row["fact"]][row["page"]].add((row["stance"] in TRUE_STANCES, row["value"]))
    doubtful = {fact for fact in found.contested if not settled_by_hand(world, said[fact], rule, authority)}
    assert found.unsettled == doubtful


def settled_by_hand(world, said, rule, authority):
    if rule == "majority":
        pages = defaultdict(int)
        for values in said.values():
            for value in values:
                pages[value] += 1
        true = sum(n for (is_true, _), n in pages.items() if is_true)
        return true > max(n for (is_true, _), n in pages.items() if not is_true)
    weight = {p: authority[world.page[p]["kind"]] if rule == "authority" else 0 for p in said}
    last = max((weight[p], world.page[p]["published"]) for p in said)
    heard = [p for p in said if (weight[p], world.page[p]["published"]) == last]
    return all(is_true for p in heard for is_true, _ in said[p])


@pytest.mark.parametrize("rule", RULES)
def test_the_audit_finds_every_span_link_and_stance_in_order(written, rule):
    world = written(rule)
    tables = harbour_tables()
    assert check_spans(world.pages, world.mentions).n_failed == 0
    assert check_facts(world.spec, tables, world.pages, world.mentions).failures == ()
    assert check_links(world.pages, world.links).n_failed == 0
    conflicts = check_conflicts(world.spec, harbour_tables(), world.pages, world.mentions, [])
    assert conflicts.n_failed == 0
    assert conflicts.n_checked == len({row["fact"] for row in world.rows if row["stance"] != "current"})


def test_the_audit_sees_a_stance_that_is_wrong(written):
    world = written("date")
    stances = world.mentions["stance"].to_pylist()
    for old, new in (("current", "mistaken"), ("outdated", "current")):
        changed = list(stances)
        changed[stances.index(old)] = new
        mentions = world.mentions.set_column(4, "stance", pa.array(changed))
        assert check_facts(world.spec, harbour_tables(), world.pages, mentions).n_failed == 1


def test_the_audit_sees_a_task_that_nothing_settles(written):
    world = written("date")
    fact, page = next((row["fact"], row["page"]) for row in world.rows if row["stance"] == "outdated")
    task = SimpleNamespace(id="task/list-0000", needed_facts=[fact], measures=TaskMeasures(n_conflicts=1))
    assert check_conflicts(world.spec, harbour_tables(), world.pages, world.mentions, [task]).n_failed == 0
    task.measures = TaskMeasures(n_conflicts=0)
    assert "it says 0" in check_conflicts(world.spec, harbour_tables(), world.pages, world.mentions, [task]).failures[0]
    days = [
        AS_OF if id_ == page else day
        for id_, day in zip(*(world.pages[c].to_pylist() for c in ("id", "published")), strict=True)
    ]
    late = world.pages.set_column(
        6,
        "published",
        pa.array([d + datetime.timedelta(i == page) for d, i in zip(days, world.pages["id"].to_pylist(), strict=True)]),
    )
    task.measures = TaskMeasures(n_conflicts=1)
    assert (
        f"pages disagree on {fact}"
        in check_conflicts(world.spec, harbour_tables(), late, world.mentions, [task]).failures[0]
    )


@pytest.mark.parametrize("rule", RULES)
def test_a_page_says_one_thing_of_a_fact_and_never_errs_on_whom_it_is_about(written, rule):
    said = defaultdict(set)
    for row in written(rule).rows:
        said[row["page"], row["fact"]].add(row["value"])
        assert row["stance"] == "current" or split_fact(row["fact"])[2] != "name"
    assert all(len(values) == 1 for values in said.values())


def test_pages_out_of_date_show_their_age_and_know_nothing_of_what_came_later(written):
    world = written("date")
    old = {row["page"] for row in world.rows if row["stance"] == "outdated"}
    assert {world.page[page]["kind"] for page in old} <= {"ship_article", "harbour_article"}
    for page in (world.page[id_] for id_ in old):
        back = (AS_OF - page["published"]).days
        assert 365 <= back <= 12 * 366
        shown = f"{page['published'].day} {MONTHS[page['published'].month - 1]} {page['published'].year}"
        assert DATE.findall(page["text"])[-1] == shown
    kinds = {"launched": "date", "built": "year", "from": "year"}
    for row in world.rows:
        column = split_fact(row["fact"])[2]
        if row["page"] in old and column in kinds and row["stance"] == "current":
            value = read_value(row["value"], kinds[column])
            published = world.page[row["page"]]["published"]
            assert value <= (published.year if isinstance(value, int) else published)


def test_what_was_so_before_is_one_history_of_a_cell(written):
    """An older page gives no later figure, and texts and references change once."""
    world = written("authority")
    said = defaultdict(dict)
    for row in world.rows:
        if row["stance"] == "outdated":
            table, number, column = split_fact(row["fact"])
            said[table, column, number][world.page[row["page"]]["published"]] = row["value"]
    several = {key: values for key, values in said.items() if len(values) > 1}
    assert len(several) > 5
    for (_, column, _), values in several.items():
        in_time = [values[day] for day in sorted(values)]
        if column in ("cargo", "length", "depth"):
            figures = [read_value(value, "number") for value in in_time]
            assert figures == sorted(figures)
        else:
            assert len(set(in_time)) == 1


def test_a_wrong_reference_leads_to_what_it_names(written):
    world = written("authority")
    titles = {page["url"]: page["title"].removesuffix(" – official site") for page in world.page.values()}
    wrong = [row for row in world.rows if row["fact"].endswith("#home") and row["stance"] != "current"]
    linked = 0
    for row in wrong:
        after = world.page[row["page"]]["text"][row["end"] :]
        link = re.match(r"\]\(([^)]+)\)", after)
        linked += bool(link)
        assert link is None or titles[link[1]] == row["value"]
    assert linked > 10


@pytest.mark.parametrize("rule", ["date", "authority"])
def test_an_end_of_a_relation_is_wrong_on_one_page_and_right_where_the_rule_leads(written, rule):
    """Harbours list the ships that call there, on two sites: what one says wrong is another ship, linked as such."""
    world = written(rule)
    wrong = [row for row in world.rows if row["fact"].endswith("#source") and row["stance"] == "mistaken"]
    right = {row["fact"]: row["value"] for row in world.rows if row["stance"] == "current"}
    ships = {row["value"] for row in world.rows if row["fact"].startswith("ship/") and row["fact"].endswith("#name")}
    assert wrong and all(row["value"] in ships and row["value"] != right[row["fact"]] for row in wrong)
    assert {world.page[row["page"]]["kind"] for row in wrong} == {"harbour_article"}
    assert all(row["stance"] == "current" for row in world.rows if row["fact"].endswith("#target"))  # said once only


def test_figures_keep_their_form(written):
    spec = written("authority").spec
    tables = harbour_tables()
    depths = [row for row in written("authority").rows if row["fact"].endswith("#depth") and row["stance"] != "current"]
    assert depths and all(len(row["value"].partition(".")[2]) <= 1 for row in depths)
    for row in depths:
        true = tables["harbour"]["depth"][split_fact(row["fact"])[1]].as_py()
        value = read_value(row["value"], "number")
        assert 0 <= value <= 130 and (value < true if row["stance"] == "outdated" else value != true)
    assert spec.types["harbour"].attributes["depth"].varies == 0.1


def test_what_is_not_so_is_written_in_the_site_s_form(tmp_path):
    style = {"units": "imperial", "numbers": "point", "dates": "iso"}
    spec = disagreeing_spec("majority", wiki={"outdated": 0.5, "mistaken": 0.3, "style": style})
    write_pages(spec, harbour_tables(), tmp_path, LocalEngine(1), Progress())
    pages, mentions = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("pages", "mentions"))
    assert check_facts(spec, harbour_tables(), pages, mentions).failures == ()
    page = {row["id"]: row for row in pages.to_pylist()}
    untrue = [row for row in mentions.to_pylist() if row["stance"] not in TRUE_STANCES]
    on_wiki = [row for row in untrue if page[row["page"]]["kind"] == "ship_article"]
    days = [row["value"] for row in on_wiki if row["fact"].endswith("#launched")]
    assert days and all(datetime.date.fromisoformat(value) for value in days)
    lengths = [row for row in on_wiki if row["fact"].endswith("#length")]
    assert lengths and all(page[row["page"]]["text"][row["end"] :].startswith(" feet") for row in lengths)


def test_sites_that_say_what_is_so_leave_pages_as_they_were(tmp_path):
    for name, web in (("without", {}), ("with", {"settled_by": "date"})):
        (tmp_path / name).mkdir()
        write_pages(harbour_spec(web=web), harbour_tables(), tmp_path / name, LocalEngine(1), Progress())
    assert pq.read_table(tmp_path / "with" / "pages.parquet").equals(
        pq.read_table(tmp_path / "without" / "pages.parquet")
    )


def test_a_kind_without_a_page_says_nothing_otherwise(tmp_path):
    spec = disagreeing_spec("date").model_dump()
    spec["pages"]["ship_nowhere"] = {"generator": "pages.official", "about": "ship", "site": "wiki", "share": 0.0}
    write_pages(WorldSpec.model_validate(spec), harbour_tables(), tmp_path, LocalEngine(1), Progress())
    kinds = set(pq.read_table(tmp_path / "pages.parquet")["kind"].to_pylist())
    assert "ship_article" in kinds and "ship_nowhere" not in kinds


@pytest.mark.parametrize("rule", RULES)
def test_copies_of_what_is_not_so_leave_the_rule_standing(rule, tmp_path):
    spec = disagreeing_spec(rule, wire={"authority": 9.0}, digest={}).model_dump()
    for site, original in (("wire", "ship_news"), ("digest", "ship_news"), ("digest", "ship_article")):
        copy = {"generator": "pages.reprint", "about": "ship", "copies": original, "site": site}
        spec["pages"][f"{site}_{original}"] = copy
    spec["pages"]["ship_again"] = {"generator": "pages.encyclopedia", "about": "ship", "site": "other"}
    spec["sites"]["other"] = {"authority": 8.0 if rule == "authority" else 3.0}
    spec = WorldSpec.model_validate(spec)
    write_pages(spec, harbour_tables(), tmp_path, LocalEngine(1), Progress())
    pages, mentions = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("pages", "mentions"))
    authority = {key: authority_of(spec, key) for key in spec.pages}
    found = find_conflicts(mentions, pages, authority, rule)
    assert len(found.contested) > 20
    assert len(found.unsettled) <= 0.02 * len(found.contested)
