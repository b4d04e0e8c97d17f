"""Chinese paragraphs that a model words: what it is asked, and what its draft must keep to.

A draft is compared with its paragraph as the guard of a language world model compares texts (`world_model/prose.py`), a
name standing in the place of each slot, a figure in that of those that hold one. So order, sentences, negations,
bounds, names and columns stay, and nothing is added; besides, each slot keeps a word of what its column is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from worldforge.builders.pages.prose.paragraphs import CLOSE, OPEN, SLOT, Paragraph, is_plain_chinese, words_of
from worldforge.world.lexicon.chinese_text import HAN, pairs_of
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world_model.prose import ProseReader

SYSTEM = f"""\
你是一名文字编辑。下面给出某网站页面上的一段文字，请换一种说法重写。

- {OPEN}1{CLOSE}、{OPEN}2{CLOSE}等是占位符，以后会填入名称、数字和链接。每个占位符照抄一次，次序不变；\
同一句的占位符留在同一句，不要合并句子。
- 每句话的意思不变，占位符是什么，仍用原文的说法来说；句中有两个名称时，两者之间的文字照抄。
- 不要添加任何内容：不写数字、日期、名称、网址，也不写别的事实；不要否定，也不要写“约”“超过”之类的词。
- 只写一行通顺的句子，以句号结尾；不要标题、列表、粗体，也不要说明。

例子
占位符：{OPEN}1{CLOSE} 名称，{OPEN}2{CLOSE} 海拔
原文：据登记，{OPEN}1{CLOSE}的海拔为{OPEN}2{CLOSE}。多种资料都谈到这一主题，要点大体一致。
重写：资料显示，{OPEN}1{CLOSE}的海拔是{OPEN}2{CLOSE}。各种资料的说法大体一致。"""
ASKED = "页面：{sort}\n占位符：{slots}\n原文：{paragraph}\n重写："
_MOST_SLOTS = 200
_FIGURES = 7_770_000  # what stands for figures: no page says so
_STOPS = re.compile(r"(?<=[。！？])(?![”’）])")
_ENDED = re.compile(r"[。！？][”’）]*$")
_WITHIN = "[\u4e00-\u9fff，、；：（）“”]"
_LEAST_ROOM, _SHORTEST, _LONGEST, _SLACK = 12, 0.4, 2.5, 20

Reason = Literal["form", "length", "negation", "fact", "sentences", "meaning"]


class ChineseChecker:
    """Checks Chinese drafts of one world."""

    def __init__(
        self, names: Iterable[str], values: Iterable[str], labels: Iterable[str], vocabulary: Iterable[str]
    ) -> None:
        """Know the world's names and values, what its columns are called, the words and pairs of signs of its pages."""
        slots = [f"{OPEN}{number}{CLOSE}" for number in range(1, _MOST_SLOTS)]
        self._reader = ProseReader(Lexicon([*names, *slots], values, labels, vocabulary))

    def refusal(self, paragraph: Paragraph, draft: str) -> Reason | None:
        """Say why a draft that has the paragraph's slots cannot stand for it; None where it can."""
        if not (all(map(is_plain_chinese, words_of(draft))) and _ENDED.search(draft)):
            return "form"
        before, after = (len("".join(words_of(text))) for text in (paragraph.slotted, draft))
        if not _SHORTEST * before - _SLACK <= after <= _LONGEST * before + _SLACK:
            return "length"
        objection = self._reader.compare(
            _filled(paragraph, paragraph.slotted), _filled(paragraph, draft), complete=True
        )
        if objection is None:
            return None if _keeps_labels(paragraph, draft) else "meaning"
        if objection.form:
            return "form"
        if any(kind in ("negation", "bound") for kind, _ in objection.added):
            return "negation"
        return "fact" if objection.added else "sentences" if objection.missing else "meaning"


def is_chinese(paragraph: Paragraph) -> bool:
    """Tell whether a paragraph's own words are Chinese."""
    return HAN.search(SLOT.sub("", paragraph.slotted)) is not None


def form_in_chinese(paragraph: Paragraph) -> str:
    """Return a regular expression for drafts: the paragraph's sentences, each with its slots in order."""
    forms = []
    for sentence in filter(None, _STOPS.split(paragraph.slotted)):
        room = [max(_LEAST_ROOM, 2 * len(words)) for words in words_of(sentence)]
        slots = [f"{OPEN}{slot}{CLOSE}" for slot in SLOT.findall(sentence)]
        between = "".join(f"{_WITHIN}{{0,{most}}}{slot}" for most, slot in zip(room, slots, strict=False))
        forms.append(f"{between}{_WITHIN}{{{0 if slots else 4},{room[-1]}}}[。！？]")
    return "".join(forms)


def _filled(paragraph: Paragraph, text: str) -> str:
    """Put a figure in the place of each slot that holds one; what holds a name stands for itself."""

    def filler(slot: re.Match[str]) -> str:
        number = int(slot[1])
        return str(_FIGURES + number) if paragraph.locked[number - 1].figure else slot[0]

    return SLOT.sub(filler, text)


def _keeps_labels(paragraph: Paragraph, draft: str) -> bool:
    """Say whether each sentence says of its slots what they are: by a pair of signs of each label that it had."""
    told, retold = (
        {tuple(SLOT.findall(one)): one for one in _STOPS.split(text) if SLOT.search(one)}
        for text in (paragraph.slotted, draft)
    )
    for slots, sentence in told.items():
        labels = [label for number in slots for label in paragraph.locked[int(number) - 1].labels]
        for label in labels:
            here = [pair for pair in pairs_of(label) if pair in sentence]
            if not any(pair in retold.get(slots, "") for pair in here) and (here or retold.get(slots) != sentence):
                return False
    return True
