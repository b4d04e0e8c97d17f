"""Every Python example of README.md and the pages of docs/ runs, beside built worlds of the names it uses."""

import ast
import re
import shutil
from pathlib import Path

import pytest
from command import started

ROOT = Path(__file__).parent.parent
EXAMPLES = {
    str(path.relative_to(ROOT)): found
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if (found := re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL))
}
# Examples of trainers that tests install elsewhere: tests/consumers and tests/serving run them.
OF_TRAINERS = ("GRPOTrainer(", "skyrl_gym.register(", "verifiers_taskset import")

WORLD = """
import worldforge as wf
world = wf.open_world("output/quickstart")
"""
ROW = """
import pyarrow.parquet as pq
from pathlib import Path
shard = next(Path("output/quickstart/trajectories/oracle").glob("**/*.parquet"))
row = pq.read_table(shard).to_pylist()[0]
"""
MODEL = """
from worldforge.models.scripted_model import ScriptedModel
from worldforge.environments.search.environment import SearchEnvironment
model = ScriptedModel(lambda request: "nothing")
"""
VIEW = """
import datasets
from worldforge.datasets.selection.selection_settings import Selection
wf.export(world, views=["sft"], selection=Selection(clairvoyant=True), out="sft")
ds = datasets.load_dataset("sft", "sft", split="train")
"""
# What the text around a document's examples says is there already.
BEFORE = {
    "docs/bench.md": WORLD,
    "docs/ray.md": WORLD,
    "docs/rewards.md": ROW,
    "docs/scale.md": WORLD.replace("quickstart", "large"),
    "docs/selection.md": WORLD,
    "docs/views.md": WORLD + VIEW,
    "docs/world_model.md": WORLD + MODEL,
}


def runs_here(example: str) -> bool:
    return not any(mark in example for mark in OF_TRAINERS)


@pytest.fixture
def folder(document, tmp_path, quickstart):
    """A folder with the worlds and files that the examples of a document name."""
    text = "".join([BEFORE.get(document, ""), *EXAMPLES[document]])
    for name in ("quickstart", "mine", "large", "train", "evaluation"):
        if name in text:
            shutil.copytree(quickstart, tmp_path / "output" / name)
    (tmp_path / "recipe.yaml").write_text("success: 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("document", [name for name, found in EXAMPLES.items() if any(map(runs_here, found))])
def test_the_examples_of_a_document_run_twice(document, folder):
    once = [example for example in EXAMPLES[document] if runs_here(example)]
    script = folder / "examples.py"
    script.write_text("\n".join([BEFORE.get(document, ""), *once, *once]), encoding="utf-8")
    done = started(script, cwd=folder).wait()
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_that_run_elsewhere_name_what_is_there():
    elsewhere = [example for found in EXAMPLES.values() for example in found if not runs_here(example)]
    assert len(elsewhere) == len(OF_TRAINERS)
    for example in elsewhere:
        named = re.findall(r"(worldforge[\w.]*):(\w+)", example)
        for node in ast.walk(ast.parse(example)):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("worldforge"):
                named += [(node.module, alias.name) for alias in node.names]
        assert named
        for module, name in named:
            source = (ROOT / module.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")
            defined = {one.name for one in ast.parse(source).body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
            assert name in defined, f"{module} has no {name}"
