"""Worlds with a phrasebook: what pages say is theirs, stays true, and stands where it is to stand."""

import re

import pytest

from worldforge.builders.audit.run_audit import audit_folder
from worldforge.core.english import number_in_words, ordinal_in_words
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.entry_points.build_world import build
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.world.value_text import added
from worldforge.world.world import open_world

SPEC = """
name: lamps
seed: 5
phrases: lamps
types:
  keeper:
    count: 40
    name: {generator: names.person, params: {culture: english}}
    attributes:
      born: {generator: values.year, params: {low: 1950, high: 2000}, label: birth year}
  tower:
    count: 60
    name: {generator: names.place, params: {culture: english, form: "{} Light"}}
    attributes:
      keeper: {references: keeper}
      lit: {generator: values.year, params: {low: 1850, high: 1990}, label: year of first light}
      height: {generator: values.integer, params: {low: 8, high: 70}, unit: m}
      horn: {generator: values.boolean, params: {share: 0.5}, label: fog horn}
      colour: {generator: values.choice, params: {options: [white, red, striped]}}
      steps: {generator: values.integer, params: {low: 0, high: 3}, label: flights of steps}
      cost: {generator: values.number, params: {low: 1, high: 90, decimals: 2}, label: building cost, unit: crowns}
      place: {generator: values.integer, params: {low: 1, high: 60}, label: place among the lights}
      sold: {generator: values.date, params: {low: 1960-01-01, high: 1969-12-31}, label: day of sale}
    derived:
      wrecks: {over: wreck.source, sql: "20 + sum(saved)", label: number of souls saved}
relations:
  wreck:
    source: tower
    target: keeper
    per_source: {low: 0, high: 3}
    columns:
      year: {generator: values.year, params: {low: 1991, high: 2030}}
      saved: {generator: values.integer, params: {low: 0, high: 9}}
      boats: {generator: values.integer, params: {low: 1, high: 3}, label: number of boats}
pages:
  article: {generator: pages.encyclopedia, about: tower}
  keepers: {generator: pages.encyclopedia, about: keeper}
  talk: {generator: pages.interview, about: tower, share: 0.5}
  card: {generator: pages.document, about: tower, share: 0.5, params: {form: card}}
  list: {generator: pages.directory, about: tower}
  figures: {generator: pages.statistics, about: tower, params: {merge: colour}}
  guide: {generator: pages.guide, about: tower, page_size: 20}
tasks:
  list: {family: list, about: [tower], count: 6, rows: {low: 2, high: 12}, columns: {low: 1, high: 2}}
"""
BOOK = """
language: en
voices: ["a [mate|cook] on the tender"]
types:
  keeper:
    nouns: [keeper]
    pronoun: person
    leads: ["{name} keeps lamps."]
    attributes:
      born: {labels: [born], says: ["was born in {value}"], asides: ["born in {value}"], asks: ["When was {it} born?"]}
  tower:
    nouns: [tower, lighthouse]
    before_name: the
    leads: ["{name} is a lighthouse."]
    fillers: ["Gulls circle {its} gallery.", "{it} smells of [oil|tar]."]
    quotes: ["You get used to the dark"]
    chatter: ["Never been there."]
    themes: [{facts: [lit, height], titles: ["The tower"], openings: ["It is a matter of stone."]}]
    attributes:
      keeper: {labels: [kept by], says: ["is kept by {value}"], sentences: ["{value} looks after {its} lamp."]}
      lit: {labels: [first lit], says: ["has shone since {value}"], talk: ["Lit in {value}, they say."],
        asks: ["When was {it} lit?"]}
      height: {labels: [height in metres], sentences: ["{it} is {value} high."],
        more: ["overtops {other} by {n}"], less: ["stays below {other} by {n}"]}
      horn:
        values: {"yes": ["with a horn"], "no": ["without a horn"]}
        sentences: ["In fog {it} does {worded}."]
      colour: {labels: [daymark], says: ["is painted {value}"]}
      steps: {labels: [flights], sentences: ["{it} has {value} {value?flight|flights} of steps."]}
      cost: {says: ["cost {value}"]}
      place: {says: ["comes {value:ordinal} among the lights"]}
      sold: {says: ["was sold on {value}"]}
      wrecks: {says: ["has saved {value} souls"]}
    stories:
      - {let: {age: 2031 - lit}, say: ["{it}, lit in {lit}, has stood for {age:words} years; its mark is {colour}."]}
      - "Which is which? {it} is told from {its} neighbours by {colour} and {height}."
      - {when: height > 40, say: ["At {height} and {colour}, {it} is among the tall ones."]}
relations:
  wreck:
    columns:
      saved: {labels: [saved], sentences: ["{value} {value?soul was|souls were} saved."]}
      boats: {labels: [boats], sentences: ["A boat went out {value} {value?time|times}."]}
    source: ["In {year} {target} rowed out from {it}."]
    target: ["In {year} {it} rowed out from {source}."]
    together: ["{saved} {saved?soul was|souls were} saved, and a boat went out {boats} {boats?time|times}."]
documents:
  card:
    about: tower
    titles: ["Card of {name}"]
    parts: [{text: ["A card."]}, {facts: rest}, {rows: wreck}, {text: ["Turn over."]}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lamps")
    (folder / "phrases").mkdir()
    (folder / "world.yaml").write_text(SPEC)
    (folder / "phrases" / "lamps.en.yaml").write_text(BOOK)
    return folder


@pytest.fixture(scope="module")
def lamps(folder):
    return open_world(build(load_spec(folder / "world.yaml"), folder / "out").folder)


def pages_of(world, kind):
    return [page for page in world.pages.to_pylist() if page["kind"] == kind]


def table(world, name):
    return {row["id"]: row for row in world.entities(name).to_pylist()}


def test_the_world_is_right_and_its_tasks_can_be_solved(lamps):
    findings = audit_folder(lamps.spec, lamps.path, Progress())
    assert not any(finding.n_failed for finding in findings)
    assert len(lamps.tasks) == 6


def test_conditions_and_computed_numbers_are_true(lamps):
    text = "\n".join(page["text"] for page in pages_of(lamps, "article"))
    heights = re.findall(r"At (\d+) m and", text)
    assert heights and all(int(height) > 40 for height in heights)
    ages = re.findall(r"lit in (\d+), has stood for ([\w,-]+) years", text)
    assert ages and all(number_in_words(2031 - int(lit)) == age for lit, age in ages)


def test_what_holds_today_alone_is_told_by_pages_of_this_year(lamps):
    told = [page for page in lamps.pages.to_pylist() if "has stood for" in page["text"]]
    assert told and {page["published"].year for page in told} == {2031}


def test_running_text_writes_small_counts_as_words_and_amounts_with_cents(lamps):
    text = "\n".join(page["text"] for page in lamps.pages.to_pylist())
    assert re.search(r"\bOne soul was saved|\b(Two|Nine) souls were saved", text)
    assert not re.search(r"\b[1-9] souls? w", text)
    assert {"out once.", "out twice.", "out three times."} == set(re.findall(r"out (?:\w+ times?|once|twice)\.", text))
    words = {row["value"] for row in lamps.mentions.to_pylist() if row["fact"].endswith(("#boats", "#saved"))}
    assert {"once", "twice", "three", "Two"} <= words
    costs = re.findall(r"\bcost (\S+) crowns(?! above| below| higher| lower)", text)
    assert costs and all(re.fullmatch(r"\d+\.\d\d", cost) for cost in costs)


def test_columns_of_a_row_that_a_sentence_tells_together_are_not_told_one_by_one(lamps):
    text = "\n".join(page["text"] for page in lamps.pages.to_pylist())
    assert re.search(r"rowed out from .+?\. (One soul was|\w+ souls were) saved, and a boat went out ", text)
    assert "A boat went out" not in text
    assert not re.search(r"(was|were) saved\.", text)


def test_places_in_an_order_are_ordinals_and_read_back(lamps):
    places = {row["id"]: row["place"] for row in table(lamps, "tower").values()}
    stated = [
        one for one in lamps.mentions.to_pylist() if one["fact"].endswith("#place") and not one["value"].isdigit()
    ]
    assert {"third", "22nd"} & {one["value"] for one in stated} and len(stated) > 20
    for one in stated:
        assert (one["stance"], one["value"]) == ("restated", ordinal_in_words(places[one["fact"].partition("#")[0]]))


def test_a_number_decides_its_noun(lamps):
    texts = "\n".join(page["text"] for page in lamps.pages.to_pylist())
    assert re.search(r"\bone flight of", texts) and re.search(r"\b(0|two|three) flights of", texts)
    assert not re.search(r"\bone flights|(0|two|three) flight ", texts)


def test_worded_values_are_marked_and_read_back(lamps):
    horns = {row["id"]: row["horn"] for row in table(lamps, "tower").values()}
    stated = [one for one in lamps.mentions.to_pylist() if one["fact"].endswith("#horn")]
    worded = [one for one in stated if one["value"] not in ("yes", "no")]
    assert len(worded) > 20
    for one in worded:
        assert one["stance"] == "restated"
        assert one["value"] == ("with a horn" if horns[one["fact"].partition("#")[0]] else "without a horn")


def test_a_sentence_without_facts_stands_on_few_pages_and_once_on_each(lamps):
    pages = [page["text"] for page in lamps.pages.to_pylist()]
    sentences = ("Gulls circle", "smells of", "You get used to the dark")
    found = [[text.count(sentence) for text in pages] for sentence in sentences]
    assert sum(map(sum, found)) > 0
    for counts in found:
        assert max(counts) <= 1
        assert sum(counts) <= 0.05 * len(pages)  # 2 % of a large world, of each kind a page more


def test_a_person_is_he_or_she_on_every_page(lamps):
    said = {}
    for page in pages_of(lamps, "keepers"):
        for pronoun in re.findall(r"\b(He|She)\b", page["text"].partition("\n## ")[0]):
            assert said.setdefault(page["title"], pronoun) == pronoun


def test_the_second_reference_in_a_sentence_is_a_pronoun(lamps):
    text = "\n".join(page["text"] for page in lamps.pages.to_pylist())
    found = re.findall(r"is told from (.+?) neighbours by", text)
    assert found and set(found) == {"its"}
    assert not re.search(r"Which is which\? [a-z]", text)


def test_a_question_names_what_it_is_about(lamps):
    text = "\n".join(page["text"] for page in pages_of(lamps, "talk"))
    found = re.findall(r":\*\* (.*?)When was (.+?) lit\?", text)
    assert any(not before for before, _ in found)
    assert all(before for before, named in found if named == "it"), "unless the sentence before names it"


def test_most_columns_stand_in_prose_alone_and_what_groups_a_table_does_not(lamps):
    tables = "\n".join(line for page in lamps.pages.to_pylist() for line in page["text"].split("\n") if line[:1] == "|")
    headings = [one for one in ("First lit", "Height in metres", "Flights", "Kept by") if one in tables]
    assert len(headings) < 4
    assert "Daymark" in tables


def test_some_facts_stand_in_long_documents_alone(lamps):
    kinds = {page["id"]: page["kind"] for page in lamps.pages.to_pylist()}
    where = {}
    for one in lamps.mentions.to_pylist():
        if one["fact"].startswith("tower/") and not one["fact"].endswith("#name"):
            where.setdefault(one["fact"], set()).add(kinds[one["page"]])
    alone = [fact for fact, found in where.items() if found == {"guide"}]
    assert 0.02 < len(alone) / len(where) < 0.4


def test_some_facts_are_stated_beside_those_of_others_alone(lamps):
    rows = table(lamps, "tower") | table(lamps, "keeper")
    stances, ways = {}, set()
    for one in lamps.mentions.to_pylist():
        stances.setdefault(one["fact"], set()).add(one["stance"])
        if one["stance"] == "relative":
            own, other = ((*fact.split("#"),) for fact in (one["fact"], one["relative_to"]))
            value, beside = rows[own[0]][own[1]], rows[other[0]][other[1]]
            assert one["value"] == rows[other[0]]["name"] and own[1] == other[1]
            assert value == (beside if one["difference"] is None else added(beside, one["difference"]))
            ways.add((own[1], one["difference"] is None))
    told = {"lit", "cost", "sold", "wrecks"}
    assert {("keeper", True), *((key, False) for key in told)} <= ways
    relative = [fact for fact, found in stances.items() if "relative" in found]
    assert all(stances[fact] == {"relative"} for fact in relative)
    assert 0.2 < len(relative) / sum(fact.startswith("tower/") for fact in stances) < 0.6


def test_comparisons_are_put_as_the_attribute_is(lamps):
    text = "\n".join(page["text"] for page in lamps.pages.to_pylist())
    assert re.search(r"is kept by the same keeper as the \[", text)
    assert re.search(r"(?:one year|\w+ years) (?:later|earlier) than that of the \[", text)
    assert re.search(r"(?:overtops|stays below) the \[[^]]*\]\S* by \d+ m\.", text)
    assert re.search(r"was sold (?:one day|[\w-]+ days) (?:after|before) the \[", text)
    assert re.search(r"has a building cost \d+(?:\.\d\d?)? crowns (?:above|below|higher than|lower than) that of", text)


def test_pages_tell_of_other_entities_in_passing(lamps):
    born = [one for one in lamps.mentions.to_pylist() if one["fact"].endswith("#born")]
    kinds = {page["id"]: page["kind"] for page in lamps.pages.to_pylist()}
    assert any(kinds[one["page"]] == "article" for one in born)


def test_a_document_has_its_parts_and_tells_all_that_is_left(lamps):
    for page in pages_of(lamps, "card"):
        assert page["title"].startswith("Card of ") and "A card." in page["text"] and "Turn over." in page["text"]
        assert page["text"].index("A card.") < page["text"].index("Turn over.")


def test_another_seed_takes_other_wordings_and_the_same_seed_the_same(folder, lamps, tmp_path):
    again = open_world(build(load_spec(folder / "world.yaml"), tmp_path / "again").folder)
    assert again.pages.equals(lamps.pages)


def test_an_edited_book_is_built_anew(folder, tmp_path):
    for name in ("world.yaml", "phrases/lamps.en.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((folder / name).read_text())
    first = build(load_spec(tmp_path / "world.yaml"), tmp_path / "out")
    book = tmp_path / "phrases" / "lamps.en.yaml"
    book.write_text(book.read_text().replace("is painted", "has been painted"))
    build(load_spec(tmp_path / "world.yaml"), tmp_path / "out")
    texts = "".join(page["text"] for page in open_world(first.folder).pages.to_pylist())
    assert "has been painted" in texts and " is painted" not in texts


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("born in {value}", "born in {year}", "unknown slot `year`"),
        ("height: {labels", "heigth: {labels", "`heigth` is unknown here"),
        ("[oil|tar]", "[oil|[tar]]", "stray brace, bracket or bar"),
        ("when: height > 40", "when: hight > 40", "hight"),
        ("is painted {value}", "is painted", "must have `{value}` once"),
        ("overtops {other} by {n}", "overtops all by {n}", "must have `{other}` once"),
        ("is a lighthouse.", "has {steps?a flight|flights}.", "chooses words by `steps`, which it does not state"),
        ("nouns: [keeper]", "noun: [keeper]", "noun"),
        ("about: tower", "about: towers", "`towers` is no type"),
        ("rows: wreck", "rows: wrecks", "no relation of `tower`"),
        ("pronoun: person", "pronoun: &a person", ""),
    ],
)
def test_a_faulty_book_is_refused_with_its_place(folder, tmp_path, old, new, said):
    assert old in BOOK
    (tmp_path / "phrases").mkdir()
    (tmp_path / "world.yaml").write_text(SPEC)
    (tmp_path / "phrases" / "lamps.en.yaml").write_text(BOOK.replace(old, new, 1))
    if not said:
        load_spec(tmp_path / "world.yaml")
        return
    with pytest.raises(SpecError) as caught:
        load_spec(tmp_path / "world.yaml")
    assert said in str(caught.value) and "lamps.en.yaml" in str(caught.value)


def test_a_book_that_is_not_there_is_an_error(tmp_path):
    (tmp_path / "world.yaml").write_text(SPEC)
    with pytest.raises(InputError, match=r"no phrasebook `lamps`"):
        load_spec(tmp_path / "world.yaml")


def test_a_form_that_the_book_lacks_is_an_error(folder, tmp_path):
    spec = load_spec(folder / "world.yaml", ["pages.card.params.form=cart"])
    with pytest.raises(InputError, match=r"`form: cart` is no document about `tower`"):
        build(spec, tmp_path / "out")


def test_the_pages_of_a_long_document_have_about_as_many_entities_each(lamps):
    parts = sorted(page["text"].count("\n## ") for page in pages_of(lamps, "guide"))
    assert len(parts) > 1 and parts[-1] <= 20
    assert parts[-1] - parts[0] <= 1
