"""Worlds that tests share, built by the command as a user would."""

import os
from pathlib import Path

import pytest
from command import worldforge
from filelock import FileLock
from hypothesis import settings

settings.register_profile("worldforge", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("worldforge")
ROOT = Path(__file__).parent.parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Keep the tests of a module together where they share what it builds, so that one worker builds it once."""
    for item in items:
        found = item._fixtureinfo.name2fixturedefs.values()
        shares = any(one.scope == "module" for fixtures in found for one in fixtures)
        if shares and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory):
    """The quickstart world, rolled out and exported: one for all workers. Not to be changed: copy it."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "worlds" / "quickstart"
    folder.parent.mkdir(exist_ok=True)
    whole = folder.with_suffix(".whole")
    with FileLock(folder.with_suffix(".lock")):
        if not whole.exists():
            worldforge("run", "quickstart", "--out", folder)
            whole.touch()
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """The folder of a tiny random model. Tests that load it into vLLM are marked `pytest.mark.xdist_group("vllm")`."""
    from tiny_model import make_tiny_model

    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def tiny_engine(tiny_model):
    """The tiny model in vLLM, once for all tests: `tiny_engine.model`, used as in `tiny_engine.run(model.reply(…))`.

    It calls tools in Hermes' form. Tests that use it are marked `pytest.mark.xdist_group("vllm")`.
    """
    from tiny_model import running

    with running(f"vllm:{tiny_model}?tool_parser=hermes&reasoning_parser=qwen3&enforce_eager=true") as engine:
        yield engine


@pytest.fixture(scope="session")
def tiny_server(tiny_model):
    """The address of a real `vllm serve` with the tiny model, which it calls `tiny`; marked like `tiny_engine`."""
    from tiny_model import serving

    calls = ["--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--reasoning-parser", "qwen3"]
    with serving(tiny_model, *calls, "--enable-prompt-tokens-details") as url:
        yield url
