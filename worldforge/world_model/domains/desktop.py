"""OS: a desktop computer that the model makes up, as an accessibility tree. Ungrounded."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from worldforge.environments.arguments import Arguments
from worldforge.environments.domain import Domain, Example
from worldforge.models.chat import ToolCall
from worldforge.world_model.domains.screen import Ref, screen_format, shows_screen
from worldforge.world_model.domains.web import WebWait

KEYS = ("Window", "Clipboard")


class DesktopClick(Arguments):
    """Click an element."""

    ref: Ref
    button: Literal["left", "right"] = Field("left", description="Which button of the mouse.")
    times: int = Field(1, ge=1, le=3, description="How often: 2 for a double click.")


class DesktopDrag(Arguments):
    """Drag an element onto another."""

    ref: Ref
    target: int = Field(description="The number of the element to drop it on.")


class DesktopTypeText(Arguments):
    """Type text where the focus is."""

    text: str = Field(description="The text.")


class PressKeys(Arguments):
    """Press keys together."""

    keys: str = Field(min_length=1, description="The keys, joined by `+`: `ctrl+s`, `alt+tab`, `enter`.")


class DesktopScroll(Arguments):
    """Scroll an element by one screen."""

    ref: Ref
    direction: Literal["up", "down", "left", "right"] = Field(description="Where to.")


OS = Domain(
    name="os",
    grounded=False,
    role=(
        "You are a desktop computer with its windows and programs. An agent operates mouse and keyboard; you write "
        "what is on its screen."
    ),
    observations=(
        f"{screen_format(KEYS)}\n\n`Window` is the title of the window in front, `Clipboard` what was copied last, on "
        "one line. Each window is an element of role `window` at the first level, the one in front first."
    ),
    in_form=shows_screen(KEYS),
    tools={
        "click": DesktopClick,
        "drag": DesktopDrag,
        "type_text": DesktopTypeText,
        "press_keys": PressKeys,
        "scroll": DesktopScroll,
        "wait": WebWait,
    },
    examples=(
        Example(
            ToolCall("1", "press_keys", '{"keys": "ctrl+s"}'),
            'Window: Save as\nClipboard:\n\n[1] window "Save as" modal\n  [2] textbox "Name" value="tides" focused\n'
            '  [3] button "Save"\n  [4] button "Cancel"\n[5] window "Notes"\n  [6] text "High water 06:12"',
        ),
    ),
)
