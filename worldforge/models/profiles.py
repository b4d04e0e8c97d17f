"""Named profiles: shipped ones, with the settings that their makers publish, and the user's own.

`$WORLDFORGE_MODELS` names a YAML file with the user's own:

    world-model:
      address: qwen-agentworld
      endpoints: [http://gpu-0:8000/v1, http://gpu-1:8000/v1]
      concurrency: 512
    policy:
      address: vllm:models/step-1000
      tool_parser: hermes
      quantization: fp8

`address` is any address, that of a shipped profile included; `endpoints` are servers of that model; every other key is
a setting, or an argument of vLLM's engine. No spec can name such a file: it may come from a stranger.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from worldforge.core.errors import InputError
from worldforge.models.address_settings import AddressSettings

VARIABLE = "WORLDFORGE_MODELS"
_HINT = "a profile is a name and below it `address:` and settings: see docs/models.md"


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """A model on the Hub and how its makers run it; `about` is one line for people."""

    model: str
    about: str
    settings: AddressSettings


_THINKING = AddressSettings(temperature=0.6, top_p=0.95, top_k=20, min_p=0.0, max_tokens=32_768, thinking=True)
_INSTRUCT = AddressSettings(temperature=0.7, top_p=0.8, top_k=20, min_p=0.0, max_tokens=16_384)

# Parsers are named as in vLLM's registries (0.32). Models are examples that fit one large GPU, AgentWorld excepted:
# `qwen3:Qwen/Qwen3-32B` has the same settings.
PROFILES: Mapping[str, ModelProfile] = {
    # Model card and repository of Qwen-AgentWorld: four GPUs, 256 K of context (128 K at least), no vision weights.
    "qwen-agentworld": ModelProfile(
        "Qwen/Qwen-AgentWorld-35B-A3B",
        "the language world model that plays environments; four GPUs",
        AddressSettings(
            temperature=0.6,
            top_p=0.95,
            top_k=20,
            max_tokens=32_768,
            max_model_len=262_144,
            reasoning_parser="qwen3",
            tensor_parallel_size=4,
            language_model_only=True,
        ),
    ),
    # Model cards of Qwen3, "Best Practices"; tool calls in Hermes' format, Qwen documentation, "Function Calling".
    "qwen3": ModelProfile(
        "Qwen/Qwen3-8B",
        "Qwen3, thinking",
        AddressSettings(tool_parser="hermes", reasoning_parser="qwen3").over(_THINKING, "vllm"),
    ),
    "qwen3-nonthinking": ModelProfile(
        "Qwen/Qwen3-8B",
        "Qwen3, thinking switched off",
        AddressSettings(tool_parser="hermes", reasoning_parser="qwen3", thinking=False).over(_INSTRUCT, "vllm"),
    ),
    # Model card of Qwen3-30B-A3B-Instruct-2507: never thinks, so that there is no reasoning to parse.
    "qwen3-instruct": ModelProfile(
        "Qwen/Qwen3-30B-A3B-Instruct-2507",
        "Qwen3 of July 2025, never thinks",
        AddressSettings(tool_parser="hermes").over(_INSTRUCT, "vllm"),
    ),
    # Model card of Qwen3-Coder-30B-A3B-Instruct; its calls are XML.
    "qwen3-coder": ModelProfile(
        "Qwen/Qwen3-Coder-30B-A3B-Instruct",
        "Qwen3-Coder, never thinks",
        AddressSettings(tool_parser="qwen3_coder", repetition_penalty=1.05, max_tokens=65_536).over(_INSTRUCT, "vllm"),
    ),
    # Model card of Qwen3.5-35B-A3B, thinking mode for general tasks; its weights see pictures too, which we leave out.
    "qwen3.5": ModelProfile(
        "Qwen/Qwen3.5-35B-A3B",
        "Qwen3.5, thinking",
        AddressSettings(
            temperature=1.0,
            presence_penalty=1.5,
            tool_parser="qwen3_coder",
            reasoning_parser="qwen3",
            language_model_only=True,
        ).over(_THINKING, "vllm"),
    ),
    # The same, non-thinking mode for general tasks.
    "qwen3.5-nonthinking": ModelProfile(
        "Qwen/Qwen3.5-35B-A3B",
        "Qwen3.5, thinking switched off",
        AddressSettings(
            presence_penalty=1.5,
            max_tokens=32_768,
            thinking=False,
            tool_parser="qwen3_coder",
            reasoning_parser="qwen3",
            language_model_only=True,
        ).over(_INSTRUCT, "vllm"),
    ),
}


def own_profiles() -> Mapping[str, str]:
    """Return the addresses of the user's own profiles, by name. Raises InputError where their file cannot be read."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return {}
    path = Path(text)
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise InputError(f"{path}: the profiles of models cannot be read: {error.strerror or error}") from error


@lru_cache(8)
def _read(path: Path, _changed: int) -> Mapping[str, str]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        found = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no YAML: {' '.join(str(error).split())}", _HINT) from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: there are no profiles", _HINT)
    for name in found:
        if name in PROFILES:
            raise InputError(f"{path}: a profile `{name}` is shipped", "choose another name")
    return {str(name): _address(entry, f"{path}: profile `{name}`") for name, entry in found.items()}


def _address(entry: object, where: str) -> str:
    """Write a profile as the address that it stands for."""
    if not isinstance(entry, dict) or not isinstance(entry.get("address"), str):
        raise InputError(f"{where} has no `address`", _HINT)
    settings = {str(key): value for key, value in entry.items()}
    place, _, query = settings.pop("address").partition("?")
    endpoints = settings.pop("endpoints", [])
    urls = endpoints if isinstance(endpoints, list) else [endpoints]
    at = f"@{','.join(map(str, urls))}" if urls else ""
    words = [query] if query else []
    words += [f"{name}={quote(text)}" for name, value in settings.items() for text in _texts(name, value, where)]
    return f"{place}{at}{'?' if words else ''}{'&'.join(words)}"


def _texts(name: str, value: Any, where: str) -> Iterator[str]:
    """Write a value as addresses have it."""
    if value is None:
        raise InputError(f"{where}: `{name}` has no value", "leave it out, or give it one")
    if isinstance(value, list) and name == "stop":
        yield from map(str, value)
    elif isinstance(value, list):
        yield ",".join(map(str, value))
    elif isinstance(value, dict):
        yield json.dumps(value)
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)
