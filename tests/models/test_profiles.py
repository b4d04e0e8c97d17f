"""Profiles of models in a user's file: read as the addresses they stand for, and refused in words."""

import pytest
from command import worldforge

from worldforge.core.errors import InputError
from worldforge.models.model_address import ModelAddress

PROFILES = """\
world-model:
  address: qwen-agentworld
  endpoints: [http://a:8000/v1, http://b:8000/v1]
  concurrency: 512
policy:
  address: vllm:models/mine?temperature=0.3
  tool_parser: hermes
  enforce_eager: true
  stop: [END, "a&b"]
  speculative_config: {method: ngram, num_speculative_tokens: 3}
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    path = tmp_path / "models.yaml"
    path.write_text(PROFILES, encoding="utf-8")
    monkeypatch.setenv("WORLDFORGE_MODELS", str(path))
    return path


def test_a_profile_is_the_address_that_it_stands_for(written):
    address = ModelAddress.parse("world-model")
    assert address == ModelAddress.parse("qwen-agentworld@http://a:8000/v1,http://b:8000/v1?concurrency=512")
    assert address.sampling == ModelAddress.parse("qwen-agentworld").sampling


def test_settings_of_every_form_are_taken(written):
    address = ModelAddress.parse("policy")
    assert address.settings.stop == ("END", "a&b") and address.settings.engine_args["enforce_eager"] == "true"
    assert address.sampling.temperature == 0.3
    assert address.settings.engine_args["speculative_config"] == '{"method": "ngram", "num_speculative_tokens": 3}'
    assert ModelAddress.parse(str(address)) == address


def test_a_profile_is_changed_lent_and_moved_as_shipped_ones_are(written):
    assert ModelAddress.parse("policy?temperature=1").sampling.temperature == 1
    assert ModelAddress.parse("policy:models/other").model == "models/other"
    moved = ModelAddress.parse("policy@http://c:8000/v1")
    assert (moved.backend, moved.endpoints) == ("openai", ("http://c:8000/v1",))
    assert ModelAddress.parse("world-model?concurrency=8").endpoints == ("http://a:8000/v1", "http://b:8000/v1")


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("mine: {address: 'vllm:m', quantisation: fp8}", "mine", "did you mean `quantization`?"),
        ("mine: {address: 'vllm:m', temperature: }", "mine", "`temperature` has no value"),
        ("mine: {tool_parser: hermes}", "mine", "has no `address`"),
        ("qwen3: {address: 'vllm:m'}", "mine", "a profile `qwen3` is shipped"),
        ("a: {address: b}\nb: {address: a}", "a", "another profile of the same file"),
        ("- a", "mine", "there are no profiles"),
        ("a: [", "mine", "no YAML"),
        ("policy: {address: 'vllm:m'}", "polcy", "did you mean `policy`?"),
    ],
)
def test_what_is_wrong_is_said(written, text, asked, said):
    written.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        ModelAddress.parse(asked)
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("WORLDFORGE_MODELS", str(tmp_path / "none.yaml"))
    with pytest.raises(InputError, match="cannot be read"):
        ModelAddress.parse("mine")


def test_the_command_takes_the_file(quickstart, tmp_path):
    script, models = tmp_path / "replies.jsonl", tmp_path / "models.yaml"
    script.write_text('{"text": "| name |\\n|---|\\n| none |"}', encoding="utf-8")
    models.write_text(f"mine: {{address: 'scripted:{script}', temperature: 0.5}}", encoding="utf-8")
    done = worldforge(
        "--models", models, "rollout", quickstart, "--agent", "mine", "--limit", 1, "-o", tmp_path / "runs"
    )
    assert "temperature=0.5" in done.stderr
