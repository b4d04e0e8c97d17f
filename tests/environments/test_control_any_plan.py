"""Whatever a plan says: an answer that is no exception and not empty, the same twice."""

import pytest
from control_calls import Desk
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.environments.controls.control_plan import CONTROLS, ControlPlan
from worldforge.models.chat import ToolCall
from worldforge.world.world import open_world

SHARE = st.floats(0, 1)
SECTIONS = {name: {"rate": SHARE} for name in CONTROLS}
SECTIONS["pagination"] |= {"size": st.integers(1, 12)}
SECTIONS["withheld"] |= {"links": SHARE}
SECTIONS["snippets"] |= {
    "characters": st.none() | st.integers(20, 200),
    "facts": st.none() | st.integers(0, 4),
    "tasks": SHARE,
}
SECTIONS["distractors"] |= {"most": st.integers(1, 5)}
SECTIONS["fields"] |= {"reordered": SHARE}
SECTIONS["stale"] |= {"changed": SHARE}
SECTIONS["wrong_facts"] |= {"from_turn": st.integers(0, 3), "sessions": SHARE}
PLAN = st.fixed_dictionaries(
    {"seed": st.integers(0, 99)},
    optional={name: st.fixed_dictionaries({}, optional=fields) for name, fields in SECTIONS.items()},
).map(ControlPlan.model_validate)
SEARCHES = [
    ("web_search", '{"query": "football clubs of Montulascia"}'),
    ("web_search", '{"queries": ["Falonelle", "no such words", "\\ud83d\\ude00"], "page": 2}'),
    ("web_extractor", '{"url": "URL"}'),
    ("web_extractor", '{"url": "URL", "part": 7}'),
    ("web_extractor", '{"url": "https://nowhere.example/"}'),
    ("dict_memory", '{"action": "add", "key": "a", "value": "b"}'),
    ("web_search", "{}"),
]
TABLES = [
    ("list_tables", "{}"),
    ("list_records", '{"table": "club", "limit": 30, "order_by": "founded"}'),
    ("list_records", '{"table": "no such"}'),
    ("get_records", '{"table": "plays_for", "ids": ["plays_for/0001", "plays_for/9999"]}'),
    ("create_records", '{"table": "region", "records": [{"name": "Aa"}, {"name": "Ab"}]}'),
    ("update_records", '{"table": "town", "ids": ["town/0001"], "changes": {"population": 5}}'),
    ("delete_records", '{"table": "festival", "ids": ["festival/0001", "festival/0002"]}'),
]


@pytest.fixture(scope="module")
def desk(quickstart):
    return Desk(open_world(quickstart))


def _run(session, calls):
    """Run one session's calls; nothing in it waits, so no loop is needed."""
    seen = []
    for name, arguments in calls:
        answer = session.step(ToolCall("1", name, arguments))
        try:
            answer.send(None)
        except StopIteration as done:
            seen.append(done.value)
    return seen


@settings(max_examples=60)
@given(
    PLAN,
    st.lists(st.sampled_from(SEARCHES), min_size=1, max_size=6),
    st.lists(st.sampled_from(TABLES), max_size=5),
    st.integers(0, 984),
)
def test_any_plan_answers_every_call_the_same_twice(desk, plan, searches, tables, page):
    url = desk.world.pages["url"][page].as_py()
    calls = [(name, arguments.replace("URL", url)) for name, arguments in searches]

    def played():
        one = desk.search.controls(plan).session("task/list-0003", 5)
        other = desk.database.controls(plan).session("task/list-0003", 6)
        return _run(desk.search.session(controls=one), calls) + _run(desk.database.session(controls=other), tables)

    first = played()
    assert len(first) == len(calls) + len(tables) and all(one.text for one in first)
    assert first == played()
    for one in first:
        assert set(one.controls) <= set(plan.controls())
        assert all(alteration.shown != alteration.true for alteration in one.altered)
        assert not one.altered or {"wrong_facts", "stale"} & set(one.controls)
