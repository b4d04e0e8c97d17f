"""What a searcher believes: values settled by the question's rule, comparisons worked out, terms that stay open."""

import datetime

import pytest

from worldforge.environments.search.searcher.beliefs import Beliefs
from worldforge.environments.search.searcher.open_questions import CHECK, UNTESTED, OpenQuestions, SearchGoal
from worldforge.environments.search.searcher.page_reading import PageReader, Reading, ReadStatement, Source
from worldforge.environments.search.searcher.term_truth import TermTruth
from worldforge.world.task_terms import AnyOf, Condition, NoneOf, RelatedTerm

CLUB, OTHER = "club/0001", "club/0002"


@pytest.fixture(scope="module")
def reader(world):
    return PageReader(world)


def source(page, year=2030, authority=1.0):
    return Source(page, f"Page {page}", datetime.date(year, 1, 1), authority)


def reading(page, *statements, names=(), year=2030, authority=1.0):
    return Reading(source(page, year, authority), list(statements), dict.fromkeys(names, "a name"))


def founded(year, entity=CLUB):
    return ReadStatement(f"{entity}#founded", year, str(year))


@pytest.mark.parametrize(("rule", "stands"), [("date", 1903), ("authority", 1902), ("majority", 1901)])
def test_disagreement_is_settled_by_the_rule_of_the_question(world, reader, rule, stands):
    beliefs = Beliefs(world.spec, reader, rule)
    for page, (year, published, authority) in enumerate(
        [(1901, 2027, 1.0), (1901, 2028, 1.0), (1902, 2029, 5.0), (1903, 2031, 1.0)]
    ):
        beliefs.take(reading(page, founded(year), year=published, authority=authority))
    assert beliefs.known(f"{CLUB}#founded").value == stands and f"{CLUB}#founded" in beliefs.contested


@pytest.mark.parametrize(("rule", "third"), [("date", 1903), ("authority", 1903), ("majority", 1901)])
def test_a_disputed_value_is_looked_up_once_more(world, reader, rule, third):
    fact, beliefs = f"{CLUB}#founded", Beliefs(world.spec, reader, rule)
    truth = TermTruth(world.spec, beliefs)
    questions = OpenQuestions(world.spec, beliefs, truth, [SearchGoal("club", (before(1950),), ("founded",))])
    beliefs.take(reading(0, founded(1901), names=[CLUB], authority=0.1))
    questions.meet([CLUB])
    assert not questions.weights, "a value that one page gives is known"
    questions.update([CLUB, *beliefs.take(reading(1, founded(1902), authority=0.1)).facts])
    assert beliefs.is_doubtful(fact) and questions.weights == {CLUB: CHECK}
    news = beliefs.take(reading(2, founded(third), authority=0.1))
    questions.update([CLUB])
    assert not beliefs.is_doubtful(fact) and not questions.weights
    assert news.confirmed == ((fact,) if rule == "majority" else ()), "the last page says what was believed"


def test_the_site_that_counts_most_settles_what_pages_disagree_on(world, reader):
    beliefs = Beliefs(world.spec, reader, "authority")
    beliefs.take(reading(0, founded(1901), authority=0.1))
    beliefs.take(reading(1, founded(1902), authority=reader.most_authority))
    assert not beliefs.is_doubtful(f"{CLUB}#founded")


def test_what_nothing_more_can_be_read_of_is_not_looked_up_again(world, reader):
    beliefs = Beliefs(world.spec, reader, "majority")
    truth = TermTruth(world.spec, beliefs)
    questions = OpenQuestions(world.spec, beliefs, truth, [SearchGoal("club", (before(1950),))])
    for page, year in enumerate((1901, 1902)):
        beliefs.take(reading(page, founded(year), names=[CLUB]))
    questions.meet([CLUB])
    assert questions.weights
    truth.given_up.add(CLUB)
    questions.update([CLUB])
    assert not questions.weights


def test_a_page_counts_once_however_often_it_says_a_thing(world, reader):
    beliefs = Beliefs(world.spec, reader, "majority")
    for _ in range(3):
        beliefs.take(reading(0, founded(1901)))
    for page in (1, 2):
        beliefs.take(reading(page, founded(1902)))
    assert beliefs.known(f"{CLUB}#founded").value == 1902


def test_what_is_given_relative_to_another_fact_is_known_with_that_one(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    three_later = ReadStatement(f"{CLUB}#founded", None, "", f"{OTHER}#founded", 3.0)
    assert not beliefs.take(reading(0, three_later)).contested
    assert beliefs.known(f"{CLUB}#founded") is None
    assert list(beliefs.missing_for(f"{CLUB}#founded")) == [f"{OTHER}#founded"]
    beliefs.take(reading(1, founded(1899, OTHER)))
    assert beliefs.known(f"{CLUB}#founded") == (1902, "1902")


def test_facts_that_rest_on_each_other_alone_stay_unknown(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    beliefs.take(reading(0, ReadStatement(f"{CLUB}#founded", None, "", f"{OTHER}#founded", 3.0)))
    beliefs.take(reading(1, ReadStatement(f"{OTHER}#founded", None, "", f"{CLUB}#founded", -3.0)))
    assert beliefs.known(f"{CLUB}#founded") is None and beliefs.known(f"{OTHER}#founded") is None


def before(year):
    return Condition("founded", "<", str(year), str(year), "year")


def test_terms_hold_fail_or_stay_open_with_what_would_tell(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    truth = TermTruth(world.spec, beliefs)
    assert truth.holds("club", CLUB, before(1950)) == (None, (f"{CLUB}#founded",))
    beliefs.take(reading(0, founded(1901), names=[CLUB]))
    assert truth.holds("club", CLUB, before(1950)).holds is True
    assert truth.holds("club", CLUB, before(1901)).holds is False
    titles = Condition("titles", ">", "2", "2", "integer")
    both = ((before(1950),), (titles,))
    assert truth.holds("club", CLUB, AnyOf(both)).holds is True
    assert truth.holds("club", CLUB, NoneOf(both)).holds is False
    assert truth.all_hold("club", CLUB, (before(1950), titles)) == (None, (f"{CLUB}#titles",))
    assert truth.all_hold("club", CLUB, (before(1900), titles)) == (False, ())


def test_a_path_is_open_at_its_first_unknown_step(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    truth = TermTruth(world.spec, beliefs)
    assert truth.value("club", CLUB, "town.region") == (None, (f"{CLUB}#town",))
    beliefs.take(reading(0, ReadStatement(f"{CLUB}#town", "town/0004", "Velmar")))
    assert truth.value("club", CLUB, "town.region") == (None, ("town/0004#region",))


def test_what_a_list_says_of_a_path_counts_until_the_steps_are_known(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    truth = TermTruth(world.spec, beliefs)
    region = Condition("town.region", "=", "region/0001", "Norland", "text")
    beliefs.take(reading(0, ReadStatement(f"{CLUB}#town.region", "region/0001", "Norland")))
    assert truth.value("club", CLUB, "town.region")[0].written == "Norland"
    assert truth.value("club", CLUB, "town.region.area") == (None, ("region/0001#area",))
    assert truth.value("club", CLUB, "town.population") == (None, (f"{CLUB}#town",))
    (deciding,) = truth.reasons("club", CLUB, (region,), hold=True)
    assert deciding.fact == f"{CLUB}#town.region"
    beliefs.take(reading(1, ReadStatement(f"{CLUB}#town", "town/0004", "Velmar")))
    assert truth.holds("club", CLUB, region).holds, "the list stands where the town's region is not known"
    beliefs.take(reading(2, ReadStatement("town/0004#region", "region/0002", "Sudland")))
    assert truth.holds("club", CLUB, region).holds is False
    (deciding,) = truth.reasons("club", CLUB, (region,), hold=False)
    assert deciding.fact == "town/0004#region"


def test_rows_of_a_relation_stay_open_until_the_page_of_their_entity_was_read(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    truth = TermTruth(world.spec, beliefs)
    career = world.relation("plays_for")
    player, club, goals = (career[name][0].as_py() for name in ("source", "target", "goals"))
    term = RelatedTerm("plays_for", "source", (Condition("target", "=", club, "a name", "text"),))
    assert truth.holds("player", player, term) == (None, (f"{player}#*plays_for",))
    truth.explored.add(player)
    assert truth.holds("player", player, term).holds is False
    beliefs.take(reading(0, ReadStatement("plays_for/0000#goals", goals, str(goals)), names=[player, club]))
    assert truth.holds("player", player, term).holds is True


def test_when_the_search_is_over_what_is_unknown_does_not_hold(world, reader):
    truth = TermTruth(world.spec, Beliefs(world.spec, reader, None))
    truth.closed = True
    assert truth.holds("club", CLUB, before(1950)).holds is False
    assert truth.holds("club", CLUB, NoneOf(((before(1950),),))).holds is True


def test_another_candidate_is_expected_to_tell_less_the_more_were_looked_at_in_vain(world, reader):
    towns = [f"town/{number:04d}" for number in range(8)]
    regions = ["region/0001", *["region/0002"] * 6]
    beliefs = Beliefs(world.spec, reader, None)
    truth = TermTruth(world.spec, beliefs)
    in_region = (Condition("region", "=", "region/0001", "Norland", "text"),)
    questions = OpenQuestions(world.spec, beliefs, truth, [SearchGoal("town", in_region)])
    beliefs.take(reading(1, names=towns))
    questions.meet(towns)
    expected = [questions.expected(towns[-1])]
    for town, region in zip(towns, regions, strict=False):
        beliefs.take(reading(2, ReadStatement(f"{town}#region", region, region), names=(town,)))
        questions.update([town])
        expected.append(questions.expected(towns[-1]))
    assert expected[0] == pytest.approx(UNTESTED) and expected[1] > expected[0], (
        "one that is found makes the others likelier"
    )
    assert expected[1:] == sorted(expected[1:], reverse=True) and expected[-1] < UNTESTED
    assert questions.expected(towns[0]) == 0.0, "nothing is open on it"


def test_what_a_value_settles_comes_in_the_order_in_which_it_was_read(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    others = [f"club/{number:04}" for number in range(20, 0, -1) if number != 1]
    for page, other in enumerate(others):
        relative = ReadStatement(f"{other}#founded", None, "", f"{CLUB}#founded", page)
        beliefs.take(reading(page, relative, names=[other]))
    news = beliefs.take(reading(30, founded(1901), names=[CLUB]))
    assert [one for one, _ in news.resolved] == [f"{other}#founded" for other in others]


def test_rows_are_looked_for_until_a_page_has_given_some(world, reader):
    beliefs = Beliefs(world.spec, reader, None)
    truth = TermTruth(world.spec, beliefs)
    goal = SearchGoal("club", (before(1950),), ("target",), rows="plays_for", end="target")
    questions = OpenQuestions(world.spec, beliefs, truth, [goal])
    beliefs.take(reading(0, founded(1901), names=[CLUB]))
    questions.meet([CLUB])
    first = questions.weights[CLUB]
    truth.explored.add(CLUB)
    questions.update([CLUB])
    assert 0 < questions.weights[CLUB] < first, "the page had no rows: others may, though not as likely"
    beliefs.rows["plays_for", "target", CLUB] = {}
    questions.update([CLUB])
    assert CLUB not in questions.weights, "they were read"
