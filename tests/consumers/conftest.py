"""A dataset of every view, for the trainers that read it."""

import shutil

import datasets
import pytest
from command import worldforge

AGENT = "noisy-searcher?misread=0.05&forget=0.05&give_up=0&malformed=0.05"
"""Solves a quarter of the tasks in 50 calls: half of these episodes have a turn that is not to be learnt."""


@pytest.fixture(scope="session")
def played(quickstart, tmp_path_factory):
    """The quickstart world with trajectories that are not perfect, and a dataset of every view."""
    folder = tmp_path_factory.mktemp("consumers") / "quickstart"
    shutil.copytree(quickstart, folder)
    worldforge("rollout", folder, "--agent", AGENT, "--max-steps", 50, "--trials", 3)
    worldforge("export", folder, "--view", "all")
    return folder


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """A cache of this session's own: `datasets` takes folders of one name and card for the same dataset."""
    before, datasets.config.HF_DATASETS_CACHE = datasets.config.HF_DATASETS_CACHE, tmp_path_factory.mktemp("cache")
    yield
    datasets.config.HF_DATASETS_CACHE = before


@pytest.fixture(scope="session")
def dataset(played):
    """The folder of that dataset."""
    return played / "datasets"
