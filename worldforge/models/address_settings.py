"""Settings of a model address: sampling, engine, server. One list of names.

?temperature=0.7&max_tokens=2048&thinking=false      of any model
?tool_parser=hermes&max_model_len=32768              of an engine in this process
?quantization=fp8&enable_expert_parallel=true        any other argument of vLLM's engine
?concurrency=32&timeout_s=120&api_key_env=MY_KEY     of a server
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, quote, unquote_plus

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean

Backend = Literal["vllm", "openai", "scripted"]
BACKENDS: tuple[Backend, ...] = ("vllm", "openai", "scripted")
_Text = Annotated[str, Field(min_length=1)]
_Count = Annotated[int, Field(ge=1)]


class SamplingSettings(BaseModel):
    """How tokens are drawn, and whether the model reasons first. None is not set."""

    model_config = ConfigDict(frozen=True)

    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None
    min_p: Annotated[float, Field(ge=0, le=1)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    repetition_penalty: Annotated[float, Field(gt=0, le=10)] | None = None
    max_tokens: _Count | None = None
    stop: tuple[_Text, ...] | None = None
    thinking: bool | None = None


class AddressSettings(SamplingSettings):
    """What was set; None is not set. Every other name is an argument of vLLM's engine, as its command line takes it.

    `timeout_s` and `retries` are of one request to a server, `concurrency` is how many may be under way at all its
    endpoints, from all workers, `gpus` how many the servers have, for estimates. `api_key_env` names an environment
    variable: no key is ever written. `identity` is a name that the user gives to the weights.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, str] = Field(init=False)

    identity: _Text | None = None
    max_model_len: _Count | None = None
    chat_template: _Text | None = None
    tool_parser: _Text | None = None
    reasoning_parser: _Text | None = None
    tensor_parallel_size: _Count | None = None
    pipeline_parallel_size: _Count | None = None
    data_parallel_size: _Count | None = None
    concurrency: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    retries: Annotated[int, Field(ge=0)] | None = None
    gpus: Annotated[int, Field(ge=0)] | None = None
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None

    @property
    def engine_args(self) -> dict[str, str]:
        """The further arguments of vLLM's engine, by name."""
        return dict(sorted(self.__pydantic_extra__.items()))

    def without_sampling(self) -> AddressSettings:
        """Return what an engine or a client is opened with: the same for all who only draw tokens differently."""
        return AddressSettings(**self.model_dump(exclude=set(SamplingSettings.model_fields), exclude_none=True))

    def over(self, base: AddressSettings, backend: Backend) -> AddressSettings:
        """Return these settings on top of those of `base` that `backend` knows."""
        below = base.model_dump(exclude=set(setting_names()) - set(setting_names(backend)), exclude_none=True)
        if backend != "vllm":
            below = {name: value for name, value in below.items() if name not in base.engine_args}
        return AddressSettings(**(below | self.model_dump(exclude_none=True)))


_OF_ENGINES = (
    *("chat_template", "tool_parser", "reasoning_parser"),
    *("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size"),
)
_OF_SERVERS = ("concurrency", "timeout_s", "retries", "gpus", "api_key_env")
_NOT_OF: Mapping[Backend, tuple[str, ...]] = {
    "vllm": _OF_SERVERS,
    "openai": _OF_ENGINES,
    "scripted": ("max_model_len", *_OF_ENGINES, *_OF_SERVERS),
}
_PLAIN_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_VARIABLE_GIVEN = re.compile(r"(api_key_env=)([^&\s]*)")
_LIKELY_KEY, _LIKELY_DIGITS = 24, 4
_ARGUMENT = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*")
_ARGUMENTS_SOURCE = "engine/arg_utils.py"
_SET_ELSEWHERE = {
    "model": "the model stands before the `?`",
    "hf_token": "an address must not hold a key: vLLM reads the environment variable HF_TOKEN",
    "runner": "agents and world models generate, embedders pool",
    "tool_call_parser": "it is called `tool_parser` here, of servers and engines alike",
}


def setting_names(backend: Backend | None = None) -> tuple[str, ...]:
    """Return the names of all settings, or of those that `backend` knows, in order."""
    others = _NOT_OF[backend] if backend else ()
    return tuple(name for name in AddressSettings.model_fields if name not in others)


def parse_settings(query: str, backend: Backend, where: str) -> AddressSettings:
    """Read `a=1&b=2`. Raises InputError, which begins with `where`, for an unknown name or a bad value."""
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=100, errors="strict"
        )
    except ValueError as error:
        raise InputError(f"{where}: what follows the `?` must be written name=value&name=value") from error
    values: dict[str, Any] = {}
    for name, value in pairs:
        _check_name(name, backend, where)
        if name == "api_key_env" and _may_be_key(value):
            raise InputError(
                f"{where}: `api_key_env` names no environment variable that is set",
                "write the name of the variable that holds the key, never the key: ?api_key_env=MY_KEY",
            )
        if name == "stop":
            values["stop"] = (*values.get("stop", ()), value)
        elif name in values:
            raise InputError(f"{where}: `{name}` is set twice", "keep one of the two")
        else:
            values[name] = value
    try:
        return AddressSettings(**values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        why = first["msg"].removeprefix("Value error, ").replace("Input should", "it should")
        raise InputError(f"{where}: `{first['loc'][0]}={first['input']}` cannot be: {why}") from error


def write_settings(settings: AddressSettings) -> str:
    """Write settings as `parse_settings` reads them: those that are set, in the order of the fields."""
    values = settings.model_dump(exclude_none=True, exclude=set(settings.engine_args)) | settings.engine_args
    return write_query(values)


def write_query(values: Mapping[str, Any]) -> str:
    """Write values as addresses have them: a list of stops as several, other lists by commas, mappings as JSON."""
    return "&".join(
        f"{name}={quote(text, safe='/:,')}" for name, value in values.items() for text in _texts(name, value)
    )


def _texts(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, list | tuple):
        texts = list(map(str, value))
        yield from texts if name == "stop" else [",".join(texts)]
    elif isinstance(value, dict):
        yield json.dumps(value)
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)


def _check_name(name: str, backend: Backend, where: str) -> None:
    """Refuse a setting of another backend, and what vLLM's engine has no argument for: `name`, or `name.key`.

    Where vLLM is not installed, any name will do until the engine is loaded.
    """
    names = setting_names(backend)
    if name in names:
        return
    if name in setting_names():
        there = " or ".join(f"`{other}:`" for other in BACKENDS[:2] if name in setting_names(other))
        raise InputError(f"{where}: `{name}` is a setting of {there} addresses, not of `{backend}:` ones")
    if backend != "vllm":
        raise InputError(f"{where}: no setting is called `{name}`", did_you_mean(name, sorted(names)))
    if name in _SET_ELSEWHERE:
        raise InputError(f"{where}: `{name}` cannot be set", _SET_ELSEWHERE[name])
    arguments = argument_names()
    if _ARGUMENT.fullmatch(name) is None or (arguments and name.partition(".")[0] not in arguments):
        hint = did_you_mean(name, sorted({*names, *arguments}))
        raise InputError(f"{where}: no setting is called `{name}`, nor an argument of vLLM's engine", hint)


@cache
def argument_names() -> frozenset[str]:
    """Return the names of the arguments of the installed vLLM's engine; none where it is not installed.

    They are read from its source, since its import takes seconds.
    """
    found = importlib.util.find_spec("vllm")
    if found is None or not found.submodule_search_locations:
        return frozenset()
    try:
        source = Path(found.submodule_search_locations[0]) / _ARGUMENTS_SOURCE
        tree = ast.parse(source.read_text(encoding="utf-8"))
    except OSError:
        return frozenset()
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.endswith("EngineArgs")]
    fields: Iterable[ast.expr] = (n.target for one in classes for n in one.body if isinstance(n, ast.AnnAssign))
    return frozenset(one.id for one in fields if isinstance(one, ast.Name) and not one.id.startswith("_"))


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
