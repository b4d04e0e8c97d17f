"""What a session has changed, as a state with a digest, and goals that are checked on it."""

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st
from paper_world import paper_files, paper_world

from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.environments.goals import Goal, SessionState, changed_paths, check_goal
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.models.chat import ToolCall

__all__ = ["paper_files", "paper_world"]
VALUES = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2),
    lambda each: st.dictionaries(st.text("xyz", min_size=1), each),
    max_leaves=8,
)


def step(session, tool, **arguments):
    return asyncio.run(session.step(ToolCall("1", tool, json.dumps(arguments))))


def test_a_record_that_is_changed_back_leaves_no_trace(paper_world):
    database = DatabaseEnvironment(paper_world)
    session, untouched = database.session(), database.session()
    for founded in (1850, 1902):
        step(session, "update_records", table="club", ids=["club/0001"], changes={"founded": founded})
        assert (session.state == untouched.state) == (founded == 1902)
    step(session, "create_records", table="club", records=[{"name": "Velmar Wanderers", "founded": 1999}])
    step(session, "delete_records", table="club", ids=["club/0012"])
    assert session.state.digest == untouched.state.digest


def test_a_goal_over_records_counts_what_else_was_changed(paper_world):
    session = DatabaseEnvironment(paper_world).session()
    goal = Goal.from_json({"state": {"club/0001/founded": 1850}})
    assert session.check(goal).progress == 0
    step(session, "update_records", table="club", ids=["club/0001"], changes={"founded": 1850})
    assert session.check(goal).success
    step(session, "delete_records", table="club", ids=["club/0002"])
    outcome = session.check(goal)
    assert outcome.progress == 1 and not outcome.success and outcome.collateral == ("club/0002",)


def test_notes_are_the_state_of_a_search(paper_world):
    session = SearchEnvironment(paper_world).session()
    step(session, "dict_memory", action="add", key="a", value="b")
    assert session.state.value == {"notes": {"a": "b"}}


@given(VALUES, VALUES)
def test_states_differ_where_paths_change_and_nowhere_else(before, after):
    paths = list(changed_paths(before, after))
    assert bool(paths) == (before != after) and len(paths) == len(set(paths))
    allowed = check_goal(Goal({}, tuple(paths)), SessionState(before), SessionState(after))
    assert allowed.success or "" in paths
