"""What a noisy oracle says when it errs, and when it notices."""

from __future__ import annotations

BEGINNINGS = {
    "I will begin with a broad search": (
        "I will begin with a broad search",
        "Let me start broadly",
        "First, an overview",
    ),
    "Let me look for": ("Let me look for", "I will search for", "Next I need", "Now to find"),
    "I will read": ("I will read", "Let me open", "Next I read", "I will have a look at"),
}
"""Beginnings of the oracle's sentences, and what may stand in their place."""

WANDER_SEARCH = (
    "Something else caught my eye; I will search for it.",
    "Perhaps this leads somewhere.",
    "I am not sure of the way. Let me try other words.",
    "That name came up before; what is it?",
)
WANDER_OPEN = (
    "This page may have more on it.",
    "I will look at this result too, just in case.",
    "Not what I asked for, but let me see.",
)
REPEAT = (
    "Let me make sure that I saw everything.",
    "I do not remember that well; once more.",
    "Was that all? I will do it again.",
)
MENDED = ("That call was not well formed. ", "I got the call wrong. ", "The tool did not take that. ")
SECOND_LOOK = (
    "Something does not look right. Let me read “{title}” again.",
    "I should check what I noted from “{title}”.",
    "On second thoughts, I may have misread “{title}”.",
)
CORRECTED = ("I had noted something wrong there. ", "That corrects what I had. ", "Good that I looked again. ")
GIVE_UP = (
    "I have searched long enough; this is what I have.",
    "I could not find everything. Here is what I found.",
    "This will have to do.",
)
