"""Screens as text: some lines on what is shown, an empty line, and the accessibility tree.

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from pydantic import Field

Ref = Annotated[int, Field(description="The element's number.")]
Value = str | int | bool
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_ATTRIBUTE = rf"([a-z][a-z-]*)(?:=({_STRING}|-?\d{{1,15}}|true|false))?"
_NODE = re.compile(rf"((?:  )*)\[(\d{{1,9}})\] ([a-z][a-z-]*) ({_STRING})((?: {_ATTRIBUTE})*)")
_ATTRIBUTES = re.compile(rf" {_ATTRIBUTE}")


@dataclass(frozen=True, slots=True)
class ScreenElement:
    """One element. `depth` counts from 0, `ref` is what actions call it by; an attribute that is a word is True."""

    depth: int
    ref: int
    role: str
    name: str
    attributes: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Screen:
    """What is shown. `lines` are what the lines above the tree say, `error` is empty where the action went well."""

    lines: tuple[str, ...]
    nodes: tuple[ScreenElement, ...]
    error: str = ""


def read_screen(text: str, keys: Sequence[str]) -> Screen | None:
    """Read a screen whose lines above the tree begin with `keys`; None where the text is not in form.

    Elements have different numbers, the first is at depth 0, and none is more than one level below the one before.
    """
    head, _, tree = text.partition("\n\n")
    lines = head.split("\n")
    error = lines.pop(0).removeprefix("Error: ") if lines[0].startswith("Error: ") else ""
    if len(lines) != len(keys) or any(not line.startswith(f"{key}:") for key, line in zip(keys, lines, strict=True)):
        return None
    nodes = [_read_node(line) for line in tree.split("\n")]
    found = [node for node in nodes if node is not None]
    if len(found) < len(nodes) or not _is_tree(found):
        return None
    values = tuple(line[len(key) + 1 :].strip() for key, line in zip(keys, lines, strict=True))
    return Screen(values, tuple(found), error)


def shows_screen(keys: Sequence[str]) -> Callable[[str], bool]:
    """Return what says whether a text shows a screen whose lines above the tree begin with `keys`."""
    return lambda text: read_screen(text, keys) is not None


def screen_format(keys: Sequence[str]) -> str:
    """Say in words, for a prompt, how a screen whose lines above the tree begin with `keys` is written."""
    lines = "\n".join(f"{key}: …" for key in keys)
    return (
        f"Write the screen as it is after the action:\n\n{lines}\n\n"
        '[1] role "name" attribute attribute=value\n  [2] role "name"\n\n'
        "The lines above come first, each on one line, then an empty line, then the accessibility tree: one element a "
        "line, two blanks for each level, a number in brackets that no other element of the screen has, a role in "
        "small letters, a name in double quotes (empty where it has none), then its attributes. An attribute is a "
        'word (`focused`, `disabled`) or a word with a value (`value="…"`, `level=2`, `checked=false`). An element '
        "keeps its number for as long as it is shown. Write only what is visible; what scrolling would show is not. "
        "Where the action fails, put a line `Error: …` before all others, and write the screen as it was."
    )


def _read_node(line: str) -> ScreenElement | None:
    match = _NODE.fullmatch(line)
    if match is None:
        return None
    try:
        given = [(name, _read_value(value)) for name, value in _ATTRIBUTES.findall(match[5])]
        return ScreenElement(len(match[1]) // 2, int(match[2]), match[3], json.loads(match[4]), tuple(given))
    except ValueError:  # no JSON string, for all its quotes
        return None


def _read_value(written: str) -> Value:
    value: Value = json.loads(written) if written else True
    return value


def _is_tree(nodes: Sequence[ScreenElement]) -> bool:
    steps = all(after <= before + 1 for before, after in pairwise([-1, *(node.depth for node in nodes)]))
    return steps and len({node.ref for node in nodes}) == len(nodes)
