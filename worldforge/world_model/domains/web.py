"""Web: a browser on a web that the model makes up, as an accessibility tree. Ungrounded."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from worldforge.environments.arguments import Arguments
from worldforge.environments.domain import Domain, Example
from worldforge.models.chat import ToolCall
from worldforge.world_model.domains.screen import Ref, screen_format, shows_screen

KEYS = ("URL", "Title")


class WebClick(Arguments):
    """Click an element."""

    ref: Ref


class WebTypeText(Arguments):
    """Put text into a field, in place of what is there."""

    ref: Ref
    text: str = Field(description="The text.")
    submit: bool = Field(False, description="Whether to press enter after it.")


class Choose(Arguments):
    """Choose an option of a list."""

    ref: Ref
    option: str = Field(description="The option, as it is shown.")


class WebScroll(Arguments):
    """Scroll by one screen."""

    direction: Literal["up", "down"] = Field(description="Where to.")


class WebOpenUrl(Arguments):
    """Go to an address."""

    url: str = Field(description="The address, in full.")


class GoBack(Arguments):
    """Go back to the page before."""


class WebWait(Arguments):
    """Do nothing for a while."""

    seconds: int = Field(1, ge=1, le=60, description="For how long.")


WEB = Domain(
    name="web",
    grounded=False,
    role="You are a web browser and all the sites it reaches. An agent acts in it; you write what is on its screen.",
    observations=screen_format(KEYS),
    in_form=shows_screen(KEYS),
    tools={
        "click": WebClick,
        "type_text": WebTypeText,
        "choose": Choose,
        "scroll": WebScroll,
        "open_url": WebOpenUrl,
        "go_back": GoBack,
        "wait": WebWait,
    },
    examples=(
        Example(
            ToolCall("1", "type_text", '{"ref": 3, "text": "Orrin"}'),
            "URL: https://ferries.example/times\nTitle: Ferry times\n\n"
            '[1] document "Ferry times"\n  [2] heading "From Velmar" level=1\n'
            '  [3] textbox "To" value="Orrin" focused\n  [4] button "Show"',
        ),
        Example(
            ToolCall("2", "click", '{"ref": 17}'),
            "Error: there is no element 17\nURL: https://ferries.example/times\nTitle: Ferry times\n\n"
            '[1] document "Ferry times"\n  [2] heading "From Velmar" level=1\n'
            '  [3] textbox "To" value="Orrin" focused\n  [4] button "Show"',
        ),
    ),
)
