"""What a world model can play: the seven domains that Qwen-AgentWorld was trained on.

Search and MCP are grounded in a world. A model makes up the other five: what a terminal prints, what a screen shows. Of
their observations only the form is checked. A screen is some lines, an empty line, and an accessibility tree:

    Error: there is no element 17               only where the action failed; the screen is then as it was
    URL: https://ferries.example/times          the lines that the domain asks for
    Title: Ferry times

    [1] document "Ferry times"                  two blanks a level; a number to act on; a role; a name in quotes;
      [2] textbox "To" value="Orrin" focused    attributes: a word, or a word and a value
      [3] heading "From Velmar" level=1

Names and values in quotes are JSON strings; other values are whole numbers, `true` or `false`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, create_model

from worldforge.core.errors import InputError
from worldforge.environments.arguments import Arguments
from worldforge.environments.dialect import Domain, Example
from worldforge.environments.registry import shipped_domains
from worldforge.models.chat import ToolCall

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_ATTRIBUTE = rf"[a-z][a-z-]*(?:=(?:{_STRING}|-?\d{{1,15}}|true|false))?"
_ELEMENT = re.compile(rf"((?:  )*)\[(\d{{1,9}})\] [a-z][a-z-]* {_STRING}(?: {_ATTRIBUTE})*")
_TYPES: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool}
_SCREEN = """\
Write the screen as it is after the action:

{lines}

[1] role "name" attribute attribute=value
  [2] role "name"

The lines above come first, each on one line, then an empty line, then the accessibility tree: one element a line, \
two blanks for each level, a number in brackets that no other element of the screen has, a role in small letters, a \
name in double quotes (empty where it has none), then its attributes. An attribute is a word (`focused`, `disabled`) \
or a word with a value (`value="…"`, `level=2`, `checked=false`). An element keeps its number for as long as it is \
shown. Write only what is visible; what scrolling would show is not. Where the action fails, put a line `Error: …` \
before all others, and write the screen as it was."""
_WAIT = {
    "description": "Do nothing for a while.",
    "arguments": {"seconds": {"type": "integer", "default": 1, "description": "For how long.", "ge": 1, "le": 60}},
}


def _domain(name: str, settings: Mapping[str, Any]) -> Domain:
    """Make a domain of an entry in domains.yaml: its observations end with a line, or are screens."""
    observations, tools = settings.get("observations", ""), dict(settings["tools"])
    if "screen" in settings:
        lines = "\n".join(f"{key}: …" for key in settings["screen"])
        observations = "\n\n".join(filter(None, (_SCREEN.format(lines=lines), observations)))
        tools["wait"] = _WAIT
        in_form = partial(is_screen, keys=settings["screen"])
    else:
        in_form = partial(_ends_with, re.compile(rf"(?s:.*\n)?(?:{settings['last_line']})"))
    return Domain(
        name=name,
        grounded=False,
        role=settings["role"],
        observations=observations,
        in_form=in_form,
        tools={tool: _arguments(**described) for tool, described in tools.items()},
        examples=tuple(Example(ToolCall("1", *one["call"]), one["observation"]) for one in settings["examples"]),
    )


def _arguments(description: str, arguments: Mapping[str, Mapping[str, Any]] | None = None) -> type[Arguments]:
    """Make the type of a tool's arguments."""
    fields: dict[str, Any] = {}
    for name, described in (arguments or {}).items():
        bounds = dict(described)
        kind: Any = _TYPES[bounds.pop("type", "string")]
        if options := bounds.pop("one_of", None):
            kind = Literal[tuple(options)]
        fields[name] = (kind, Field(bounds.pop("default", ...), **bounds))
    return create_model("Action", __base__=Arguments, __doc__=description, **fields)


def _ends_with(form: re.Pattern[str], text: str) -> bool:
    return form.fullmatch(text) is not None


def is_screen(text: str, keys: Sequence[str]) -> bool:
    """Tell whether a text is a screen whose lines above the tree begin with `keys`.

    Elements have different numbers, the first is at depth 0, and none is more than one level below the one before.
    """
    head, _, tree = text.partition("\n\n")
    lines = head.split("\n")
    if lines[0].startswith("Error: "):
        del lines[0]
    if len(lines) != len(keys) or any(not line.startswith(f"{key}:") for key, line in zip(keys, lines, strict=True)):
        return False
    refs, depth = set[int](), -1
    for line in tree.split("\n"):
        element = _ELEMENT.fullmatch(line)
        if element is None or len(element[1]) // 2 > depth + 1 or int(element[2]) in refs or not _has_json(line):
            return False
        depth = len(element[1]) // 2
        refs.add(int(element[2]))
    return True


def _has_json(line: str) -> bool:
    """Tell whether what stands in quotes is a JSON string."""
    try:
        return all(isinstance(json.loads(quoted), str) for quoted in re.findall(_STRING, line))
    except ValueError:
        return False


_UNGROUNDED = yaml.load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
DOMAINS: Mapping[str, Domain] = {
    domain.name: domain for domain in (*shipped_domains(), *(_domain(*entry) for entry in _UNGROUNDED.items()))
}


def domain_named(name: str) -> Domain:
    """Return the domain called `name`. Raises InputError where there is none."""
    domain = DOMAINS.get(name)
    if domain is None:
        raise InputError(f"there is no domain `{name}`", f"the domains are {', '.join(DOMAINS)}")
    return domain
