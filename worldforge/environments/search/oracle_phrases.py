"""Sentences of the oracle and the noisy oracle, by language."""

from __future__ import annotations

from dataclasses import dataclass

BEGIN = {"en": "I will begin with a broad search.", "zh": "我先大致搜索一下。"}
LOOK_FOR = {"en": "Let me look for {titles}.", "zh": "我来查找{titles}。"}
READ = {"en": "I will read {titles}.", "zh": "我来阅读{titles}。"}
AGAIN = {
    "en": "Not all of that came through. I will try again.",
    "zh": "有些内容没有取到，我再试一次。",
}
"""An oracle's sentences, by the language of its question."""

BEGINNINGS = {
    "I will begin with a broad search": (
        "I will begin with a broad search",
        "Let me start broadly",
        "First, an overview",
    ),
    "Let me look for": ("Let me look for", "I will search for", "Next I need", "Now to find"),
    "I will read": ("I will read", "Let me open", "Next I read", "I will have a look at"),
    "我先大致搜索一下": ("我先大致搜索一下", "先搜一个大概", "首先了解一下概况"),
    "我来查找": ("我来查找", "接下来搜索", "下一步要找", "现在来找"),
    "我来阅读": ("我来阅读", "打开看看", "接下来读", "我看一看"),
}
"""Beginnings of the oracle's sentences, and what may stand in their place."""


@dataclass(frozen=True, slots=True)
class OraclePhrases:
    """Sentences of the noisy oracle about its mistakes. `second_look` has the slot `{title}`."""

    wander_search: tuple[str, ...]
    wander_open: tuple[str, ...]
    repeat: tuple[str, ...]
    mended: tuple[str, ...]
    second_look: tuple[str, ...]
    corrected: tuple[str, ...]
    give_up: tuple[str, ...]


REMARKS = {
    "en": OraclePhrases(
        wander_search=(
            "Something else caught my eye; I will search for it.",
            "Perhaps this leads somewhere.",
            "I am not sure of the way. Let me try other words.",
            "That name came up before; what is it?",
        ),
        wander_open=(
            "This page may have more on it.",
            "I will look at this result too, just in case.",
            "Not what I asked for, but let me see.",
        ),
        repeat=(
            "Let me make sure that I saw everything.",
            "I do not remember that well; once more.",
            "Was that all? I will do it again.",
        ),
        mended=("That call was not well formed. ", "I got the call wrong. ", "The tool did not take that. "),
        second_look=(
            "Something does not look right. Let me read “{title}” again.",
            "I should check what I noted from “{title}”.",
            "On second thoughts, I may have misread “{title}”.",
        ),
        corrected=("I had noted something wrong there. ", "That corrects what I had. ", "Good that I looked again. "),
        give_up=(
            "I have searched long enough; this is what I have.",
            "I could not find everything. Here is what I found.",
            "This will have to do.",
        ),
    ),
    "zh": OraclePhrases(
        wander_search=(
            "有个东西引起了我的注意，我来搜一搜。",
            "也许这会有线索。",
            "我不太确定，换几个词试试。",
            "这个名称之前出现过，是什么呢？",
        ),
        wander_open=("这个页面也许还有内容。", "这条结果也看一看，以防万一。", "不是我要找的，不过看看吧。"),
        repeat=("我再确认一下有没有看漏。", "记不太清了，再看一次。", "就这些吗？我再来一遍。"),
        mended=("刚才的调用格式不对。", "我把调用写错了。", "工具没有接受刚才的调用。"),
        second_look=(
            "有点不对劲，我再读一遍“{title}”。",
            "我应该核对从“{title}”记下的内容。",
            "转念一想，“{title}”我可能看错了。",
        ),
        corrected=("那里我记错了。", "这纠正了我之前的记录。", "幸好又看了一遍。"),
        give_up=("我找得够久了，这就是找到的内容。", "没能全部找到，以下是我找到的。", "只能这样了。"),
    ),
}
"""By the language of the question."""
