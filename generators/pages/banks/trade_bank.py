"""How the trade press puts things, a bank a language: `TRADE["zh"].headlines`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generators.pages.banks.chinese_bank import CHINESE
from generators.pages.banks.wording_bank import Sentences, Texts


@dataclass(frozen=True, slots=True)
class Trade:
    """Wordings of briefs. `sentences` say what is no figure; `figure` is how one stands in the list on top."""

    headlines: Texts
    sections: Texts
    figures: Texts
    leads: Texts
    views: Texts
    closings: Texts
    byline: str
    figure: str
    sentences: Sentences


_ENGLISH: Sentences = {
    "count": ("{subject} reports {value} {label}.", "The count stands at {value} {label}."),
    "amount": ("The {label} {be} at {value}.", "{value} is the figure to note for the {label}."),
    "year": ("Year to note: {value}, the {label}.", "The trade dates the {label} to {value}."),
    "date": ("Date to note: {value}, the {label}.", "The calendar has {value} as the {label}."),
    "event": ("{subject} has been in the books as {label} in {value}.", "Being {label} in {value} is on file."),
    "event_date": ("{subject} has been in the books as {label} on {value}.", "Being {label} on {value} is on file."),
    "preposition": ("On file {label} {value}.", "Filings have {subject} {label} {value}."),
    "text": (
        "Buyers know the {label}: {value}.",
        "In the trade the {label} of {subject} {be} down as {value}.",
        "Under {label} the filing has {value}.",
        "So the filing has it: {value} as {label}.",
    ),
    "name": (
        "Behind the name stands {value} ({label}).",
        "For the {label}, the trade register has {value}.",
        "{value} is down as the {label} of {subject}.",
        "The {label}: {value}.",
    ),
    "boolean": ("On {label} the filing answers {value}.", "As filed for {label}: {value}."),
}

TRADE: Mapping[str, Trade] = {
    "en": Trade(
        headlines=(
            "{name}: the numbers",
            "Brief: {name}",
            "{name} by the figures",
            "Sector note on {name}",
            "{name}, sized up",
            "What the filings say about {name}",
            "Five-minute file: {name}",
            "{name} under review",
        ),
        sections=("Sector watch", "Industry brief", "Figures desk", "Filings", "Market file", "The tape"),
        figures=("Figures first", "The numbers", "By the figures", "Key data", "In figures"),
        leads=(
            "Buyers measure {name} by what is on file, and so do we.",
            "Desks that cover {plural} keep a file on **{name}**; this is ours.",
            "{name} is back on the agenda of buyers, and the file has been brought up to date.",
            "Purchasing departments ask about **{name}** more often than last quarter.",
            "{name} needs no introduction to those who deal in {plural}.",
            "Few {plural} are followed as closely as {name} by those who trade in them.",
            "What {name} has filed or let be known goes into this note.",
        ),
        views=(
            "Our view: no surprises, and nobody had asked for any.",
            "Competitors will read this twice before the next round of talks.",
            "Margins are another matter, and not one for this note.",
            "The order books of suppliers should tell more by autumn.",
            "Analysts differ on what follows from that; we report what is on file.",
            "Anyone with a contract up for renewal will want to keep this page.",
            "Whether the board sees it likewise is for its next meeting.",
        ),
        closings=(
            "*Subscribers find earlier notes in the archive.*",
            "*Corrections to the figures desk, please.*",
            "*This note is no advice to buy or to sell.*",
            "*Reproduction outside the trade by arrangement.*",
            "*Next update with the coming filings.*",
        ),
        byline="*{site} | {section} | {date}*\n\n",
        figure="- {label}: **{value}**\n",
        sentences=_ENGLISH,
    ),
    "zh": Trade(
        headlines=("{name}：数据一览", "行业简报：{name}", "数字看{name}", "{name}备案摘要", "五分钟读懂{name}"),
        sections=("行业观察", "行业简报", "数据台", "备案摘要", "市场档案"),
        figures=("先看数字", "关键数据", "数据", "数字一览"),
        leads=(
            "业内衡量{name}，看的是备案。",
            "关注{plural}的同行都有一份**{name}**的档案，这是我们的。",
            "采购部门近来常问起{name}，档案因此更新。",
            "{name}在业内无需多作介绍。",
        ),
        views=(
            "本刊看法：没有意外，也没有人期待意外。",
            "同行在下一轮谈判前大概会再读一遍。",
            "利润是另一回事，本文不谈。",
            "供应商的订单到秋天会说明更多。",
        ),
        closings=("*更早的简报见资料库。*", "*数据更正请寄数据台。*", "*本文不构成买卖建议。*"),
        byline="*{site}｜{section}｜{date}*\n\n",
        figure="- {label}：**{value}**\n",
        sentences=CHINESE.plain,
    ),
}
