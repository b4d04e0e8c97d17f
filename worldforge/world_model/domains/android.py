"""Android: a telephone that the model makes up, as an accessibility tree. Ungrounded."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from worldforge.environments.arguments import Arguments
from worldforge.environments.domain import Domain, Example
from worldforge.models.chat import ToolCall
from worldforge.world_model.domains.screen import Ref, screen_format, shows_screen
from worldforge.world_model.domains.web import WebWait

KEYS = ("App", "Screen")


class AndroidTap(Arguments):
    """Tap an element."""

    ref: Ref


class LongPress(Arguments):
    """Press an element and hold it."""

    ref: Ref


class AndroidTypeText(Arguments):
    """Type into the field that has the focus."""

    text: str = Field(description="The text.")


class AndroidSwipe(Arguments):
    """Swipe over the screen, or over one element."""

    direction: Literal["up", "down", "left", "right"] = Field(description="Where the finger moves to.")
    ref: int = Field(0, description="The element's number; 0 for the whole screen.")


class AndroidPress(Arguments):
    """Press a key of the telephone."""

    key: Literal["back", "home", "recents", "enter"] = Field(description="Which key.")


class OpenApp(Arguments):
    """Open an app."""

    name: str = Field(description="The app's name, as the launcher shows it.")


ANDROID = Domain(
    name="android",
    grounded=False,
    role="You are an Android telephone and its apps. An agent operates it; you write what is on its screen.",
    observations=screen_format(KEYS),
    in_form=shows_screen(KEYS),
    tools={
        "tap": AndroidTap,
        "long_press": LongPress,
        "type_text": AndroidTypeText,
        "swipe": AndroidSwipe,
        "press": AndroidPress,
        "open_app": OpenApp,
        "wait": WebWait,
    },
    examples=(
        Example(
            ToolCall("1", "tap", '{"ref": 4}'),
            'App: Clock\nScreen: Alarms\n\n[1] toolbar "Alarms"\n  [2] button "Add alarm"\n'
            '[3] list ""\n  [4] switch "06:40, weekdays" checked=false\n  [5] switch "09:00, Sunday" checked',
        ),
    ),
)
