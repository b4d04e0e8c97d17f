"""The arguments of vLLM's engine, as the installed vLLM names them, read from its source: imports take seconds."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*")
_SOURCE = "engine/arg_utils.py"
_SET_ELSEWHERE = {
    "model": "the model stands before the `?`",
    "hf_token": "an address must not hold a key: vLLM reads the environment variable HF_TOKEN",
    "runner": "agents and world models generate, embedders pool",
    "tool_call_parser": "it is called `tool_parser` here, of servers and engines alike",
}


def check_engine_argument(name: str, known: tuple[str, ...], where: str) -> None:
    """Check that vLLM's engine has an argument called `name`, or `name.key` for one that is a mapping.

    `known` are other names that may have been meant. Where vLLM is not installed, any name will do until the engine is
    loaded. Raises InputError, which begins with `where`.
    """
    if name in _SET_ELSEWHERE:
        raise InputError(f"{where}: `{name}` cannot be set", _SET_ELSEWHERE[name])
    arguments = argument_names()
    if _NAME.fullmatch(name) is None or (arguments and name.partition(".")[0] not in arguments):
        hint = did_you_mean(name, sorted({*known, *arguments}))
        raise InputError(f"{where}: no setting is called `{name}`, nor an argument of vLLM's engine", hint)


@cache
def argument_names() -> frozenset[str]:
    """Return the names of the arguments of the installed vLLM's engine; none where it is not installed."""
    found = importlib.util.find_spec("vllm")
    if found is None or not found.submodule_search_locations:
        return frozenset()
    try:
        tree = ast.parse((Path(found.submodule_search_locations[0]) / _SOURCE).read_text(encoding="utf-8"))
    except OSError:
        return frozenset()
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.endswith("EngineArgs")]
    fields = [node.target for one in classes for node in one.body if isinstance(node, ast.AnnAssign)]
    return frozenset(one.id for one in fields if isinstance(one, ast.Name) and not one.id.startswith("_"))
