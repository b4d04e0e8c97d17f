"""A dataset of every view, for the trainers that read it."""

import shutil

import pytest
from command import worldforge


@pytest.fixture(scope="session")
def played(quickstart, tmp_path_factory):
    """The quickstart world with trajectories that are not perfect, and a dataset of every view."""
    folder = tmp_path_factory.mktemp("consumers") / "quickstart"
    shutil.copytree(quickstart, folder)
    worldforge("rollout", folder, "--agent", "noisy-oracle", "--trials", 3)
    worldforge("export", folder, "--view", "all")
    return folder


@pytest.fixture(scope="session")
def dataset(played):
    """The folder of that dataset."""
    return played / "datasets"
