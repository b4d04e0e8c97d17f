"""A model's address reads back as it is written, keeps no secret, and says what is wrong with it."""

import pickle
import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.models.address_settings import AddressSettings, setting_names
from worldforge.models.chat import Sampling
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_weights import engine_identity
from worldforge.models.profiles import shipped_profiles

NAMES = st.text(string.ascii_letters + string.digits + "/-_.:", min_size=1, max_size=40)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=20)
VALUES = {
    "temperature": st.floats(0, 2),
    "top_p": st.floats(0, 1, exclude_min=True),
    "top_k": st.integers(0, 1000),
    "min_p": st.floats(0, 1),
    "presence_penalty": st.floats(-2, 2),
    "repetition_penalty": st.floats(0, 10, exclude_min=True),
    "max_tokens": st.integers(1, 10**6),
    "stop": st.lists(WORDS, min_size=1, max_size=3).map(tuple),
    "thinking": st.booleans(),
    "identity": WORDS,
    "max_model_len": st.integers(1, 10**6),
    "chat_template": WORDS,
    "tool_parser": WORDS,
    "reasoning_parser": WORDS,
    "tensor_parallel_size": st.integers(1, 64),
    "pipeline_parallel_size": st.integers(1, 64),
    "data_parallel_size": st.integers(1, 64),
    "concurrency": st.integers(1, 1000),
    "timeout_s": st.floats(0, 10**6, exclude_min=True),
    "retries": st.integers(0, 100),
    "gpus": st.integers(0, 1000),
    "api_key_env": st.from_regex(r"\A[A-Z_][A-Z0-9_]{0,20}\Z"),
}

ENGINE_ARGS = ["quantization", "dtype", "seed", "max_num_batched_tokens", "speculative_config.method", "hf_overrides"]


@st.composite
def addresses(draw):
    backend = draw(st.sampled_from(["vllm", "openai", "scripted"]))
    urls = ["http://127.0.0.1:8000/v1", "https://models.example"]
    url = tuple(draw(st.lists(st.sampled_from(urls), unique=True))) if backend == "openai" else ()
    names = draw(st.sets(st.sampled_from(setting_names(backend))))
    further = draw(st.dictionaries(st.sampled_from(ENGINE_ARGS), WORDS, max_size=3)) if backend == "vllm" else {}
    settings = AddressSettings(**{name: draw(VALUES[name]) for name in sorted(names)}, **further)
    return ModelAddress(backend, draw(NAMES), url, settings)


def test_every_setting_is_tried():
    assert set(VALUES) == set(setting_names())


@given(addresses())
def test_an_address_reads_back_as_it_is_written(address):
    again = ModelAddress.parse(str(address))
    assert again == address
    assert hash(again) == hash(address)
    assert pickle.loads(pickle.dumps(address)) == address


@given(st.text())
def test_rubbish_is_an_address_or_explained(text):
    try:
        address = ModelAddress.parse(text)
    except InputError as error:
        assert error.message.startswith("model `")
        assert "\n" not in error.message
    else:
        assert ModelAddress.parse(str(address)) == address


@given(st.sampled_from(["vllm:m", "openai:m@http://h/v1", "scripted:f", "qwen3"]), st.text(min_size=1))
def test_rubbish_settings_are_explained(start, query):
    try:
        address = ModelAddress.parse(f"{start}?{query}")
    except InputError as error:
        assert error.message.startswith("model `")
    else:
        assert ModelAddress.parse(str(address)) == address


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("vllm:", "no model is named"),
        ("", "no profile is called ``"),
        ("qwen33", "did you mean `qwen3`?"),
        ("vlm:Qwen/Qwen3-8B", "did you mean `vllm`?"),
        ("vllm:m?tool_praser=hermes", "did you mean `tool_parser`?"),
        ("vllm:m?quantisation=fp8", "did you mean `quantization`?"),
        ("vllm:m?quantization=fp8&quantization=awq", "`quantization` is set twice"),
        ("vllm:m?hf_token=x", "an address must not hold a key"),
        ("vllm:m?tool_call_parser=hermes", "it is called `tool_parser` here"),
        ("openai:m@http://h/v1?quantization=fp8", "no setting is called `quantization`"),
        ("vllm:m?temperature=hot", "`temperature=hot` cannot be"),
        ("vllm:m?temperature=3", "less than or equal to 2"),
        ("vllm:m?temperature=nan", "`temperature=nan` cannot be"),
        ("vllm:m?top_k=1.5", "`top_k=1.5` cannot be"),
        ("vllm:m?thinking=perhaps", "`thinking=perhaps` cannot be"),
        ("vllm:m?top_k=1&top_k=2", "`top_k` is set twice"),
        ("vllm:m?top_k", "name=value"),
        ("vllm:m?concurrency=4", "`concurrency` is a setting of `openai:` addresses"),
        ("openai:m@http://h/v1?tool_parser=hermes", "`tool_parser` is a setting of `vllm:` addresses"),
        ("openai:m@http://h/v1?api_key_env=sk-123", "`api_key_env` names no environment variable that is set"),
        ("vllm:m@http://h/v1", "write openai:m@http://h/v1"),
        ("openai:m@http://", "cannot be read"),
        ("openai:m@http://h:port/v1", "cannot be read"),
        ("openai:m@http://a/v1,b:8000/v1", "several as http://a:8000/v1,http://b:8000/v1"),
    ],
)
def test_what_is_wrong_is_said(text, said):
    with pytest.raises(InputError) as caught:
        ModelAddress.parse(text)
    assert said in str(caught.value)


def test_a_password_in_a_web_address_is_refused_and_not_repeated():
    with pytest.raises(InputError) as caught:
        ModelAddress.parse("openai:m@https://me:sk-secret@models.example/v1")
    assert "api_key_env" in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_sampling_is_what_was_set_over_the_defaults():
    address = ModelAddress.parse("vllm:m?temperature=0.2&max_tokens=99&stop=a&stop=b%26c&thinking=false")
    assert address.sampling == replace(Sampling(), temperature=0.2, max_tokens=99, stop=("a", "b&c"))
    assert address.thinking is False
    assert ModelAddress.parse("vllm:m").sampling == Sampling()
    assert ModelAddress.parse("vllm:m").thinking is None


def test_what_draws_differently_is_one_engine():
    plain, warm = ModelAddress.parse("vllm:m?dtype=float32"), ModelAddress.parse("vllm:m?dtype=float32&temperature=1.5")
    assert plain.engine == warm.engine != ModelAddress.parse("vllm:m?dtype=bfloat16").engine
    assert warm.engine.sampling == Sampling()


def test_the_world_model_has_the_published_flags():
    address = ModelAddress.parse("qwen-agentworld")
    settings = address.settings
    assert (address.backend, address.model) == ("vllm", "Qwen/Qwen-AgentWorld-35B-A3B")
    assert (settings.tensor_parallel_size, settings.max_model_len) == (4, 262_144)
    assert (settings.reasoning_parser, settings.engine_args) == ("qwen3", {"language_model_only": "true"})
    assert (address.sampling.temperature, address.sampling.top_p, address.sampling.top_k) == (0.6, 0.95, 20)


def test_a_profile_can_be_changed_moved_and_lent():
    profile = ModelAddress.parse("qwen3")
    shorter = ModelAddress.parse("qwen3?max_model_len=8192&temperature=1")
    assert shorter.settings == profile.settings.model_copy(update={"max_model_len": 8192, "temperature": 1.0})
    lent = ModelAddress.parse("qwen3:models/mine")
    assert lent == replace(profile, model="models/mine")
    served = ModelAddress.parse("qwen3@http://127.0.0.1:8000/v1?concurrency=8")
    assert (served.backend, served.model, served.endpoints) == ("openai", profile.model, ("http://127.0.0.1:8000/v1",))
    assert served.sampling == profile.sampling
    assert served.settings.tool_parser is None  # the server's business
    assert served.settings.concurrency == 8


@pytest.mark.parametrize("name", shipped_profiles())
def test_a_profile_reads_back_as_it_is_written_out(name):
    address = ModelAddress.parse(name)
    assert ModelAddress.parse(str(address)) == address


def test_an_engine_takes_the_gpus_of_all_its_parallel_parts():
    assert ModelAddress.parse("vllm:m").n_gpus == 1
    assert ModelAddress.parse("vllm:m?tensor_parallel_size=4&data_parallel_size=2&quantization=fp8").n_gpus == 8
    assert ModelAddress.parse("openai:m@http://h/v1").n_gpus == 0


def test_a_further_argument_of_an_engine_changes_an_argument_of_a_profile():
    address = ModelAddress.parse("qwen3?quantization=fp8")
    assert address.settings.tool_parser == "hermes" and address.settings.engine_args == {"quantization": "fp8"}
    assert address.engine != ModelAddress.parse("qwen3").engine


def test_weights_are_quantised_or_of_a_revision_and_then_others(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    queries = ("", "?quantization=fp8", "?quantization=awq", "?max_num_batched_tokens=8192", "?temperature=1")
    plain, fp8, awq, batched, warm = (engine_identity(ModelAddress.parse(f"vllm:{tmp_path}{one}")) for one in queries)
    assert len({plain, fp8, awq}) == 3 and plain == batched == warm
