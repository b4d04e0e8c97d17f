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
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from worldforge.core.errors import InputError
from worldforge.environments.arguments import Arguments
from worldforge.environments.database.mcp_dialect import MCP_DOMAIN
from worldforge.environments.dialect import Domain, Example
from worldforge.environments.search.dialects import SEARCH_DOMAIN
from worldforge.models.chat import ToolCall

_STATUS = r"\[(?:exit code: \d{1,3}|still running); directory: /[^\n]*\]"
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_ATTRIBUTE = rf"[a-z][a-z-]*(?:=(?:{_STRING}|-?\d{{1,15}}|true|false))?"
_ELEMENT = re.compile(rf"((?:  )*)\[(\d{{1,9}})\] [a-z][a-z-]* {_STRING}(?: {_ATTRIBUTE})*")

Ref = Annotated[int, Field(description="The element's number.")]
Text = Annotated[str, Field(description="The text.")]
_PATH = "The file's path, from the root of the repository."


def _action(description: str, **arguments: Any) -> type[Arguments]:
    """Make the arguments of an action: a type each, with its default after a comma where it has one."""
    fields = {name: one if isinstance(one, tuple) else (one, ...) for name, one in arguments.items()}
    return create_model("Action", __base__=Arguments, __doc__=description, **fields)  # type: ignore[call-overload]


def _string(description: str, **bounds: int) -> Any:
    return Annotated[str, Field(description=description, **bounds)]  # type: ignore[call-overload]


def _number(default: int, description: str, **bounds: int) -> tuple[type[int], Any]:
    return int, Field(default, description=description, **bounds)  # type: ignore[call-overload]


def _ends_with(status: str) -> Callable[[str], bool]:
    """Return the check that a text ends with a line that matches `status`."""
    form = re.compile(rf"(?s:.*\n)?(?:{status})")
    return lambda text: form.fullmatch(text) is not None


_RUN = _action(
    "Run a command in the shell, and see what it prints until it ends or the time is over.",
    command=_string("The command line.", min_length=1),
    timeout_s=_number(60, "Seconds to wait; 60 if left out.", ge=1, le=3600),
)
TERMINAL = Domain(
    name="terminal",
    grounded=False,
    role="You are a Linux machine with a shell. An agent types commands; you write what its terminal shows.",
    observations=(
        "Write what the command prints, standard output and errors as they come, without prompt and without the "
        "command. The last line is `[exit code: N; directory: /…]`, with the shell's directory after the command, or "
        "`[still running; directory: /…]` where the command has not ended in time or waits to be typed to."
    ),
    in_form=_ends_with(_STATUS),
    tools={
        "run": _RUN,
        "type_keys": _action(
            "Type into the program that is still running.",
            keys=_string("What to type; a line end is the enter key, `^C` control and C.", min_length=1),
        ),
    },
    examples=(
        Example(
            ToolCall("1", "run", '{"command": "cd logs && wc -l *.txt && cat march.md"}'),
            "  41 april.txt\n   7 may.txt\n  48 total\ncat: march.md: No such file or directory\n"
            "[exit code: 1; directory: /home/ada/logs]",
        ),
    ),
)
SWE = Domain(
    name="swe",
    grounded=False,
    role=(
        "You are a machine with a checked-out software repository, its tools and its tests. An agent reads the code, "
        "changes it and runs commands; you write what it gets to see."
    ),
    observations=(
        "- `run`: what the command prints, then `[exit code: N; directory: /…]`, or `[still running; directory: /…]` "
        "where it has not ended in time.\n"
        "- `read_file`: the lines, each after its number and a tab, then `[done]`.\n"
        "- `find_text`: a line `path:number:text` for each match, then `[done]`.\n"
        "- `write_file`, `replace_text`: `[done]` alone.\n"
        "- An action that fails: a line that says why, as the tool would, then `[failed]`.\n\n"
        "What tests print follows from the code as it stands at that moment, changes included."
    ),
    in_form=_ends_with(rf"{_STATUS}|\[done\]|\[failed\]"),
    tools={
        "run": _RUN,
        "read_file": _action(
            "Read a file, or some of its lines.",
            path=_string(_PATH),
            first_line=_number(1, "The first line to read, from 1.", ge=1),
            last_line=_number(0, "The last line to read; 0 for the file's end.", ge=0),
        ),
        "find_text": _action(
            "Find the lines of the repository that match a regular expression.",
            pattern=_string("The regular expression.", min_length=1),
            path=(str, Field(".", description="The file or folder to look in.")),
        ),
        "write_file": _action(
            "Write a file, a new one or in place of the old.",
            path=_string(_PATH),
            text=_string("All of the file's text."),
        ),
        "replace_text": _action(
            "Replace a passage of a file. It must stand there exactly once.",
            path=_string(_PATH),
            old=_string("The passage as it stands, blanks and line ends included.", min_length=1),
            new=_string("What is to stand there."),
        ),
    },
    examples=(
        Example(
            ToolCall("1", "read_file", '{"path": "tides/clock.py", "first_line": 3, "last_line": 4}'),
            "3\tdef hours(minutes: int) -> float:\n4\t    return minutes / 60\n[done]",
        ),
        Example(
            ToolCall("2", "replace_text", '{"path": "tides/clock.py", "old": "/ 600", "new": "/ 60"}'),
            "the passage does not stand in tides/clock.py\n[failed]",
        ),
    ),
)


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


def _screen_domain(
    name: str, role: str, keys: Sequence[str], tools: Mapping[str, type[Arguments]], *examples: Example, more: str = ""
) -> Domain:
    """Make a domain whose observations are screens with lines that begin with `keys`."""
    lines = "\n".join(f"{key}: …" for key in keys)
    observations = (
        f"Write the screen as it is after the action:\n\n{lines}\n\n"
        '[1] role "name" attribute attribute=value\n  [2] role "name"\n\n'
        "The lines above come first, each on one line, then an empty line, then the accessibility tree: one element a "
        "line, two blanks for each level, a number in brackets that no other element of the screen has, a role in "
        "small letters, a name in double quotes (empty where it has none), then its attributes. An attribute is a "
        'word (`focused`, `disabled`) or a word with a value (`value="…"`, `level=2`, `checked=false`). An element '
        "keeps its number for as long as it is shown. Write only what is visible; what scrolling would show is not. "
        "Where the action fails, put a line `Error: …` before all others, and write the screen as it was."
    )
    wait = _action("Do nothing for a while.", seconds=_number(1, "For how long.", ge=1, le=60))
    return Domain(
        name=name,
        grounded=False,
        role=role,
        observations=observations + more,
        in_form=lambda text: is_screen(text, keys),
        tools={**tools, "wait": wait},
        examples=examples,
    )


_FERRIES = (
    "URL: https://ferries.example/times\nTitle: Ferry times\n\n"
    '[1] document "Ferry times"\n  [2] heading "From Velmar" level=1\n'
    '  [3] textbox "To" value="Orrin" focused\n  [4] button "Show"'
)
WEB = _screen_domain(
    "web",
    "You are a web browser and all the sites it reaches. An agent acts in it; you write what is on its screen.",
    ("URL", "Title"),
    {
        "click": _action("Click an element.", ref=Ref),
        "type_text": _action(
            "Put text into a field, in place of what is there.",
            ref=Ref,
            text=Text,
            submit=(bool, Field(False, description="Whether to press enter after it.")),
        ),
        "choose": _action(
            "Choose an option of a list.",
            ref=Ref,
            option=_string("The option, as it is shown."),
        ),
        "scroll": _action(
            "Scroll by one screen.", direction=Annotated[Literal["up", "down"], Field(description="Where to.")]
        ),
        "open_url": _action("Go to an address.", url=_string("The address, in full.")),
        "go_back": _action("Go back to the page before."),
    },
    Example(ToolCall("1", "type_text", '{"ref": 3, "text": "Orrin"}'), _FERRIES),
    Example(ToolCall("2", "click", '{"ref": 17}'), f"Error: there is no element 17\n{_FERRIES}"),
)
_DIRECTION = Literal["up", "down", "left", "right"]
_ANDROID_KEY = Literal["back", "home", "recents", "enter"]
ANDROID = _screen_domain(
    "android",
    "You are an Android telephone and its apps. An agent operates it; you write what is on its screen.",
    ("App", "Screen"),
    {
        "tap": _action("Tap an element.", ref=Ref),
        "long_press": _action("Press an element and hold it.", ref=Ref),
        "type_text": _action("Type into the field that has the focus.", text=Text),
        "swipe": _action(
            "Swipe over the screen, or over one element.",
            direction=Annotated[_DIRECTION, Field(description="Where the finger moves to.")],
            ref=_number(0, "The element's number; 0 for the whole screen."),
        ),
        "press": _action("Press a key of the telephone.", key=Annotated[_ANDROID_KEY, Field(description="Which key.")]),
        "open_app": _action("Open an app.", name=_string("The app's name, as the launcher shows it.")),
    },
    Example(
        ToolCall("1", "tap", '{"ref": 4}'),
        'App: Clock\nScreen: Alarms\n\n[1] toolbar "Alarms"\n  [2] button "Add alarm"\n'
        '[3] list ""\n  [4] switch "06:40, weekdays" checked=false\n  [5] switch "09:00, Sunday" checked',
    ),
)
OS = _screen_domain(
    "os",
    "You are a desktop computer with its windows and programs. An agent operates mouse and keyboard; you write what is "
    "on its screen.",
    ("Window", "Clipboard"),
    {
        "click": _action(
            "Click an element.",
            ref=Ref,
            button=(Literal["left", "right"], Field("left", description="Which button of the mouse.")),
            times=_number(1, "How often: 2 for a double click.", ge=1, le=3),
        ),
        "drag": _action(
            "Drag an element onto another.",
            ref=Ref,
            target=Annotated[int, Field(description="The number of the element to drop it on.")],
        ),
        "type_text": _action("Type text where the focus is.", text=Text),
        "press_keys": _action(
            "Press keys together.", keys=_string("The keys, joined by `+`: `ctrl+s`, `alt+tab`, `enter`.", min_length=1)
        ),
        "scroll": _action(
            "Scroll an element by one screen.",
            ref=Ref,
            direction=Annotated[_DIRECTION, Field(description="Where to.")],
        ),
    },
    Example(
        ToolCall("1", "press_keys", '{"keys": "ctrl+s"}'),
        'Window: Save as\nClipboard:\n\n[1] window "Save as" modal\n  [2] textbox "Name" value="tides" focused\n'
        '  [3] button "Save"\n  [4] button "Cancel"\n[5] window "Notes"\n  [6] text "High water 06:12"',
    ),
    more=(
        "\n\n`Window` is the title of the window in front, `Clipboard` what was copied last, on one line. Each window "
        "is an element of role `window` at the first level, the one in front first."
    ),
)
DOMAINS: Mapping[str, Domain] = {
    domain.name: domain for domain in (SEARCH_DOMAIN, MCP_DOMAIN, TERMINAL, SWE, WEB, ANDROID, OS)
}


def domain_named(name: str) -> Domain:
    """Return the domain called `name`. Raises InputError where there is none."""
    domain = DOMAINS.get(name)
    if domain is None:
        raise InputError(f"there is no domain `{name}`", f"the domains are {', '.join(DOMAINS)}")
    return domain
