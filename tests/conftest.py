"""Worlds that tests share, built by the command as a user would."""

import atexit
import gc
import os
import shutil
import signal
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from command import worldforge
from filelock import FileLock
from hypothesis import settings
from plain_quickstart import plain_quickstart
from slow import is_slow

from worldforge.entry_points.build_world import build
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import open_world

settings.register_profile("worldforge", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("worldforge")
ROOT = Path(__file__).parent.parent
LONGEST = (
    "vllm", "trl", "test_ray_nodes", "test_ray_pool", "test_world_schemas", "test_how_tos", "test_secrets",
    "test_current_folder",
)  # fmt: skip

# Of PyTorch: models are tiny, threads that wait for each other take CPU, and who has some cannot fork.
os.environ["OMP_NUM_THREADS"] = "1"

# Ray gives its workers niceness 15: beside other tests they would take three times as long.
os.environ.update(RAY_worker_niceness="0")

# A shell has what it starts with `&` ignore interrupts, and all that this starts: some of it is to be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    """Let workers take the groups in our order."""
    config.option.loadscopereorder = False


def pytest_xdist_auto_num_workers():
    """Run one more at once than there are cores: a fifth of the time tests wait for what they started or killed."""
    return (os.cpu_count() or 1) + 1


def pytest_ignore_collect(collection_path, config):
    """Leave out modules of which no test is asked for: to import them takes seconds in every worker."""
    if config.option.markexpr == "not slow" and collection_path.suffix == ".py":
        return is_slow(collection_path.relative_to(Path(__file__).parent).as_posix()) or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the garbage collector from what stays: six thousand tests, which every build would look through again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Keep the tests of a module together where they share what it builds, so that one worker builds it once.

    What takes longest begins first, then the largest groups: no worker is left alone with one of them at the end.
    """
    for item in items:
        if is_slow(item.nodeid.removeprefix("tests/")):
            item.add_marker(pytest.mark.slow)
        found = item._fixtureinfo.name2fixturedefs.values()
        shares = any(one.scope == "module" for fixtures in found for one in fixtures)
        if shares and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    sizes = Counter(group for group in map(_group, items) if group)
    order = {group: place for place, group in enumerate(LONGEST)}
    items.sort(key=lambda item: (order.get(_group(item) or item.path.stem, len(order)), -sizes[_group(item)]))


def _group(item):
    mark = item.get_closest_marker("xdist_group")
    return mark.args[0] if mark else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """End the engine before the first test that is none of its group: an engine that waits takes CPU all the same."""
    if _group(item) != "vllm":
        _VLLM.end()


def pytest_unconfigure():
    """End the engine, and give the collector back what it was kept from: libraries look at the end for what is left.

    Only when Python ends: pytest collects garbage ten times before, a quarter of a second each over all that stays.
    """
    _VLLM.end()
    atexit.register(gc.unfreeze)


class _Shared:
    """What tests share for as long as they follow each other: opened by the first that asks for it."""

    def __init__(self):
        self._stack, self._opened = ExitStack(), {}

    def get(self, name, context, *arguments):
        """Return what `context(*arguments)` gave when it was entered."""
        if name not in self._opened:
            self._opened[name] = self._stack.enter_context(context(*arguments))
        return self._opened[name]

    def end(self):
        """Close all, the last first."""
        self._opened.clear()
        self._stack.close()


_VLLM = _Shared()


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
    """The quickstart world, played by the oracle and exported: one for all workers. Not to be changed: copy it."""
    plain = ("rollouts.agent=oracle", "rollouts.dialect=null", "gates.searcher.max_steps=0")
    command = ("run", "quickstart", *(part for setting in plain for part in ("--set", setting)), "--out")
    folder = once(tmp_path_factory, "quickstart", lambda folder: worldforge(*command, folder))
    yield folder
    runs = sorted(path.name for path in (folder / "trajectories").iterdir() if path.is_dir())
    assert runs == ["oracle"], f"a test has changed the world that all tests share, and should copy it: runs {runs}"


@pytest.fixture(scope="session")
def searched(quickstart, tmp_path_factory):
    """The quickstart world as it ships: the searcher played five of its tasks. Not to be changed: copy it."""

    def make(folder):
        shutil.copytree(quickstart, folder, ignore=shutil.ignore_patterns("trajectories", "datasets"))
        worldforge("build", "quickstart", "--out", folder)
        worldforge("rollout", folder, "--limit", 5)

    return once(tmp_path_factory, "searched", make)


@pytest.fixture(scope="session")
def world(quickstart):
    """The quickstart world, opened. Not to be changed: copy its folder."""
    return open_world(quickstart)


@pytest.fixture(scope="session")
def plain_world(tmp_path_factory):
    """Quickstart without its phrasebook: pages state every fact in infoboxes and tables. Not to be changed."""

    def make(folder):
        build(load_spec(plain_quickstart(), ["gates.searcher.max_steps=0"]), folder)

    return open_world(once(tmp_path_factory, "plain_quickstart", make))


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """The folder of a tiny random model. Tests that load it into vLLM are marked `pytest.mark.xdist_group("vllm")`."""
    return once(tmp_path_factory, "tiny", _make_tiny_model)


def _make_tiny_model(folder):
    from tiny_model import make_tiny_model

    make_tiny_model(folder)


@pytest.fixture
def tiny_engine(tiny_model):
    """The tiny model in vLLM, once for all tests: `tiny_engine.model`, used as in `tiny_engine.run(model.reply(…))`.

    It calls tools in Hermes' form. Tests that use it are marked `pytest.mark.xdist_group("vllm")`.
    """
    from tiny_model import running

    address = f"vllm:{tiny_model}?tool_parser=hermes&reasoning_parser=qwen3&dtype=float32&enforce_eager=true"
    return _VLLM.get("engine", running, address)


@pytest.fixture
def tiny_server(tiny_engine):
    """The address of vLLM's own server before that engine, in which the model is called `tiny`; marked alike."""
    from tiny_model import serving

    calls = ["--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--enable-prompt-tokens-details"]
    return _VLLM.get("server", serving, tiny_engine, *calls)
