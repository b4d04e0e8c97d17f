"""Models that word paragraphs, well and badly; as a script, a build whose model takes its time, to be killed."""

import asyncio
import re
import sys
from functools import cache
from pathlib import Path

from worldforge.entry_points.build_world import build
from worldforge.models.model import ModelError
from worldforge.models.scripted_model import ScriptedModel
from worldforge.schema.spec_loader import load_spec

sys.path.append(str(Path(__file__).parents[1]))  # as a script it is beside others
from plain_quickstart import plain_quickstart

SETTINGS = ("scale=0.1", "tasks.list.count=4", "pages.prose=model")
_END = re.compile(r"(?<=\w|⟧)([.!?])( |$)")


@cache
def small_spec(*settings):
    """The quickstart world without its phrasebook, small, with what is set besides."""
    return load_spec(plain_quickstart(), [*SETTINGS, *settings])


def asked(request):
    """The paragraph that a request asks to be worded anew."""
    return re.search(r"^Paragraph: (.*)$", request.messages[-1].content, re.MULTILINE)[1]


def honest(request):
    """Keep all there is, and say it with more words, others for every seed."""
    words = ["as readers here know", "as the registers have it", "so far as we can tell"][request.sampling.seed % 3]
    return _END.sub(rf", {words}\1\2", asked(request))


def _dropping(request):
    return re.sub("⟦1⟧", "it", honest(request))


def _doubling(request):
    return honest(request) + " ⟦1⟧ it is."


def _swapping(request):
    return honest(request).replace("⟦1⟧", "⟦0⟧").replace("⟦2⟧", "⟦1⟧").replace("⟦0⟧", "⟦2⟧")


def _failing(request):
    raise ModelError("the prompt is too long")


BAD = {
    "number": lambda request: honest(request) + " It was so for 12 years.",
    "number in words": lambda request: honest(request) + " It was so for twelve years.",
    "name": lambda request: honest(request) + " It is close to Kaverdun.",
    "address": lambda request: honest(request) + " See https://www.sarnipedia.example/wiki/a for more.",
    "garbage": lambda request: "ĝ%&\n\n# |x| ⟦99⟧",
    "nothing": lambda request: "",
    "denying": lambda request: honest(request) + " That is not true.",
    "listing": lambda request: "- " + honest(request),
    "doubling": _doubling,
    "failing": _failing,
}
"""What no draft may be."""
SPOILING = {"dropping": _dropping, "swapping": _swapping}
"""What spoils paragraphs that have slots enough for it."""


async def _slow(request):
    await asyncio.sleep(0.5)
    return honest(request)


if __name__ == "__main__":
    build(small_spec(), sys.argv[1], model=ScriptedModel(_slow, "scripted"))
