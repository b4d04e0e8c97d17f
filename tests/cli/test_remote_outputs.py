"""Addresses where a folder is due are refused, before anything is made of them."""

import pytest
from command import worldforge


@pytest.mark.parametrize("address", ["s3://bucket/here", "hf://datasets/me/mine", "gs://bucket"])
def test_an_address_is_no_output(quickstart, tmp_path, address):
    commands = (
        ["build", "quickstart", "--out", address],
        ["run", "quickstart", "--out", address],
        ["export", quickstart, "--out", address],
        ["bench", "transitions", quickstart, "--out", address],
        ["new", address],
    )
    for command in commands:
        refused = worldforge(*command, cwd=tmp_path, code=2)
        assert f"{address} is an address" in refused.stderr and "defect" not in refused.stderr, command
    assert list(tmp_path.iterdir()) == []
