"""Two models of other weights in folders of one name: a store of observations does not take one for the other."""

import shutil

import pytest

from worldforge.models.vllm import _weights

pytestmark = pytest.mark.xdist_group("vllm")


def test_weights_are_known_by_every_byte_and_not_by_their_folder(tiny_model, tmp_path):
    copy = shutil.copytree(tiny_model, tmp_path / "elsewhere" / "copy")
    assert _weights(str(copy), None) == _weights(str(tiny_model), None)
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert _weights(str(copy), None) != _weights(str(tiny_model), None)
