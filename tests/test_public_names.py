"""The names of the package `worldforge`: each is the same object however, and however often, it is imported."""

import pkgutil
import shutil
import subprocess
import sys

import pytest

import worldforge

SUBMODULES = [module.name for module in pkgutil.walk_packages(worldforge.__path__, "worldforge.")]
CALLS = {
    "Action": 'Action("done").content == "done"',
    "Environment": "Environment.__name__ == 'Environment'",
    "Selection": "Selection().model_dump()",
    "World": "World(path=world.path, manifest=world.manifest).digest == world.digest",
    "build": 'build(out / "small.yaml", out / "small").counts["tasks"] == 2',
    "export": 'export(world, out=out / "datasets").n_rows == 40',
    "load_spec": 'load_spec("quickstart").name == world.name',
    "open_world": "open_world(world.path).digest == world.digest",
    "play": "play(world, world.tasks[0], Mute).answer == 'nothing'",
    "play_async": "play_async.__name__ == 'play_async'",
    "push": 'push(world.path / "datasets", "no repository")',
    "rollout": 'rollout(world, limit=1, run="again").tally.n_failed == 0',
    "score": "score(out / 'answers.jsonl', world.path).n_answers == 1",
    "score_answer": "score_answer(world, world.tasks[0], 'nothing')['item_f1'] == 0",
    "tool_call": "tool_call('web_search', queries=['towns']).name == 'web_search'",
}
BEFORE = """
import json, sys
from pathlib import Path
import worldforge as wf
out = Path(sys.argv[1])
world = wf.open_world(out / "world")
(out / "small.yaml").write_text("extends: quickstart\\nname: small\\nscale: 0.1\\ntasks: {list: {count: 2}}\\n")
(out / "answers.jsonl").write_text(json.dumps({"task": world.tasks[0].id, "answer": "nothing"}))

class Mute:
    def __init__(self, question):
        self.question = question

    def act(self, observations):
        return "nothing"
"""


def run(out, *lines):
    command = [sys.executable, "-c", "\n".join([BEFORE, *lines]), out]

    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def called(name, prefix):
    """Lines that call a name; a dataset is refused that has no repository to go to."""
    if name == "push":
        error = "from worldforge.core.errors import WorldForgeError"
        return [error, "try:", f"    {prefix}{CALLS[name]}", "except WorldForgeError:", "    pass"]
    return [f"assert {prefix}{CALLS[name]}"]


def test_no_public_name_is_the_name_of_a_submodule():
    assert set(worldforge.__all__) & {name.split(".")[1] for name in SUBMODULES} == set()


def test_every_public_name_is_called():
    assert set(CALLS) == set(worldforge.__all__)


@pytest.mark.parametrize("prefix", ["wf.", ""])
def test_public_names_work_and_stay_when_all_have_been_called(prefix, quickstart, tmp_path):
    shutil.copytree(quickstart, tmp_path / "world")
    imported = [f"from worldforge import {name}" for name in CALLS]
    calls = [line for name in CALLS for line in called(name, prefix)]
    same = [f"assert callable(wf.{name}) and {name} is wf.{name}" for name in CALLS]
    if prefix:
        run(tmp_path, *calls, *imported, *same)
    else:
        run(tmp_path, *imported, *calls, *same)


def test_public_names_stay_when_all_submodules_are_imported(tmp_path, quickstart):
    (tmp_path / "world").symlink_to(quickstart)
    run(
        tmp_path,
        "import importlib",
        "from worldforge.core.errors import InputError",
        f"for name in {SUBMODULES!r}:",
        "    try:",
        "        importlib.import_module(name)",
        "    except InputError as missing:  # of an extra that is not installed",
        "        assert 'cannot be imported' in str(missing) or 'not installed' in str(missing), missing",
        "from worldforge import *",
        *[f"assert callable(wf.{name}) and {name} is wf.{name}" for name in CALLS],
    )
