"""Named profiles: models that people run, with the settings that their makers publish.

Names of parsers are those in vLLM's registries (0.32). Each entry says where its numbers come from. The models named
are examples of a size that fits one large GPU, AgentWorld excepted: `qwen3:Qwen/Qwen3-32B` has the same settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worldforge.models.address_settings import AddressSettings


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """A model on the Hub and how its makers run it; `about` is one line for people."""

    model: str
    about: str
    settings: AddressSettings


_THINKING = AddressSettings(temperature=0.6, top_p=0.95, top_k=20, min_p=0.0, max_tokens=32_768, thinking=True)
_INSTRUCT = AddressSettings(temperature=0.7, top_p=0.8, top_k=20, min_p=0.0, max_tokens=16_384)

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
