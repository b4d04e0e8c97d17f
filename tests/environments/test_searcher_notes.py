"""The notes of a searcher: rows as they become complete, put right when they change, and read before the answer."""

import pytest

from worldforge.environments.search.searcher.answer import AnswerWriter
from worldforge.environments.search.searcher.beliefs import Beliefs
from worldforge.environments.search.searcher.notes import Notebook
from worldforge.environments.search.searcher.open_questions import OpenQuestions, SearchGoal
from worldforge.environments.search.searcher.page_reading import PageReader, Reading, ReadStatement, Source
from worldforge.environments.search.searcher.term_truth import TermTruth


@pytest.fixture
def search(world):
    """What a search for clubs with their year holds: beliefs, open questions, and the notebook."""
    beliefs = Beliefs(world.spec, PageReader(world), "date")
    truth = TermTruth(world.spec, beliefs)
    questions = OpenQuestions(world.spec, beliefs, truth, [SearchGoal("club", (), ("founded",))])
    answer = AnswerWriter(world.tasks[0], beliefs, truth, questions)
    return beliefs, questions, Notebook(answer, beliefs, questions, ["Club", "Founded"], "part {n}")


def read(search, number, year, page=0):
    beliefs, questions, _ = search
    entity = f"club/{number:04d}"
    statement = ReadStatement(f"{entity}#founded", year, str(year))
    beliefs.take(Reading(Source(page, "a page", None, 1.0), [statement], {entity: f"Club {number}"}))
    questions.meet([entity])
    questions.update([entity])


def read_four(search, first):
    for number in range(first, first + 4):
        read(search, number, 1900 + number)


def rows(numbers):
    return "\n".join(["Club | Founded", *(f"Club {number} | {1900 + number}" for number in numbers)])


def test_complete_rows_are_noted_once_after_many_calls(search):
    notebook = search[2]
    read_four(search, 1)
    assert notebook.due(39) is None and not notebook.has_notes
    due = notebook.due(40)
    assert (due.new.action, due.new.key, due.n_new, due.new.value) == ("add", "part 1", 4, rows(range(1, 5)))
    read_four(search, 5)
    assert notebook.due(79) is None
    due = notebook.due(80)
    assert (due.new.key, due.new.value) == ("part 2", rows(range(5, 9))) and not due.changes
    read(search, 9, 1909)
    assert notebook.due(500) is None, "one more row is too little for a note"


def test_a_note_that_holds_no_longer_is_changed(search):
    _, questions, notebook = search
    read_four(search, 1)
    notebook.due(40)
    for page in (1, 2):
        read(search, 4, 1899, page)
    (change,) = notebook.due(80).changes
    assert (change.action, change.key) == ("update", "part 1")
    assert change.value == rows(range(1, 4)) + "\nClub 4 | 1899"
    for candidate in questions.own.values():
        candidate.holds = False
    (change,) = notebook.due(120).changes
    assert (change.action, change.key) == ("remove", "part 1") and not notebook.has_notes
