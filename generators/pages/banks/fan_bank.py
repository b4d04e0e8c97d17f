"""How fans put things on a wiki of their own, a bank a language: `FAN["zh"].intros`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generators.pages.banks.chinese_bank import CHINESE
from generators.pages.banks.wording_bank import Sentences, Texts


@dataclass(frozen=True, slots=True)
class Fan:
    """Wordings of fans' wikis. `trivia` are headings."""

    intros: Texts
    shorts: Texts
    openings: Texts
    trivia: Texts
    notes: Texts
    footers: Texts
    sentences: Sentences


_ENGLISH: Sentences = {
    "count": (
        "That's {value} {label}, people!",
        "Fun fact: {value} {label}.",
        "We counted {value} {label}, and yes, we counted twice.",
    ),
    "amount": (
        "The {label}? {value}.",
        "Did you know the {label} {be} {value}?",
        "If anyone asks you about the {label}, say {value}.",
        "{value}! That's the {label}, no kidding.",
    ),
    "year": ("{value} was the year, {label} that is.", "Trivia night answer for the {label}: {value}."),
    "date": ("Save the date: {value}, the {label}.", "Trivia night answer for the {label}: {value}."),
    "event": (
        "It all started for us when {subject} was {label} in {value}.",
        "Old-timers remember: {label} in {value}.",
    ),
    "event_date": ("Mark your calendars: {label} on {value}.", "{subject} was {label} on {value}, we were there!"),
    "preposition": ("With us {label} {value}, can you believe it?", "On board {label} {value}, hooray."),
    "text": (
        "As everybody on this wiki can tell you, the {label} {be} {value}.",
        "The {label}, obviously: {value}.",
        "It says {value} under {label}, and we love it.",
        "Hands up who knew that the {label} {be} {value}!",
    ),
    "name": (
        "A big hello to {value}, the {label}.",
        "You can't talk about {subject} without {value} ({label}).",
        "And who or what is the {label}? {value}, of course.",
        "{value} is the {label}, in case you have been living under a rock.",
    ),
    "boolean": ("On {label}: a {value} from us.", "The eternal question of {label}: {value}."),
}

FAN: Mapping[str, Fan] = {
    "en": Fan(
        intros=(
            "Welcome to the page on **{name}**, kept by fans for fans!",
            "**{name}** has been one of our favourite {plural} since this wiki began.",
            "You asked for a page on **{name}**, the crew delivered.",
            "Everything we could dig up on **{name}**, all in one place.",
            "If you only ever read about one of the {plural}, make it **{name}**.",
            "**{name}** – some say overrated, we say read on.",
            "This page is dedicated to **{name}** and to everyone who argued about it on the talk page.",
            "Oh boy, **{name}**. Where do we start?",
        ),
        shorts=("The short version", "In a nutshell", "What you need to know", "The basics", "For newcomers"),
        openings=(
            "Okay, deep breath.",
            "Here goes.",
            "No spoilers, promised.",
            "The crew has gone through everything twice.",
            "Grab a drink and sit down.",
            "Regulars can skip this part.",
        ),
        trivia=("Trivia", "Fun facts", "Did you know?", "Odds and ends", "For the pub quiz"),
        notes=(
            "Got more? Hit the edit button!",
            "Please keep the talk page civil.",
            "Sources? Our own eyes and ears, mostly.",
            "If you spot something fishy, tell a moderator.",
            "Stubs welcome, vandals not.",
        ),
        footers=(
            "*Last edit by {user}, {date}.*",
            "*{user} tidied this page up on {date}. Thanks!*",
            "*Page history: {user}, {date}.*",
            "*Edited with love by {user} on {date}.*",
        ),
        sentences=_ENGLISH,
    ),
    "zh": Fan(
        intros=(
            "欢迎来到**{name}**的页面，粉丝自己写的！",
            "从建站起，**{name}**就是我们最喜欢的{plural}之一。",
            "能找到的**{name}**资料都在这里了。",
            "大家要的**{name}**页面，来了。",
            "说到**{name}**，从哪儿讲起呢？",
        ),
        shorts=("简单说", "一句话版", "新人必读", "基本情况"),
        openings=("先深呼吸。", "开始了。", "保证不剧透。", "老朋友可以跳过这段。", ""),
        trivia=("冷知识", "你知道吗？", "趣闻", "零零碎碎"),
        notes=("还知道别的？点编辑！", "讨论页请文明发言。", "发现不对，请告诉管理员。"),
        footers=("*最后编辑：{user}，{date}。*", "*{user}于{date}整理了本页，谢谢！*"),
        sentences=CHINESE.casual,
    ),
}
