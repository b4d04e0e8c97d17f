"""Serves a model on a Ray cluster for as long as a command runs: `ray.serve.llm`, vLLM engines behind one URL.

with deployed("ray:Qwen/Qwen3-8B?replicas=1-4&tensor_parallel_size=2&tool_parser=hermes") as address:
    address          # openai:Qwen/Qwen3-8B@http://10.0.0.1:8000/worldforge-1f…/v1
"""

from __future__ import annotations

import logging
import re
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.ray_cluster import living_nodes, ray
from worldforge.core.redaction import first_line
from worldforge.models.address_settings import parse_settings, setting_names
from worldforge.models.model import ModelUnavailableError
from worldforge.models.model_address import ModelAddress
from worldforge.models.profiles import own_profiles, shipped_profiles
from worldforge.models.vllm_loading import engine_arguments, prepare_vllm

PREFIX = "ray:"
_REPLICAS = re.compile(r"(?P<least>[1-9]\d{0,3})(?:-(?P<most>[1-9]\d{0,3}))?")
_HEAD = "node:__internal_head__"
_MISSING = "pip install 'worldforge[ray,vllm]', here and on every node"


@dataclass(frozen=True, slots=True)
class RayDeployment:
    """A model to be served: its engine (`vllm:…`), from `least` to `most` replicas, and settings of its clients."""

    engine: ModelAddress
    least: int = 1
    most: int = 1
    accelerator: str = ""
    client: str = ""

    @classmethod
    def parse(cls, text: str) -> RayDeployment:
        """Read `ray:MODEL?replicas=1-4&…`, or `ray:PROFILE?…`. Raises InputError."""
        place, _, query = text.removeprefix(PREFIX).partition("?")
        pairs = [(pair.partition("=")[0], pair) for pair in query.split("&") if pair]
        own = {name: pair.partition("=")[2] for name, pair in pairs if name in ("replicas", "accelerator_type")}
        of_clients = set(setting_names("openai")) - set(setting_names("vllm"))
        client = "&".join(pair for name, pair in pairs if name in of_clients)
        rest = "&".join(pair for name, pair in pairs if name not in of_clients and name not in own)
        found = _REPLICAS.fullmatch(own.get("replicas", "1"))
        least, most = (int(found["least"]), int(found["most"] or found["least"])) if found else (1, 0)
        if most < least:
            raise InputError(f"model `{text}`: `replicas` is a number, or the least and the most: 2, or 1-8")
        name = place if place in shipped_profiles() or place in own_profiles() else f"vllm:{place}"
        engine = ModelAddress.parse(f"{name}?{rest}" if rest else name)
        if engine.backend != "vllm" or engine.settings.chat_template:
            raise InputError(f"model `{text}`: Ray serves models of vLLM's, with their own chat templates")
        return cls(engine, least, most, own.get("accelerator_type", ""), client)

    def at(self, url: str) -> ModelAddress:
        """Return the address of the model at the deployment's URL: how tokens are drawn is as before."""
        settings = parse_settings(self.client, "openai", f"model `{PREFIX}{self.engine.model}`")
        base = self.engine.settings.model_copy(update={"gpus": self.engine.n_gpus * self.least})
        return ModelAddress("openai", self.engine.model_name, (url,), settings.over(base, "openai"))

    def config(self, *, has_gpus: bool) -> dict[str, Any]:
        """Return the arguments of Ray's `LLMConfig`. Raises InputError for an argument that vLLM does not take."""
        arguments = engine_arguments(self.engine, ("tool_parser", "use_tqdm_on_load"))
        if parser := self.engine.settings.tool_parser:
            arguments |= {"enable_auto_tool_choice": True, "tool_call_parser": parser}
        arguments |= {"enable_prompt_tokens_details": True}
        scale = {"autoscaling_config": {"min_replicas": self.least, "max_replicas": self.most}}
        config: dict[str, Any] = {
            "model_loading_config": {"model_id": self.engine.model_name, "model_source": self.engine.model},
            "engine_kwargs": arguments,
            "deployment_config": scale if self.most > self.least else {"num_replicas": self.least},
        }
        if self.accelerator:
            config["accelerator_type"] = self.accelerator
        return config if has_gpus else config | {"placement_group_config": {"bundles": [{"CPU": 1}]}}


@contextmanager
def deployed(text: str) -> Iterator[str]:
    """Serve the model of a `ray:` address on the cluster that was joined; give its address as an OpenAI server.

    The deployment ends with the block, however that ends; Ray Serve too, unless it ran before. Raises InputError,
    and ModelUnavailableError where the deployment does not come up.
    """
    deployment = RayDeployment.parse(text)
    prepare_vllm()
    try:
        from ray import serve
        from ray.serve.llm import LLMConfig, build_openai_app
    except ImportError as error:
        raise InputError(f"Ray cannot serve models: {first_line(error)}", _MISSING) from error
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    config = LLMConfig(**deployment.config(has_gpus=any(node.get("GPU") for node in living_nodes())))
    name = f"worldforge-{uuid.uuid4().hex[:12]}"
    ran_before = _is_serving()
    try:
        if not ran_before:
            serve.start(http_options={"host": "0.0.0.0", "port": _free_port()})  # noqa: S104 - workers on all nodes ask
        try:
            serve.run(build_openai_app({"llm_configs": [config]}), name=name, route_prefix=f"/{name}")
        except Exception as error:
            raise ModelUnavailableError(f"Ray cannot serve `{deployment.engine.model}`: {first_line(error)}") from error
        yield str(deployment.at(f"http://{_head()}:{_port()}/{name}/v1"))
    finally:
        serve.delete(name) if ran_before else serve.shutdown()


def _is_serving() -> bool:
    try:
        ray.get_actor("SERVE_CONTROLLER_ACTOR", namespace="serve")
    except ValueError:
        return False
    return True


def _port() -> int:
    """Return the port of Serve's HTTP proxies."""
    from ray.serve.context import _get_global_client

    return int(_get_global_client().http_config.port)


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("", 0))
        return int(listening.getsockname()[1])


def _head() -> str:
    """Return the address of the head node, where a proxy of Serve's always is."""
    return next(str(node["NodeManagerAddress"]) for node in ray.nodes() if _HEAD in node["Resources"])
