"""The benchmark of what has to be read: its measures on pages written by hand, its players on quickstart."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks._reading import page_lines
from benchmarks._reading.harvest import Anchors, Records, WebPage
from benchmarks._reading.non_readers import crawler
from benchmarks._reading.question_terms import Vocabulary, ranking_in, terms_in
from benchmarks._reading.record_answers import Question
from benchmarks._reading.report import BEGIN, END, put_into
from benchmarks._reading.sentence_patterns import SentencePatterns
from benchmarks._reading.skeletons import Masker, count_skeletons, overlap, sampled
from benchmarks._reading.stated_facts import Page, Stated, StatedWeb, labels_on
from benchmarks.reading import all_shingles, players, reached
from worldforge.entry_points.build_world import build
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import World, open_world

ROOT = Path(__file__).parent.parent
TOWNS = {
    "Velm": (120, "Kesta"),
    "Ostra": (90, "Kesta"),
    "Bruna": (310, "Irmin"),
    "Gron": (75, "Irmin"),
    "Tarn": (240, "Kesta"),
}
FORM = "\n\nAnswer with one Markdown table. The columns are: Town, Elevation (m)."


def address(name: str) -> str:
    return f"https://atlas.example/{name.lower()}"


def linked(name: str) -> str:
    return f"[{name}]({address(name)})"


def atlas(*, boxes: int) -> list[WebPage]:
    """Pages on towns, of which the first have a box, and one that lists them all."""
    pages = []
    for place, (name, (height, region)) in enumerate(TOWNS.items()):
        box = f"| Town | {name} |\n|:---|:---|\n| Region | {region} |\n| Elevation | {height} m |\n\n"
        prose = f"{name} is a town of the {region} county. The market square lies {height} m above the sea."
        pages.append(WebPage(address(name), name, "2030-01-01", f"# {name}\n\n{box if place < boxes else ''}{prose}"))
    items = "\n".join(f"- {linked(name)}" for name in TOWNS)
    return [*pages, WebPage("https://atlas.example/", "All towns", "2030-01-02", f"# All towns\n\n{items}")]


def stated(text: str, **values: str) -> Page:
    """A page that states values of one club: `founded="1902"`."""
    facts = [Stated(f"club/0001#{name}", text.index(value), text.index(value) + len(value), "current")
             for name, value in values.items()]  # fmt: skip
    return Page("https://a.example/", "Rovers", "en", text, tuple(sorted(facts, key=lambda fact: fact.start)))


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("| Founded | 1902 |", page_lines.TABLE),
        ("- founded in 1902", page_lines.ITEM),
        ("**Founded:** 1902", page_lines.LABEL),
        ("成立年份：1902年", page_lines.LABEL),
        ("More on this: " + " · ".join(["[The Old Ferry of Bo](https://a.example/bo)"] * 3), page_lines.MENU),
        ("Press | Latest | Jobs | Weather", page_lines.MENU),
        ("[Bo](https://a.example/bo) left the band, and [Cy](https://a.example/cy) took over.", page_lines.PROSE),
        ("## History", page_lines.HEADING),
        ("She said it twice: the club was there before the town had a bridge. Nobody believed her.", page_lines.PROSE),
        ("---", page_lines.EMPTY),
    ],
)
def test_a_line_has_a_form(line, form):
    assert page_lines.form_of(line) == form


def test_labels_are_read_from_boxes_tables_and_items():
    box = stated(
        "| Club | Rovers |\n|---|---|\n| Home town | Velm |\n| Set up in | 1902 |", town="Velm", founded="1902"
    )
    assert sorted(labels_on(box)) == [("club.founded", "set up in"), ("club.town", "home town")]
    table = stated(
        "| Club | Founding year | Crowd |\n|---|---|---|\n| Rovers | 1902 | 900 |", founded="1902", crowd="900"
    )
    assert sorted(labels_on(table)) == [("club.crowd", "crowd"), ("club.founded", "founding year")]
    items = stated(
        "- **Founded:** 1902 · ground: [The Meadow](https://a.example/m)", founded="1902", ground="The Meadow"
    )
    assert sorted(labels_on(items)) == [("club.founded", "founded"), ("club.ground", "ground")]


def test_sentences_that_differ_in_values_alone_have_one_skeleton():
    pages = [
        stated(f"Rovers was founded in {1900 + n}, when Ada Marsh was {n}.", founded=f"{1900 + n}")
        for n in range(40, 80)
    ]
    masker = Masker({"Rovers"})
    found = count_skeletons(one for page in pages for one in masker.sentences(page.text, page.facts, "en"))
    assert (found.median, found.least, found.commonest_share) == (1, 1, 1.0)
    shingles = [masker.shingles(page.text, page.facts, "en") for page in pages]
    assert overlap(shingles[:1], shingles[1]) == 1.0 and overlap(shingles[:1], {("another", "story")}) == 0.0


def test_terms_are_values_and_figures_with_what_compares_them():
    vocabulary = Vocabulary(["Kesta"])
    text = "towns whose region is Kesta and whose elevation is above 100 m, except those founded before 1 May 1902"
    found = [(one.operator, one.value.text.split()[0], one.negated) for one in terms_in(text, vocabulary, [])]
    assert found == [("=", "Kesta", False), (">", "100", False), ("<", "1", True)]
    ranking, _ = ranking_in("Of the towns of Kesta, list the three with the lowest elevation. For each, give the name.")
    assert ranking is not None and (ranking.count, ranking.label, ranking.highest) == (3, "elevation", False)


def test_the_crawler_answers_from_boxes():
    play = crawler(atlas(boxes=5))
    asked = Question("Which towns of the region Kesta have an elevation above 100 m?" + FORM, ("Town", "Elevation (m)"))
    rows = play(asked).split("\n")[3:-1]
    assert rows == ["| Velm | 120 |", "| Tarn | 240 |"]


def test_patterns_around_known_values_give_those_that_no_box_has():
    pages = atlas(boxes=4)
    records = Records(Anchors(pages))
    for page in pages:
        records.harvest(page)
    assert "elevation" not in records.facts.get("Tarn", {})
    SentencePatterns(records, pages).fill()
    assert [one.value.figure for one in records.facts["Tarn"]["elevation"]] == [240.0]
    assert [one.value.text for one in records.facts["Tarn"]["region"]] == ["Kesta"]


def test_quickstart_is_measured(world: World):
    web = StatedWeb(world)
    places, lengths, labels = web.places(), web.lengths(), web.labels()
    assert places.n_facts > 100 and 0.99 <= places.only_prose + places.structured + places.only_relative <= 1
    assert 0 < lengths.mean < lengths.longest and labels.median >= labels.least >= 1
    page = web.pages[sampled(len(web.pages))[-1]]
    assert overlap([Masker(web.names).shingles(page.text, page.facts, page.language)], all_shingles(world)) == 1.0


def test_players_that_read_no_sentence_answer_quickstart(tmp_path: Path):
    """A smaller one, twice."""
    world = open_world(build(load_spec("quickstart", ["scale=0.3", "tasks.list.count=20"]), tmp_path / "world").folder)
    f1 = {name: reached(world, player) for name, player in players(world).items()}
    assert 0 < f1["crawler"] <= 1 and f1["crawler"] >= f1["largest_table"]
    assert f1 == {name: reached(world, player) for name, player in players(world).items()}


def test_tables_go_between_the_marks_of_a_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put_into(page, "new")
    assert page.read_text() == f"before\n{BEGIN}\n\nnew\n{END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(ValueError, match="no two lines"):
        put_into(page, "new")


def test_a_spec_that_cannot_be_built_is_named(tmp_path):
    command = [sys.executable, "-m", "benchmarks.reading", "nowhere.yaml", "--folder", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "nowhere.yaml" in done.stderr and "Not built: nowhere.yaml" in done.stdout
