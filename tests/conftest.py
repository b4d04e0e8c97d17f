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


def once(tmp_path_factory, name, make):
    """The folder `name`, which the first worker to come here makes for all by `make(folder)`."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "shared" / name
    folder.parent.mkdir(exist_ok=True)
    whole = folder.with_name(f"{name}.whole")
    with FileLock(folder.with_name(f"{name}.lock")):
        if not whole.exists():
            make(folder)
            whole.touch()
    return folder


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory):
    """The quickstart world, rolled out and exported: one for all workers. Not to be changed: copy it."""
    return once(tmp_path_factory, "quickstart", lambda folder: worldforge("run", "quickstart", "--out", folder))


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """The folder of a tiny random model. Tests that load it into vLLM are marked `pytest.mark.xdist_group("vllm")`."""
    return once(tmp_path_factory, "tiny", _make_tiny_model)


def _make_tiny_model(folder):
    from tiny_model import make_tiny_model

    make_tiny_model(folder)


@pytest.fixture(scope="session")
def tiny_engine(tiny_model):
    """The tiny model in vLLM, once for all tests: `tiny_engine.model`, used as in `tiny_engine.run(model.reply(…))`.

    It calls tools in Hermes' form. Tests that use it are marked `pytest.mark.xdist_group("vllm")`.
    """
    from tiny_model import running

    with running(f"vllm:{tiny_model}?tool_parser=hermes&reasoning_parser=qwen3&enforce_eager=true") as engine:
        yield engine


@pytest.fixture(scope="session")
def tiny_server(tiny_engine):
    """The address of vLLM's own server before that engine, in which the model is called `tiny`; marked alike."""
    from tiny_model import serving

    calls = ["--enable-auto-tool-choice", "--tool-call-parser", "hermes"]
    with serving(tiny_engine, *calls, "--enable-prompt-tokens-details") as url:
        yield url
