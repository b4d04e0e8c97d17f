"""What the searcher's thoughts claim, held against what it was shown just before: no thought says what is not so."""

import re
from dataclasses import replace
from functools import partial

import pytest

from tests.conftest import once
from worldforge import build, load_spec
from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.english import number_in_words
from worldforge.core.run_async import run_sync
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.reporting import _within_a_sentence
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.thoughts import PHRASES, Thoughts
from worldforge.rewording.slotted_text import SlottedText
from worldforge.schema.spec_sources import read_source
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Shape
from worldforge.world.world import open_world

pytestmark = pytest.mark.xdist_group("test_searcher_thoughts")  # all episodes are played once
MANY = 100_000
READ = ("learnt", "learnt_own", "derived", "derived_own", "comparison", "absent", "absent_own")
STATED = ("learnt", "learnt_own")
DISAGREEING = (
    "disagreement", "disagreement_without_rule", "disagreement_open",
    *(f"{ground}_{outcome}" for ground in ("later", "authority", "majority") for outcome in ("changes", "keeps")),
)  # fmt: skip


class HeardThoughts(Thoughts):
    """Thoughts that keep what each sentence says: the occasion and what fills it, one list a thought."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.thoughts, self._said = [], []

    def word(self, *arguments):
        self._said = []
        text = super().word(*arguments)
        self.thoughts.append((str(text), self._said))
        return text

    def _say(self, occasion, **slots):
        text = super()._say(occasion, **slots)
        self._said.append((occasion, slots, str(SlottedText(self._language, (text,)))))
        return text


def play(world, reader, task, max_steps=0):
    """Play a task; yield of each turn the thought, what it says, the observations just before, and what was shown.

    The last is a function that says whether a text was.
    """
    environment = SearchEnvironment(world, dialect_of(SearchEnvironment, "agentworld+find_in_page"))
    thoughts = HeardThoughts(task.language, 7, "long")
    plan = ScriptedSearcher(world.spec, task, reader, environment.dialect, thoughts).play()
    agent, limits = PlannedAgent(plan, max_steps=max_steps), EpisodeLimits(max_steps=max_steps or MANY)
    episode = run_sync(run_episode(agent, environment.session(task), limits))
    texts = [[observation.text for observation in turn.observations] for turn in episode.turns]
    whole = "\n".join([task.wording, *(text for turn in texts for text in turn)])
    n_shown, said = len(task.wording), dict(thoughts.thoughts)
    for before, turn in zip([[], *texts], episode.turns, strict=False):
        n_shown += sum(1 + len(text) for text in before)
        yield turn.action.reasoning, said[turn.action.reasoning], before, partial(was_shown, whole, n_shown)


def was_shown(whole, n_shown, text):
    return 0 <= whole.find(text) <= n_shown - len(text)


@pytest.fixture(scope="module")
def english(world):
    reader = PageReader(world)
    return world, [(task, list(play(world, reader, task))) for task in world.tasks]


@pytest.fixture(scope="module")
def chinese(tmp_path_factory):
    def make(folder):
        tree, _ = read_source("geography_zh")
        few = [f"tasks.{family}.count=1" for family in tree.data["tasks"]]
        build(load_spec("geography_zh", ["scale=0.2", "gates.searcher.max_steps=0", *few]), folder)

    world = open_world(once(tmp_path_factory, "geography_zh", make))
    reader = PageReader(world)
    return world, [(task, list(play(world, reader, task, max_steps=80))) for task in world.tasks[:8]]


@pytest.fixture(params=["english", "chinese"])
def played(request):
    """A world, and its episodes by task."""
    return request.getfixturevalue(request.param)


def sentences(played):
    """Yield each sentence: occasion, slots, the observations just before, and all that was shown before."""
    for _, turns in played[1]:
        for _, said, before, shown in turns:
            for occasion, slots, _ in said:
                yield occasion, slots, before, shown


def names_of(world):
    """The names of each entity by each of them."""
    found = {}
    for table in map(world.entities, world.spec.types):
        for name, aliases in zip(table["name"].to_pylist(), table["aliases"].to_pylist(), strict=True):
            for one in (name, *(aliases or ())):
                found.setdefault(one, set()).update([name, *(aliases or ())])
    return found


def titled(texts, title):
    """The observations of pages of a title."""
    return [text for text in texts if text.startswith(f"Title: {title}\n")]


def shortest(value):
    """The value that a thought gives, as a page has it: what it quotes, or the figure before a unit."""
    quoted = re.search(r"(?:“(.+)” on the page\)|页面上写作“(.+)”）)$", value)
    if quoted:
        return quoted[1] or quoted[2]
    figure = re.match(r"(-?\d[\d,.]*+)(?! \w+ \d{4})", value)  # not the day of a date
    return figure[0] if figure else value


def is_stated(value, text):
    return re.search(rf"(?<![\d.,]){re.escape(shortest(value))}(?!\d)", text, re.IGNORECASE) is not None


def test_values_said_to_be_learnt_stand_on_the_page_just_read_that_is_so_titled(played):
    names, n_checked = names_of(played[0]), 0
    for occasion, slots, before, shown in sentences(played):
        if occasion in READ:
            pages = titled(before, slots["title"])
            assert pages, slots
            own = [one for part in re.split(r" \(|\)|（|）", slots["name"]) for one in names.get(part, {part})]
            assert any(shown(name) for name in own), slots  # a page that goes on names some only in earlier parts
            if occasion in STATED:
                assert any(is_stated(slots["value"], page) for page in pages), slots
            n_checked += 1
    assert n_checked > 100


def test_pages_that_are_said_to_disagree_do(played):
    n_checked = 0
    for occasion, slots, before, shown in sentences(played):
        if occasion in DISAGREEING:
            pages = titled(before, slots["title"])
            assert any(is_stated(slots["said"], page) for page in pages), slots
            assert slots["said"] != slots["other"] and shown(shortest(slots["other"])), slots
            n_checked += 1
    assert n_checked > 20 or played[0].name == "quickstart"


def test_pages_are_said_to_mention_what_they_mention(played):
    n_checked = 0
    for occasion, slots, before, _ in sentences(played):
        if occasion in ("named_in", "not_named_in"):
            (text,) = titled([one for one in before if f'"{slots["name"]}"' in one], slots["title"])[:1]
            assert ("[1] part" in text) == (occasion == "named_in"), (slots, text)
            n_checked += 1
    assert n_checked > 5


def test_of_several_names_each_is_said_to_be_mentioned_where_it_is(played):
    n_checked = 0
    for occasion, slots, before, _ in sentences(played):
        if occasion in ("named_in_places", "not_named_in_places"):
            for name, titles in map(placed, slots["places"]):
                pages = [one for title in titles for one in titled(before, title) if f'"{name}"' in one]
                found = ["[1] part" in page for page in pages]
                assert found and (any(found) if occasion == "named_in_places" else not all(found)), slots
                n_checked += 1
    assert n_checked > 5 or played[0].name != "quickstart"


def placed(place):
    """The name and the titles in `Velmar in “A” and “B”`."""
    name = re.match(r"(.+?)(?: in “|（《|（“)", place)[1]
    return name, [one or other for one, other in re.findall(r"“(.+?)”|《(.+?)》", place[len(name) :])]


def test_candidates_said_to_belong_are_of_the_answer_and_those_struck_are_not(english):
    wrong, n_told = [], 0
    for task, turns in english[1]:
        if task.shape != Shape():
            continue
        gold = {row[0] for row in task.gold}
        for _, said, _, _ in turns:
            for occasion, slots, _ in said:
                if "name" in slots and occasion in ("confirmed_why", "confirmed_one", "also_one"):
                    wrong += [slots] if slots["name"] not in gold else []
                elif "name" in slots and occasion in ("rejected_why", "rejected_fact", "rejected_one"):
                    wrong += [slots] if slots["name"] in gold else []
                else:
                    continue
                n_told += 1
    assert n_told > 200 and len(wrong) < 0.01 * n_told, wrong


def test_names_titles_and_words_in_thoughts_were_shown(english):
    for _, turns in english[1]:
        for text, said, _, shown in turns:
            assert text and not re.search(r"[{}#]|““|””|\w/\d", text)
            for occasion, slots, _ in said:
                for key in ("name", "names", "title", "other"):
                    for one in [slots[key]] if isinstance(slots.get(key), str) else slots.get(key, []):
                        assert all(shown(part) for part in re.split(r" \(|\)", one)), (occasion, slots)


def test_thoughts_do_not_repeat(played):
    for _, turns in played[1]:
        thoughts = [text for text, *_ in turns]
        assert len(set(thoughts)) > 0.9 * len(thoughts)


def test_english_counts_one_as_one_and_chinese_is_punctuated_as_such(english, chinese):
    thoughts = [text for _, turns in english[1] for text, *_ in turns]
    assert not [text for text in thoughts if re.search(r"(?<![\d,.])\b1 (?:more|rows|cells|others|pages)\b", text)]
    for _, turns in chinese[1]:
        for text, *_ in turns:
            assert not re.search(r"[,;:?!](?!\d)|(?<!\d)\.", re.sub(r"《[^》]*》|“[^”]*”", "", text)), text
            assert "《《" not in text


SHAPES = {
    "ranked": Shape(order="founded", highest=False, limit=2),
    "ranked_each": Shape(order="founded", limit=1, within="colours"),
    "grouped": Shape(group="colours"),
}


@pytest.mark.parametrize("occasion", SHAPES)
def test_what_is_ranked_or_grouped_is_so_in_the_answer(english, occasion):
    world, shape = english[0], SHAPES[occasion]
    task = max((one for one in world.tasks if one.about == "club"), key=lambda one: one.n_rows)
    columns = (TaskColumn("name", "Club", "text", True), TaskColumn("colours", "Colours", "text"))
    columns = (columns[1], TaskColumn("count()", "Number", "integer")) if shape.group else columns
    environment = SearchEnvironment(world, dialect_of(SearchEnvironment, "agentworld+find_in_page"))
    asked, thoughts = replace(task, columns=columns, shape=shape), HeardThoughts("en", 7, "short")
    plan = ScriptedSearcher(world.spec, asked, PageReader(world), environment.dialect, thoughts).play()
    episode = run_sync(run_episode(PlannedAgent(plan), environment.session(task), EpisodeLimits(MANY)))
    rows = [line.strip("|").split("|") for line in episode.answer.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in row] for row in rows]
    (slots,) = (slots for said, slots, _ in thoughts.thoughts[-1][1] if said == occasion)
    if occasion == "grouped":
        assert [slots["name"], max(number for _, number in cells)] in cells and len(cells) > 1
        assert slots["groups"] == number_in_words(len(cells))
    else:
        group = {"ranked_each": slots.get("group")}.get(occasion, dict(cells)[slots["name"]])
        assert [slots["name"], group] in cells and (occasion != "ranked" or cells[0][0] == slots["name"])
        clubs = world.entities("club").to_pylist()
        assert slots["value"] == str(next(one["founded"] for one in clubs if one["name"] == slots["name"]))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_occasion_has_sentences_in_both_languages(language):
    assert PHRASES[language].keys() == PHRASES["en"].keys()
    assert all(texts and all(texts) for texts in PHRASES[language].values())
    for occasion, texts in PHRASES[language].items():
        slots = {slot for text in PHRASES["en"][occasion] for slot in re.findall(r"\{(\w+)\}", text)}
        allowed = slots | ({"measure"} if "n" in slots else set())
        assert {slot for text in texts for slot in re.findall(r"\{(\w+)\}", text)} <= allowed, occasion


@pytest.mark.parametrize(
    ("label", "within"), [("Host town", "host town"), ("DNA", "DNA"), ("Since", "start"), ("until", "end")]
)
def test_a_label_within_a_sentence_is_a_noun(label, within):
    assert _within_a_sentence(label) == within
