"""TRL's environment: reset with a row, its methods as tools, a reward; as TRL calls it, one instance a rollout."""

import inspect

import pytest

from worldforge.core.errors import InputError
from worldforge.datasets.views.rl_trl import VIEW as RL_TRL
from worldforge.datasets.views.rl_verl import VIEW as RL_VERL
from worldforge.environments.answer_rows import answer_table
from worldforge.environments.search.dialects import PLAIN
from worldforge.environments.search.evidence_plan import EvidencePlanner
from worldforge.environments.search.oracle import SearchOracle
from worldforge.environments.session import Observation
from worldforge.serving.trl_environment import SearchAndAnswerTools, SearchTools, item_f1, row_f1, success
from worldforge.world.evidence import Evidence
from worldforge.world.value_formats import ValueFormats
from worldforge.world.world import open_world


def tools_of(environment):
    """What TRL takes for tools."""
    methods = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    names = [name for name, _ in methods if name not in ("reset", "get_reward") and not name.startswith("_")]
    return {name: getattr(environment, name) for name in names}


def played(environment, oracle):
    """The oracle's answer, after it has played through the environment's tools."""
    tools, step = tools_of(environment), next(oracle)
    while True:
        texts = [tools[name](**arguments) for name, arguments in step.calls]
        try:
            step = oracle.send(list(map(Observation, texts)))
        except StopIteration as end:
            return end.value


def test_the_oracle_earns_1_through_the_tools_on_the_quickstart_world(quickstart, rows_of):
    world = open_world(quickstart)
    planner = EvidencePlanner(world.pages, Evidence(world.mentions), ValueFormats.of_world(world))
    environment = SearchAndAnswerTools()
    for task, row in list(zip(world.tasks, rows_of(RL_TRL, world), strict=True))[:5]:
        assert "`answer`" in environment.reset(**row)
        assert environment.get_reward() == 0.0
        answer = played(environment, SearchOracle(task, planner.plan(task), PLAIN).play())
        environment.answer(answer)
        assert environment.get_reward() == 1.0
        completions = [[{"role": "assistant", "content": answer}], [{"role": "assistant", "content": ""}], []]
        for reward in (item_f1, row_f1, success):
            told = reward(completions=completions, ground_truth=[row["ground_truth"]] * 3, task_id=[""] * 3)
            assert told == [1.0, 0.0, 0.0]


def test_its_tools_are_what_the_prompt_speaks_of(paper_world, rows_of):
    assert list(tools_of(SearchTools())) == [tool["function"]["name"] for tool in PLAIN.tools]
    assert set(tools_of(SearchAndAnswerTools())) == {"answer", "search", "visit"}
    chat = pytest.importorskip("transformers.utils.chat_template_utils")
    for method in tools_of(SearchAndAnswerTools()).values():
        function = chat.get_json_schema(method)["function"]
        assert all(told["description"] for told in function["parameters"]["properties"].values())
    assert SearchTools().reset(**rows_of(RL_TRL, paper_world)[0]) is None


def test_a_visit_shows_the_page_and_what_goes_wrong_is_words(paper_world, rows_of):
    environment = SearchTools()
    environment.reset(**rows_of(RL_TRL, paper_world)[0])
    assert "https://wiki.example/velmar-rovers" in environment.search("Velmar Rovers")
    assert "founded in 1901" in environment.visit("https://wiki.example/velmar-rovers")
    assert environment.visit("https://wiki.example/nobody").startswith("Error: 404")
    assert environment.search("").startswith("Error: malformed request")
    assert environment.search("clubs", page="two").startswith("Error: malformed request")


def test_environments_do_not_leak_into_one_another_nor_episodes(paper_world, rows_of):
    rows = rows_of(RL_TRL, paper_world)
    one, other = SearchAndAnswerTools(), SearchAndAnswerTools()
    one.reset(**rows[0])
    other.reset(**rows[1])
    gold = [list(row) for row in paper_world.tasks[0].gold]
    one.answer(answer_table(["Club", "Founded"], gold))
    assert (one.get_reward(), other.get_reward()) == (1.0, 0.0)
    one.reset(**rows[1])
    assert one.get_reward() == 0.0


def test_the_last_turn_is_the_answer_if_it_is_the_agents(paper_world, rows_of):
    row, task = rows_of(RL_TRL, paper_world)[0], paper_world.tasks[0]
    table = answer_table(task.labels, [list(cells) for cells in task.gold])
    turn = {"role": "assistant", "content": table}
    completions = [
        [{"role": "assistant", "content": ""}, {"role": "tool", "name": "visit", "content": table}],
        [turn | {"tool_calls": [{}]}],
        [turn, {"role": "tool", "name": "search", "content": ""}],
        [{"role": "assistant", "content": [{"type": "text", "text": table}]}],
        table,
    ]
    assert item_f1(completions, [row["ground_truth"]] * 5) == [0.0, 0.0, 0.0, 1.0, 1.0]


def test_bad_rows_are_refused_with_a_reason(paper_world, rows_of):
    row = rows_of(RL_TRL, paper_world)[0]
    with pytest.raises(InputError, match="was not reset"):
        SearchTools().search("clubs")
    with pytest.raises(InputError, match="lacks `world`"):
        SearchTools().reset(**rows_of(RL_VERL, paper_world)[0])
    with pytest.raises(InputError, match="has no text in `ground_truth`"):
        SearchTools().reset(**row | {"ground_truth": {}})
    with pytest.raises(InputError, match="tools of dialect `agentworld`"):
        SearchTools().reset(**row | {"dialect": "agentworld"})
    with pytest.raises(InputError, match="another than the rows were made of"):
        SearchTools().reset(**row | {"world_digest": "0" * 64})
