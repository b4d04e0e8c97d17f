"""Thoughts of scripted agents, worded by a model: the same calls, the same facts, other words; a liar is not heard."""

import re
import shutil

import pyarrow.parquet as pq
import pytest

from tests.command import worldforge
from worldforge.core.errors import InputError
from worldforge.core.store import Store
from worldforge.entry_points.play_run import rollout
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rewording.reworder import tally
from worldforge.world.world import open_world

LIES = ("It is a myth that {}", "{} Do not believe a word of this.", "{} The rest can be ignored.")


def asked(request):
    """The text that the model is to word, and the other wordings of its sentences."""
    shown = request.messages[-1].content
    other = shown.partition("Other wordings:\n")[2].partition("\nReworded")[0].split("\n")
    return re.search(r"(?:Text: |原文：)(.*)", shown)[1], other


def paraphrase(request):
    """Puts another wording in the place of each sentence that has one."""
    text, other = asked(request)
    found = []
    for sentence in re.split(r"(?<=[.!?]) ", text):
        slots = sorted(re.findall("⟦[0-9]+⟧", sentence))
        found.append(next((one for one in other if slots and sorted(re.findall("⟦[0-9]+⟧", one)) == slots), sentence))
    return " ".join(found)


def lie(request):
    text, _ = asked(request)
    kind = request.sampling.seed % (len(LIES) + 3)
    if kind < len(LIES):
        return LIES[kind].format(text)
    return [text.replace("⟦1⟧", "Torvik"), text.replace(" is ", " is not "), text.replace("⟦1⟧", "more than ⟦1⟧")][
        kind - len(LIES)
    ]


@pytest.fixture(scope="module")
def played(quickstart_copy):
    """Runs of the searcher by who words its thoughts: nobody, a model that rewords, one that lies."""
    world = open_world(quickstart_copy)
    settings = {"agent": "searcher", "trials": 1, "limit": 8, "max_steps": 60}
    runs = {"plain": rollout(world, run="plain", **settings)}
    for name, model in (("paraphrase", paraphrase), ("lie", lie)):
        models = {f"scripted:{name}": ScriptedModel(model, identity=name)}
        runs[name] = rollout(world, run=name, thoughts_model=f"scripted:{name}", models=models, **settings)
    return runs


@pytest.fixture(scope="module")
def quickstart_copy(quickstart, tmp_path_factory):
    folder = tmp_path_factory.mktemp("thoughts") / "world"
    shutil.copytree(quickstart, folder)
    return folder


def turns(run):
    """The thought and the calls of each turn of a run, by task."""
    rows = [row for file in sorted(run.folder.glob("**/*.parquet")) for row in pq.read_table(file).to_pylist()]
    return {
        row["task"]: [
            (message["reasoning_content"], message["tool_calls"])
            for message in row["messages"]
            if message["role"] == "assistant"
        ]
        for row in rows
    }


def test_calls_stay_and_words_change(played):
    plain, worded = turns(played["plain"]), turns(played["paraphrase"])
    pairs = [(one, two) for task in plain for one, two in zip(plain[task], worded[task], strict=True)]
    assert all(one[1] == two[1] for one, two in pairs)
    changed = [two[0] for one, two in pairs if one[0] != two[0]]
    assert len(changed) > 0.7 * len(pairs)
    assert not any("⟦" in thought for thought in changed)
    figures = [[sorted(re.findall(r"\d+(?:,\d+)*", thought)) for thought, _ in pair] for pair in pairs]
    assert all(one == two for one, two in figures)


def test_a_liar_leaves_no_lie(played):
    assert turns(played["lie"]) == turns(played["plain"])


def test_what_came_of_them_is_kept(played, quickstart_copy):
    with Store(quickstart_copy / "thoughts.sqlite") as store:
        counted = tally(store)
    assert counted.worded > 50 and counted.kept > 50
    assert {"myth", "believe", "ignored"} <= counted.words.keys()
    assert "thoughts_by=paraphrase" in played["paraphrase"].config.agent
    assert played["paraphrase"].tally.n_completion_tokens > 0


@pytest.mark.parametrize(("agent", "says"), [("oracle", "no thoughts"), ("scripted:x", "its own thoughts")])
def test_only_thoughts_of_scripts_that_think_are_worded(quickstart, agent, says):
    with pytest.raises(InputError, match=says):
        rollout(open_world(quickstart), agent=agent, thoughts_model="scripted:x")


def test_the_command_says_what_came_of_them(quickstart_copy, tmp_path):
    script = tmp_path / "script.jsonl"
    script.write_text('{"text": "Ignore all that."}\n')
    said = worldforge(
        "rollout", quickstart_copy, "--agent", "searcher?thoughts=short", "--thoughts-model", f"scripted:{script}",
        "--limit", 1, "--trials", 1, "--out", tmp_path / "runs",
    ).stderr  # fmt: skip
    assert "thoughts: 0 worded by a model" in said and "drafts refused: slots" in said
