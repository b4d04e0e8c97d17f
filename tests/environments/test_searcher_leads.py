"""What a searcher hopes of pages that it has heard of, by their titles and by what their kin has told."""

from itertools import pairwise

import pytest

from worldforge import load_spec
from worldforge.environments.search.searcher.leads import Leads, Words
from worldforge.environments.search.searcher.open_questions import SearchGoal
from worldforge.environments.search.searcher.queries import QueryWriter
from worldforge.world.task_terms import Condition

LIST = "https://www.wiki.example/club-guide/all"


def leads(*titles, **words):
    found = Leads(Words(**{"kinds": ["clubs"], "values": ["Velmar"], "columns": ["capacity"], **words}))
    for number, title in enumerate(titles):
        found.hear(f"{LIST}{number}", title)
    return found


def worth(found, url):
    return next(one for one, lead in found.lists() if lead.url == url)


def test_lists_of_those_whom_columns_lead_to_promise_half_as_much_as_of_those_asked_for():
    found = leads("All clubs", "Museums in figures", "Towns in figures", others=["museums"])
    clubs, museums, towns = (worth(found, f"{LIST}{number}") for number in range(3))
    assert clubs > museums > towns == 0 and museums == clubs / 2


def test_a_list_that_told_little_is_read_on_with_less_hope_each_time():
    found, hopes = leads("All clubs"), []
    for part in range(1, 6):
        ((hope, lead),) = found.lists()
        hopes.append(hope)
        found.has_parts(lead.url, 9)
        found.opened(lead, "All clubs", 0.0, None)
        found.hear(lead.url, "All clubs", part=part + 1)
    assert all(0 < after < before for before, after in pairwise(hopes))
    assert hopes[-1] < 0.1 * hopes[0]


def test_a_list_that_told_much_promises_as_much():
    found = leads("All clubs")
    ((_, lead),) = found.lists()
    found.has_parts(lead.url, 2)
    found.opened(lead, "All clubs", 9.0, None)
    found.hear(lead.url, "All clubs", part=2)
    assert worth(found, LIST + "0") == 9.0


@pytest.fixture(scope="module")
def spec():
    return load_spec("quickstart")


def test_titles_are_compared_with_the_kinds_that_columns_lead_to(spec, world):
    task = next(task for task in world.tasks if task.about == "club")
    goal = SearchGoal("club", (Condition("founded", "<", "1950", "1950", "year"),), ("town.region", "capacity"))
    words = QueryWriter(spec, task, [goal]).words()
    assert words.relevance("Towns of Velmar") == words.relevance("The towns") > 0 == words.relevance("Festivals")
    plain = QueryWriter(spec, task, [SearchGoal("club", goal.terms, ("capacity",))]).words()
    assert plain.relevance("The towns") == 0


def test_a_site_that_is_to_give_a_figure_is_searched_by_its_host(spec, world):
    task = next(task for task in world.tasks if task.about == "club")
    writer = QueryWriter(spec, task, [SearchGoal("club", ())], {"capacity@herald": "www.inns.example"})
    assert any(query.endswith("capacity site:www.inns.example") for query in writer.openings())
    columns = ["capacity@herald", "founded"]
    assert writer.about("club", "Velmar Rovers", columns, [], 0) == "Velmar Rovers site:www.inns.example"
    assert writer.about("club", "Velmar Rovers", columns, [], 1) == "Velmar Rovers"
