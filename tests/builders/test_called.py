"""Names that several bear and names beside names: from the tables through pages and tasks to scores, and the audit."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from generators.names import initials, person, short
from worldforge.builders.audit.check_tables import check_called
from worldforge.builders.audit.finding import Finding
from worldforge.builders.audit.run_audit import audit_world
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.entry_points.build_world import build
from worldforge.environments.answer_rows import answer_table
from worldforge.environments.coverage import readers_of_facts
from worldforge.rollouts.factories import TaskMentions
from worldforge.rollouts.scores import score_row
from worldforge.schema.spec import Name
from worldforge.schema.spec_loader import load_spec
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.world.database import connect
from worldforge.world.entity_names import Titles, tell_apart
from worldforge.world.stable_ids import rows_of
from worldforge.world.world import open_world

NAMES = "namesakes: 0.2, aliases: {share: 0.5, used: 0.5}"
SPEC = f"""
name: called
seed: 7
types:
  region:
    count: 6
    name: {{generator: names.region}}
  town:
    count: 40
    name: {{generator: names.town, {NAMES}}}
    attributes:
      region: {{references: region}}
      population: {{generator: values.integer, params: {{low: 900, high: 900000, distribution: log_uniform}}}}
  club:
    count: 120
    name: {{generator: names.club, params: {{town: = town.name}}, {NAMES}}}
    attributes:
      town: {{references: town}}
      founded: {{generator: values.year, params: {{low: 1880, high: 2010}}}}
      members: {{generator: values.integer, params: {{low: 40, high: 9000}}}}
relations:
  twins:
    source: town
    target: town
    per_source: {{low: 0, high: 2}}
pages:
  town_article: {{generator: pages.encyclopedia, about: town}}
  club_article: {{generator: pages.encyclopedia, about: club, share: 0.8}}
  club_site: {{generator: pages.official, about: club, share: 0.4}}
  club_news: {{generator: pages.news, about: club, share: 0.4}}
  clubs_by_region: {{generator: pages.directory, about: club, by: town.region, states: [founded, town]}}
  town_names: {{generator: pages.disambiguation, about: town}}
tasks:
  list: {{family: list, about: all, count: 24}}
"""


def written(folder, text=SPEC):
    path = folder / "world.yaml"
    path.write_text(text, encoding="utf-8")
    return load_spec(path)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("called")
    build(written(folder), folder / "world")
    return open_world(folder / "world")


def as_rows(world, *names):
    return [getattr(world, name).to_pylist() for name in names]


def test_the_world_is_whole_and_asks_what_it_should(world):
    assert [finding for finding in audit_world(world) if finding.n_failed] == []
    assert len(world.tasks) == 24


def test_names_and_aliases_are_shared_as_far_as_asked(world):
    for kind in ("town", "club"):
        table = world.entities(kind)
        shared = sum(n for n in Counter(table["name"].to_pylist()).values() if n > 1)
        known = [aliases for aliases in table["aliases"].to_pylist() if aliases]
        assert 0.08 < shared / len(table) < 0.36 and 0.35 < len(known) / len(table) < 0.65
        flat = [alias.lower() for aliases in known for alias in aliases]
        assert len(set(flat)) == len(flat) and not set(flat) & {name.lower() for name in table["name"].to_pylist()}
    assert world.entities("region")["aliases"].to_pylist() == [[]] * 6


def test_names_in_common_move_nothing_else(tmp_path):
    both = [populate(written(tmp_path, text), Progress()) for text in (SPEC, SPEC.replace(f", {NAMES}", ""))]
    town, plain = (tables["town"] for tables in both)
    assert town.drop_columns(["name", "aliases"]) == plain.drop_columns(["name", "aliases"])
    same = pc.equal(town["name"], plain["name"]).to_pylist()
    assert 0.8 < np.mean(same) < 1
    assert both[0]["club"].select(["town", "founded", "members"]) == both[1]["club"].select(
        ["town", "founded", "members"]
    )


def test_pages_call_by_aliases_and_say_so(world):
    pages, mentions = as_rows(world, "pages", "mentions")
    kind_of = {page["id"]: page["kind"] for page in pages}
    by_alias = [mention for mention in mentions if mention["stance"] == "alias"]
    assert {kind_of[mention["page"]] for mention in by_alias} >= {
        "town_article", "club_article", "club_news", "clubs_by_region",
    }  # fmt: skip
    assert {mention["fact"].partition("#")[2] for mention in by_alias} == {"name", "town", "target", "source"}
    said = {(mention["fact"], mention["value"]) for mention in by_alias if "article" in kind_of[mention["page"]]}
    clubs = world.entities("club")
    told = {fact for fact, _ in said if fact.startswith("club/") and fact.endswith("#name")}
    articles = {mention["fact"] for mention in mentions if kind_of[mention["page"]] == "club_article"}
    for entity, aliases in zip(clubs["id"].to_pylist(), clubs["aliases"].to_pylist(), strict=True):
        introduced = bool(aliases) and f"{entity}#founded" in articles
        assert (f"{entity}#name" in told) == introduced
        assert not introduced or {(f"{entity}#name", alias) for alias in aliases} <= said
    used = {mention["fact"] for mention in by_alias if mention["fact"].endswith("#name")}
    assert used <= told | {fact for fact in used if fact.startswith("town/")}  # nobody is called what nothing explains


def test_about_as_many_places_as_asked_use_an_alias(world):
    aliased = world.entities("town").filter(pc.greater(pc.list_value_length(world.entities("town")["aliases"]), 0))
    (pages, mentions), ids = as_rows(world, "pages", "mentions"), set(aliased["id"].to_pylist())
    lists = {page["id"] for page in pages if page["kind"] == "clubs_by_region"}
    town_of = dict(zip(*(world.entities("club")[name].to_pylist() for name in ("id", "town")), strict=True))
    stances = [
        mention["stance"]
        for mention in mentions
        if mention["page"] in lists and mention["fact"].endswith("#town")
        if town_of[mention["fact"].partition("#")[0]] in ids
    ]
    assert 0.3 < stances.count("alias") / len(stances) < 0.7


def test_links_stand_on_what_the_text_says(world):
    texts = {page["id"]: page["text"] for page in world.pages.to_pylist()}
    urls = {page["id"]: page["url"] for page in world.pages.to_pylist()}
    for link in world.links.to_pylist():
        assert f"[{link['anchor']}]({urls[link['target']]})" in texts[link["source"]]


def test_a_page_leads_to_all_that_share_a_name(world):
    pages = {page["title"]: page["text"] for page in world.pages.to_pylist() if page["kind"] == "town_names"}
    counts = Counter(world.entities("town")["name"].to_pylist())
    assert pages.keys() == {f"{name} (disambiguation)" for name, n in counts.items() if n > 1}
    for title, text in pages.items():
        name = title.removesuffix(" (disambiguation)")
        assert text.count(f"- [{name} (") == counts[name] and text.count("region: ") == counts[name]


def test_articles_of_one_name_have_titles_and_addresses_of_their_own(world):
    pages = [page for page in world.pages.to_pylist() if page["kind"] == "town_article"]
    towns, regions = (world.entities(kind).to_pylist() for kind in ("town", "region"))
    counts = Counter(town["name"] for town in towns)
    assert len({page["title"] for page in pages}) == len({page["url"] for page in pages}) == len(pages) == len(towns)
    listed = {link["target"]: link["anchor"] for link in world.links.to_pylist() if "(" in link["anchor"]}
    told = 0
    for page, town in zip(pages, towns, strict=True):
        region = regions[int(town["region"].partition("/")[2])]["name"]
        alike = [other["region"] for other in towns if other["name"] == town["name"]]
        apart = len(set(alike)) == len(alike)
        told += len(alike) > 1 and apart
        assert (page["title"] == town["name"]) == (counts[town["name"]] == 1)
        assert page["text"].startswith(f"# {page['title']}\n") and "~" not in page["url"]
        assert len(alike) == 1 or page["title"] == f"{town['name']} ({region})" or not apart
        assert len(alike) == 1 or listed[page["id"]] == page["title"]
    assert told > 2


def test_a_title_in_an_answer_is_right_where_it_is_the_right_ones(world):
    towns = world.entities("town").to_pylist()
    shared = {name for name, n in Counter(town["name"] for town in towns).items() if n > 1}
    told = 0
    for task in world.tasks:
        rows, wrong = [list(row) for row in task.gold], [list(row) for row in task.gold]
        for place, (cells, facts) in enumerate(zip(task.gold, task.facts, strict=True)):
            for column, (cell, fact) in enumerate(zip(cells, facts, strict=True)):
                titles = world.titles.of(fact)
                assert all(title.startswith(cell) for title in titles) and (titles or cell not in shared)
                if titles and cell in shared:
                    rows[place][column], wrong[place][column] = titles[0], f"{cell} (Nowhere)"
        told += rows != wrong
        gold = gold_with_aliases(world, task)
        assert score_row(gold, answer_table(task.labels, rows))["success"], task.id
        assert score_row(gold, answer_table(task.labels, wrong))["success"] == (rows == wrong), task.id
    assert told > 3


def test_what_tells_namesakes_apart(tmp_path):
    spec = written(tmp_path)
    names = ["A", "A", "B", "B", "C", "D", "D", "D"]
    towns = [f"town/000{row}" for row in (0, 1, 1, 1, 0, 0, 1, 1)]
    table = pa.table({"name": names, "town": towns, "founded": [1900, 1900, 1901, 1902, 1900, 1903, 1903, 1904]})
    table = table.append_column("members", pa.array([7] * 8))
    tables = {"town": pa.table({"name": ["Ost", "Kel"]}), "club": table}
    found = tell_apart(spec, tables, "club").to_pylist()
    assert found == ["Ost", "Kel", "1901", "1902", None, "1", "2", "3"]


def test_pages_for_shared_names_need_shared_names(tmp_path):
    text = SPEC.replace("pages.disambiguation, about: town", "pages.disambiguation, about: region")
    with pytest.raises(InputError, match="no two of `region` do"):
        build(written(tmp_path, text), tmp_path / "world")


def test_no_question_is_open_to_two_readings(world):
    for task in world.tasks:
        places = [place for place, column in enumerate(task.columns) if column.is_key]
        keys = [tuple(row[place].casefold() for place in places) for row in task.gold]
        assert len(set(keys)) == len(keys)
        for condition in task.conditions:
            if condition.value.startswith(("town/", "region/")):
                names = world.entities(condition.value.partition("/")[0])["name"].to_pylist()
                assert names.count(condition.written) == 1
    assert any("ambiguous" in row["reason"] for row in world._table("set_aside.parquet").to_pylist())


def test_an_alias_is_right_wherever_an_answer_is_scored(world):
    known, told = world.other_names, 0
    for task in world.tasks:
        gold = gold_with_aliases(world, task)
        rows = [[known.get(cell, [cell])[-1] for cell in row] for row in task.gold]
        told += rows != [list(row) for row in task.gold]
        scores = score_row(gold, answer_table(task.labels, rows))
        assert scores["item_f1"] == 1.0 and scores["success"], task.id
        keys = [[own[0], *row[1:]] for own, row in zip(rows, task.gold, strict=True)]
        scores = score_row(gold, answer_table(task.labels, keys))  # the benchmark asks its judge about keys alone
        assert scores["compat_item_f1"] == 1.0 and scores["compat_success"], task.id
    assert told > 3


def test_names_made_of_shared_names_are_refused(tmp_path):
    changes = {
        "names.club, params: {town: = town.name}": 'names.composed, params: {text: "= town.name"}',
        "count: 120": "count: 3",
        "count: 40": "count: 3",
        "references: town}": "references: town, capacity: 1}",
        "namesakes: 0.2": "namesakes: 1.0",
    }
    text = SPEC
    for before, after in changes.items():
        text = text.replace(before, after)
    with pytest.raises(InputError) as raised:
        populate(written(tmp_path, text), Progress())
    assert "`town`, out of whose names these are made, has namesakes" in str(raised.value)


def test_short_names_tell_apart():
    rows = np.arange(6)
    of = pa.array(["Velmar Rovers", "Velmar Town", "Torvik Rovers", "The Silent Harbour", "安溪市", None])
    found = short(Stream(1), rows, of=of).to_pylist()
    assert found[1:] == ["Town", "Torvik", "Silent Harbour", "安溪", None] and found[0] is None
    people = person(Stream(2), np.arange(200))
    for name, other in zip(people.to_pylist(), short(Stream(3), np.arange(200), of=people).to_pylist(), strict=True):
        assert other is None or other == f"{name[0]}. {name.partition(' ')[2]}"
    assert initials(Stream(1), rows, of=of).to_pylist() == ["VR", "VT", "TR", "TSH", None, None]


@pytest.mark.parametrize(
    ("asked", "names", "aliases", "said"),
    [
        ({}, ["A", "A"], [[], []], "not unique"),
        ({"namesakes": 0.1}, ["A", "A"] * 40, [[]] * 80, "shared by 80 of 80"),
        ({"namesakes": 0.5}, [f"{n}" for n in range(80)], [[]] * 80, "shared by 0 of 80"),
        ({"aliases": {}}, ["A", "B"], [["b"], []], "is a name"),
        ({"aliases": {}}, ["A", "B"], [["C"], ["c"]], "there before"),
        ({}, ["A", "B"], [["C"], []], "aliases are borne by 1 of 2"),
    ],
)
def test_the_audit_sees_names_that_should_not_be(asked, names, aliases, said):
    finding = Finding("keys")
    table = pa.table({"name": names, "aliases": pa.array(aliases, pa.list_(pa.string()))})
    name = Name.model_validate({"generator": "names.club", **asked})
    check_called(finding, connect({"club": table}), "club", name)
    assert any(said in failure for failure in finding.failures)


def test_what_is_written_by_an_alias_counts_as_seen(world):
    fact_of = {fact: task for task in world.tasks for row in task.facts for fact in row}
    found = [m for m in world.mentions.to_pylist() if m["stance"] == "alias" and m["fact"] in fact_of]
    for mention in found[:10]:
        task, (page,) = fact_of[mention["fact"]], rows_of(pa.array([mention["page"]])).tolist()
        shown = readers_of_facts(TaskMentions(world, [task]))(task)
        part = {"page": page, "start": mention["start"], "end": mention["end"]}
        seen = shown("web_extractor", f"| {mention['value']} |", {"disclosed": [part], "altered": []})
        facts = [fact for row in task.facts for fact in row]
        assert mention["fact"] in {facts[cell] for cell in seen}
    assert found


def test_titles_are_found_of_what_rows_of_relations_refer_to():
    spec = load_spec("quickstart", ["types.player.name.namesakes=0.5", "types.player.count=12"])
    tables = populate(spec, Progress())
    titles = Titles(spec, tables)
    players = tables["plays_for"]["source"].to_pylist()
    found = [titles.of(f"plays_for/{row:04d}#source") for row in range(len(players))]
    assert any(found) and found == [titles.of(f"{player}#name") for player in players]
    assert titles.of("plays_for/0000#goals") == ()
