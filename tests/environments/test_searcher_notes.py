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


def test_complete_rows_are_noted_once_after_many_calls(search):
    notebook = search[2]
    read(search, 1, 1901)
    assert notebook.due(39) is None and not notebook.has_notes
    due = notebook.due(40)
    assert (due.new.action, due.new.key, due.n_new) == ("add", "part 1", 1)
    assert due.new.value == "Club | Founded\nClub 1 | 1901"
    read(search, 2, 1902)
    assert notebook.due(79) is None
    due = notebook.due(80)
    assert (due.new.key, due.new.value) == ("part 2", "Club | Founded\nClub 2 | 1902") and not due.changes
    assert notebook.due(500) is None, "nothing has changed"


def test_a_note_that_holds_no_longer_is_changed(search):
    _, questions, notebook = search
    read(search, 1, 1901)
    notebook.due(40)
    for page in (1, 2):
        read(search, 1, 1899, page)
    due = notebook.due(80)
    (change,) = due.changes
    assert (change.action, change.key, change.value) == ("update", "part 1", "Club | Founded\nClub 1 | 1899")
    questions.own["club/0001"].holds = False
    (change,) = notebook.due(120).changes
    assert (change.action, change.key) == ("remove", "part 1") and not notebook.has_notes
