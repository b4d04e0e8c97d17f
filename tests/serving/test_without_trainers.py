"""No trainer comes with WorldForge: what needs none imports none, and what needs one says which."""

import importlib
import json
import subprocess
import sys

import pytest

from worldforge.core.errors import InputError

NEEDS = {"verl_tools": "verl", "skyrl_env": "skyrl_gym", "verifiers_taskset": "verifiers"}


@pytest.mark.parametrize(("module", "package"), NEEDS.items())
def test_a_missing_trainer_is_named_with_what_to_install(module, package, monkeypatch):
    name = f"worldforge.serving.{module}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    for loaded in [key for key in sys.modules if key.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match="cannot be imported") as refusal:
        importlib.import_module(name)
    assert f"pip install {package.replace('_', '-')}" in refusal.value.hint


def test_rewards_and_trls_environment_import_no_trainer_and_no_model_library():
    code = (
        "import sys, json, worldforge.serving.trl_environment, worldforge.serving.answer_reward; "
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"trl", "verl", "skyrl_gym", "verifiers", "torch", "transformers", "vllm", "datasets", "networkx", "mcp"}
    assert not heavy & set(json.loads(done.stdout))
