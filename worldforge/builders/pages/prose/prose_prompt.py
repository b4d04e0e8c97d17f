"""What a model is asked: to word one paragraph anew around its slots."""

from __future__ import annotations

import re
from dataclasses import replace

from worldforge.builders.pages.prose.chinese_paragraphs import ASKED, SYSTEM, form_in_chinese, is_chinese
from worldforge.builders.pages.prose.paragraphs import CLOSE, OPEN, SLOT, Paragraph, words_of
from worldforge.models.chat import Message, ReplyStructure, Request, Sampling

VERSION = 1
"""Part of every key in the store: another prompt means other prose."""
_SYSTEM = f"""\
You are a copy editor. You are given one paragraph from a page of a website, and you word it anew.

- {OPEN}1{CLOSE}, {OPEN}2{CLOSE} and so on are slots: names, figures and links are put there later. Copy every slot \
exactly once, in the same order. Slots of one sentence stay together in one sentence; do not join two sentences.
- Keep what each sentence says, say what each slot is in the words that the paragraph has for it, and do not turn \
round which of two names is what of the other.
- Add nothing: no number, no date, no name, no web address, no other fact. Deny nothing.
- Write plain sentences on one line: no heading, no list, no bold or italic words, no remark of your own.
- Vary order of words, rhythm and phrasing so that the paragraph reads as a person would write it there.

Example
Slots: {OPEN}1{CLOSE} name, {OPEN}2{CLOSE} elevation, {OPEN}3{CLOSE} mayor
Paragraph: {OPEN}1{CLOSE} is a town. Records give the elevation as {OPEN}2{CLOSE}. The mayor is {OPEN}3{CLOSE}.
Reworded: The town in question is {OPEN}1{CLOSE}. It lies at an elevation of {OPEN}2{CLOSE}. The office of mayor is \
held by {OPEN}3{CLOSE}."""
_ASKED = "The page: {sort}\nSlots: {slots}\nParagraph: {paragraph}\nReworded:"
_TOKENS = 128  # written at most, beside one for each character that the paragraph has
_FREE_TRIES = 1
"""The first try is free; in later ones the form of the reply is forced, where the backend can force it."""
_WITHIN = r"[A-Za-z ,;:'’()–-]"
_LEAST_ROOM, _SHORTEST = 24, 8  # characters
_BREAKS = re.compile(r"(?<=[.!?…])\s+")


def request_for(
    paragraph: Paragraph, sort: str, sampling: Sampling, *, seed: int, attempt: int, thinking: bool
) -> Request:
    """Ask for a paragraph of a page of some sort (`encyclopedia`), for the `attempt`-th time, from 0."""
    slots = (
        ", ".join(f"{OPEN}{number}{CLOSE} {one.role or 'name'}" for number, one in enumerate(paragraph.locked, 1))
        or "none"
    )
    system, form, ask = (SYSTEM, form_in_chinese, ASKED) if is_chinese(paragraph) else (_SYSTEM, form_of, _ASKED)
    asked = ask.format(sort=sort, slots=slots, paragraph=paragraph.slotted)
    return Request(
        messages=(Message("system", system), Message("user", asked)),
        tool_choice="none",
        sampling=replace(sampling, seed=seed + attempt, max_tokens=_TOKENS + len(paragraph.slotted)),
        structure=ReplyStructure("regex", form(paragraph)) if attempt >= _FREE_TRIES else None,
        thinking=thinking,
    )


def form_of(paragraph: Paragraph) -> str:
    """Return a regular expression for drafts: as many sentences as the paragraph has, each with the slots it has.

    Between slots there is room for about twice what the paragraph says there.
    """
    return " ".join(map(_form_of_sentence, _BREAKS.split(paragraph.slotted)))


def _form_of_sentence(sentence: str) -> str:
    room = [max(_LEAST_ROOM, 2 * len(words)) for words in words_of(sentence)]
    slots = [f"{OPEN}{slot}{CLOSE}" for slot in SLOT.findall(sentence)]
    if not slots:
        return f"[A-Z]{_WITHIN}{{{_SHORTEST},{room[0]}}}[.!?]"
    between = "".join(f"{_WITHIN}{{1,{most}}}{slot}" for most, slot in zip(room[1:], slots[1:], strict=False))
    return f"([A-Z]{_WITHIN}{{1,{room[0]}}})?{slots[0]}{between}{_WITHIN}{{0,{room[-1]}}}[.!?]"
