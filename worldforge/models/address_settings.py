"""What an address may set: how tokens are drawn, how an engine is loaded, how a server is called. One list of names.

?temperature=0.7&max_tokens=2048&thinking=false      of any model
?tool_parser=hermes&max_model_len=32768              of an engine in this process
?quantization=fp8&enable_expert_parallel=true        any other argument of vLLM's engine
?concurrency=32&timeout_s=120&api_key_env=MY_KEY     of a server
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, quote, unquote_plus

from pydantic import Field, TypeAdapter, ValidationError

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.models.chat import Sampling
from worldforge.models.vllm_arguments import check_engine_argument

Backend = Literal["vllm", "openai", "scripted"]
EVERYWHERE: tuple[Backend, ...] = ("vllm", "openai", "scripted")
ENGINE: tuple[Backend, ...] = ("vllm",)
SERVER: tuple[Backend, ...] = ("openai",)
ANY_MODEL: tuple[Backend, ...] = ("vllm", "openai")


def _of(*backends: Backend) -> Any:
    return field(default=None, metadata={"backends": backends})


@dataclass(frozen=True, slots=True)
class AddressSettings:
    """What was set; None is not set. Names, and their meaning, are vLLM's where vLLM has such a setting.

    `seed` is the engine's; a request has its own in `Sampling`. `timeout_s` and `retries` are of one request to a
    server, `concurrency` is how many may be under way at all its endpoints, from all workers, `gpus` how many the
    servers have, for estimates. `api_key_env` names an
    environment variable: no key is ever written. `identity` is a name that the user gives to the weights. `engine_args`
    are further arguments of vLLM's engine, each a name and a value as its command line takes it, by name.
    """

    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = _of(*EVERYWHERE)
    top_p: Annotated[float, Field(gt=0, le=1)] | None = _of(*EVERYWHERE)
    top_k: Annotated[int, Field(ge=0)] | None = _of(*EVERYWHERE)
    min_p: Annotated[float, Field(ge=0, le=1)] | None = _of(*EVERYWHERE)
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = _of(*EVERYWHERE)
    repetition_penalty: Annotated[float, Field(gt=0, le=10)] | None = _of(*EVERYWHERE)
    max_tokens: Annotated[int, Field(ge=1)] | None = _of(*EVERYWHERE)
    stop: tuple[Annotated[str, Field(min_length=1)], ...] | None = _of(*EVERYWHERE)
    thinking: bool | None = _of(*EVERYWHERE)
    identity: Annotated[str, Field(min_length=1)] | None = _of(*EVERYWHERE)
    max_model_len: Annotated[int, Field(ge=1)] | None = _of(*ANY_MODEL)
    chat_template: Annotated[str, Field(min_length=1)] | None = _of(*ENGINE)
    tool_parser: Annotated[str, Field(min_length=1)] | None = _of(*ENGINE)
    reasoning_parser: Annotated[str, Field(min_length=1)] | None = _of(*ENGINE)
    tensor_parallel_size: Annotated[int, Field(ge=1)] | None = _of(*ENGINE)
    pipeline_parallel_size: Annotated[int, Field(ge=1)] | None = _of(*ENGINE)
    data_parallel_size: Annotated[int, Field(ge=1)] | None = _of(*ENGINE)
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1)] | None = _of(*ENGINE)
    dtype: Literal["auto", "bfloat16", "float16", "float32"] | None = _of(*ENGINE)
    enforce_eager: bool | None = _of(*ENGINE)
    enable_prefix_caching: bool | None = _of(*ENGINE)
    language_model_only: bool | None = _of(*ENGINE)
    max_num_seqs: Annotated[int, Field(ge=1)] | None = _of(*ENGINE)
    seed: Annotated[int, Field(ge=0)] | None = _of(*ENGINE)
    concurrency: Annotated[int, Field(ge=1, le=1_000_000)] | None = _of(*SERVER)
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = _of(*SERVER)
    retries: Annotated[int, Field(ge=0)] | None = _of(*SERVER)
    gpus: Annotated[int, Field(ge=0)] | None = _of(*SERVER)
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = _of(*SERVER)
    engine_args: tuple[tuple[str, str], ...] = ()

    @property
    def sampling(self) -> Sampling:
        """How tokens are drawn where a request does not say otherwise: what is set, over the defaults."""
        return Sampling(**{name: value for name, value in self.items() if name in _SAMPLING})

    @property
    def n_gpus(self) -> int:
        """How many GPUs an engine takes."""
        parallel = (self.tensor_parallel_size, self.pipeline_parallel_size, self.data_parallel_size)
        return math.prod(size or 1 for size in parallel)

    def items(self) -> list[tuple[str, Any]]:
        """Return what is set, in the order of the fields; without the further arguments of an engine."""
        named = ((name, getattr(self, name)) for name in known())
        return [(name, value) for name, value in named if value is not None]

    def without_sampling(self) -> AddressSettings:
        """Return what an engine or a client is opened with: the same for all who only draw tokens differently."""
        kept = {name: value for name, value in self.items() if name not in _SAMPLING}
        return AddressSettings(**(kept | {"thinking": None}), engine_args=self.engine_args)

    def of_words(self) -> AddressSettings:
        """Return what a model's words depend on, whatever it runs on: how it is asked, and how it draws tokens."""
        return AddressSettings(**{name: value for name, value in self.items() if name in _WORDS})

    def over(self, base: AddressSettings, backend: Backend) -> AddressSettings:
        """Return these settings on top of those of `base` that `backend` knows."""
        below = {name: value for name, value in base.items() if name in known(backend)}
        arguments = dict(base.engine_args if backend == "vllm" else ()) | dict(self.engine_args)
        return AddressSettings(**(below | dict(self.items())), engine_args=tuple(sorted(arguments.items())))


_PLAIN_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_VARIABLE_GIVEN = re.compile(r"(api_key_env=)([^&\s]*)")
_LIKELY_KEY, _LIKELY_DIGITS = 24, 4
_SAMPLING = frozenset(item.name for item in fields(Sampling)) - {"seed"}
_WORDS = _SAMPLING | {"thinking", "chat_template", "identity"}


@cache
def known(backend: Backend | None = None) -> tuple[str, ...]:
    """Return the names of all settings, or of those that `backend` knows, in order."""
    return tuple(
        item.name
        for item in fields(AddressSettings)
        if "backends" in item.metadata and (backend is None or backend in item.metadata["backends"])
    )


def parse_settings(query: str, backend: Backend, where: str) -> AddressSettings:
    """Read `a=1&b=2`. Raises InputError, which begins with `where`, for an unknown name or a value that cannot be."""
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=100, errors="strict"
        )
    except ValueError as error:
        raise InputError(f"{where}: what follows the `?` must be written name=value&name=value") from error
    values: dict[str, Any] = {}
    arguments: dict[str, str] = {}
    for name, value in pairs:
        _check_name(name, backend, where)
        if name == "api_key_env":
            _check_variable(value, where)
        if name == "stop":
            values["stop"] = (*values.get("stop", ()), value)
        elif name in values or name in arguments:
            raise InputError(f"{where}: `{name}` is set twice", "keep one of the two")
        elif name in known():
            values[name] = value
        else:
            arguments[name] = value
    return replace(_checked(values, where), engine_args=tuple(sorted(arguments.items())))


def write_settings(settings: AddressSettings) -> str:
    """Write settings as `parse_settings` reads them: those that are set, in the order of the fields."""
    texts = _texts([*settings.items(), *settings.engine_args])
    return "&".join(f"{name}={quote(text, safe='/:,')}" for name, text in texts)


def _texts(items: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, str]]:
    for name, value in items:
        for one in value if isinstance(value, tuple) else (value,):
            yield name, str(one).lower() if isinstance(one, bool) else str(one)


def _check_name(name: str, backend: Backend, where: str) -> None:
    names = known(backend)
    if name in names:
        return
    if name in known():
        there = " or ".join(f"`{other}:`" for other in ANY_MODEL if name in known(other))
        raise InputError(f"{where}: `{name}` is a setting of {there} addresses, not of `{backend}:` ones")
    if backend == "vllm":
        check_engine_argument(name, names, where)
        return
    raise InputError(f"{where}: no setting is called `{name}`", did_you_mean(name, sorted(names)))


def _check_variable(name: str, where: str) -> None:
    """Refuse what may be a key in the place of the variable that holds one, and do not repeat it."""
    if _may_be_key(name):
        raise InputError(
            f"{where}: `api_key_env` names no environment variable that is set",
            "write the name of the variable that holds the key, never the key: ?api_key_env=MY_KEY",
        )


def without_misplaced_key(text: str) -> str:
    """Return an address without what may be a key in the place of the variable that holds one."""
    return _VARIABLE_GIVEN.sub(
        lambda found: found[1] + ("…" if _may_be_key(unquote_plus(found[2])) else found[2]), text
    )


def _may_be_key(name: str) -> bool:
    """Say whether what should be a variable's name, and is none that is set, does not look like one."""
    plain = _PLAIN_VARIABLE.fullmatch(name) is not None
    random = len(name) >= _LIKELY_KEY and sum(sign.isdigit() for sign in name) >= _LIKELY_DIGITS
    return name not in os.environ and (random or not plain)


def _checked(values: Mapping[str, Any], where: str) -> AddressSettings:
    try:
        return _adapter().validate_python(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        name = str(first["loc"][0])
        raise InputError(f"{where}: `{name}={first['input']}` cannot be: {_plain(first['msg'])}") from error


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ").replace("Input should", "it should")


@cache
def _adapter() -> TypeAdapter[AddressSettings]:
    return TypeAdapter(AddressSettings)
