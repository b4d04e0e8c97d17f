"""Worlds that tests share, built by the command as a user would."""

import os
from pathlib import Path

import pytest
from command import worldforge
from hypothesis import settings

settings.register_profile("worldforge", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("worldforge")
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory):
    """The quickstart world, rolled out and exported. Not to be changed: copy it."""
    folder = tmp_path_factory.mktemp("worlds") / "quickstart"
    worldforge("run", "quickstart", "--out", folder)
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """The folder of a tiny random model. Tests that load it into vLLM are marked `pytest.mark.xdist_group("vllm")`."""
    from tiny_model import make_tiny_model

    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny")
