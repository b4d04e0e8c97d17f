"""A `ray:` address: what Ray is asked to serve, the address that workers get, and how the deployment ends."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from worldforge.core.errors import InputError
from worldforge.models import ray_deployment
from worldforge.models.model import ModelUnavailableError
from worldforge.models.model_address import ModelAddress

ray = pytest.importorskip("ray")

ADDRESS = (
    "ray:Qwen/Qwen3-8B?replicas=1-4&tensor_parallel_size=2&tool_parser=hermes&temperature=0.7&concurrency=32"
    "&max_num_batched_tokens=2048"
)


@pytest.fixture
def calls(monkeypatch):
    """A stand-in for Ray Serve, which is not running; what it was asked."""
    calls = []
    serve, llm = ModuleType("ray.serve"), ModuleType("ray.serve.llm")
    serve.start = lambda **given: calls.append(("start", given))
    serve.run = lambda app, **given: calls.append(("run", app, given))
    serve.shutdown = lambda: calls.append(("shutdown",))
    serve.delete = lambda name: calls.append(("delete", name))
    llm.LLMConfig, llm.build_openai_app = SimpleNamespace, lambda given: given["llm_configs"]
    monkeypatch.setattr(ray, "serve", serve, raising=False)
    monkeypatch.setitem(sys.modules, "ray.serve", serve)
    monkeypatch.setitem(sys.modules, "ray.serve.llm", llm)
    monkeypatch.setattr(ray_deployment, "living_nodes", lambda: [{"GPU": 8.0}])
    monkeypatch.setattr(ray_deployment, "_is_serving", lambda: False)
    monkeypatch.setattr(ray_deployment, "_head", lambda: "10.0.0.1")
    monkeypatch.setattr(ray_deployment, "_port", lambda: 8123)
    return calls


def test_ray_is_asked_for_the_engine_and_workers_get_its_url(calls):
    with ray_deployment.deployed(ADDRESS) as text:
        address = ModelAddress.parse(text)
        assert [call[0] for call in calls] == ["start", "run"]
    _, (config,), options = calls[1]
    assert config.model_loading_config == {"model_id": "Qwen/Qwen3-8B", "model_source": "Qwen/Qwen3-8B"}
    assert config.engine_kwargs.items() >= {
        "tensor_parallel_size": 2, "enable_auto_tool_choice": True, "tool_call_parser": "hermes",
        "max_num_batched_tokens": 2048,
    }.items()  # fmt: skip
    assert config.deployment_config["autoscaling_config"] == {"min_replicas": 1, "max_replicas": 4}
    assert (address.backend, address.model) == ("openai", "Qwen/Qwen3-8B")
    assert address.endpoints == (f"http://10.0.0.1:8123{options['route_prefix']}/v1",)
    assert (address.sampling.temperature, address.settings.concurrency, address.settings.gpus) == (0.7, 32, 2)
    assert calls[-1] == ("shutdown",)


@pytest.mark.parametrize("ending", [RuntimeError, KeyboardInterrupt])
def test_a_deployment_ends_with_a_failure_and_with_an_interrupt(calls, ending):
    with pytest.raises(ending), ray_deployment.deployed(ADDRESS):
        raise ending
    assert calls[-1] == ("shutdown",)


@pytest.mark.parametrize(("raised", "seen"), [(RuntimeError, ModelUnavailableError), (KeyboardInterrupt,) * 2])
def test_a_deployment_that_does_not_come_up_is_ended(calls, monkeypatch, raised, seen):
    def fail(*_given, **_options):
        raise raised("no room")

    monkeypatch.setattr(ray.serve, "run", fail)
    with pytest.raises(seen), ray_deployment.deployed(ADDRESS):
        pass
    assert calls[-1] == ("shutdown",)


def test_where_serve_ran_before_only_the_deployment_ends(calls, monkeypatch):
    monkeypatch.setattr(ray_deployment, "_is_serving", lambda: True)
    with ray_deployment.deployed(ADDRESS):
        pass
    (_, _, options), ended = calls
    assert ended == ("delete", options["name"])


def test_profiles_and_fixed_numbers_of_replicas_are_served():
    deployment = ray_deployment.RayDeployment.parse("ray:qwen3?replicas=2")
    assert (deployment.engine.model, deployment.least, deployment.most) == ("Qwen/Qwen3-8B", 2, 2)
    assert deployment.config(has_gpus=True)["deployment_config"] == {"num_replicas": 2}
    assert deployment.at("http://h/v1").settings.top_k == 20


@pytest.mark.parametrize(
    "text", [f"ray:{text}" for text in ("m?replicas=0", "m?replicas=4-2", "m?replicas=x", "", "m?temp=1")]
)
def test_what_cannot_be_served_is_refused(text):
    with pytest.raises(InputError):
        ray_deployment.RayDeployment.parse(text)


def test_ray_takes_what_it_is_given():
    llm = pytest.importorskip("ray.serve.llm", reason="needs ray[serve]", exc_type=ImportError)
    for text, has_gpus in ((ADDRESS, True), ("ray:qwen3?accelerator_type=H100", True), ("ray:m?replicas=2", False)):
        config = llm.LLMConfig(**ray_deployment.RayDeployment.parse(text).config(has_gpus=has_gpus))
        llm.build_openai_app({"llm_configs": [config]})
