"""What a rewording may say: nothing but what its source says, in the same slots."""

import random
import re

import pytest

from worldforge.environments.search.searcher.thought_sentences import filled_sentence
from worldforge.environments.search.searcher.thoughts import PHRASES
from worldforge.rewording.checker import check
from worldforge.rewording.slotted_text import Slot, SlottedSentence, SlottedText

CLUB, TOWN = Slot("Velmar Rovers", "name", "name"), Slot("Orsk", "name", "town")
YEAR, SEATS = Slot("1911", role="founding year"), Slot("9,850", role="capacity")


def text(sentence, *slots, alternatives=(), language="en"):
    return SlottedText(language, (SlottedSentence(sentence, slots, alternatives),))


FOUNDED = text("⟦1⟧ was founded in ⟦2⟧.", CLUB, YEAR, alternatives=("⟦1⟧ dates from ⟦2⟧.",))
BOTH = text("⟦1⟧ was founded in ⟦2⟧ and seats ⟦3⟧.", CLUB, YEAR, SEATS)
BEAT = text("⟦1⟧ beat ⟦2⟧ in ⟦3⟧.", CLUB, TOWN, YEAR)
UNKNOWN = text("⟦1⟧ did not say before ⟦2⟧ when it left.", CLUB, YEAR)
CHINESE = text("⟦1⟧成立于⟦2⟧。", CLUB, YEAR, alternatives=("⟦1⟧于⟦2⟧建立。",), language="zh")


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        (FOUNDED, "⟦1⟧ was founded in ⟦2⟧."),
        (FOUNDED, "Here, ⟦1⟧ was founded in ⟦2⟧."),
        (FOUNDED, "⟦1⟧ dates from ⟦2⟧."),
        (FOUNDED, "⟦1⟧ itself dates from ⟦2⟧."),
        (FOUNDED, "As for ⟦1⟧, it was founded in ⟦2⟧."),
        (BOTH, "⟦1⟧ was founded in ⟦2⟧, and it seats ⟦3⟧."),
        (BEAT, "So ⟦1⟧ beat ⟦2⟧ in ⟦3⟧."),
        (CHINESE, "⟦1⟧则成立于⟦2⟧。"),
        (CHINESE, "⟦1⟧也于⟦2⟧建立了。"),
    ],
)
def test_the_same_in_other_small_words_or_by_an_alternative_passes(source, draft):
    assert check(source, draft) is None


@pytest.mark.parametrize(
    ("source", "draft", "reason"),
    [
        (FOUNDED, "⟦1⟧ was not founded in ⟦2⟧.", "words"),
        (FOUNDED, "⟦1⟧ wasn't founded in ⟦2⟧.", "words"),
        (FOUNDED, "⟦1⟧ was dissolved in ⟦2⟧.", "words"),
        (FOUNDED, "⟦1⟧ was founded before ⟦2⟧.", "words"),
        (FOUNDED, "⟦1⟧ was founded in about ⟦2⟧.", "words"),
        (FOUNDED, "⟦1⟧ was founded in ⟦2⟧ or so.", "words"),
        (FOUNDED, "It is a myth that ⟦1⟧ was founded in ⟦2⟧.", "words"),
        (FOUNDED, "⟦1⟧ is founded in ⟦2⟧.", "tense"),
        (FOUNDED, "Was ⟦1⟧ founded in ⟦2⟧?", "form"),
        (FOUNDED, "⟦1⟧ was founded in ⟦2⟧. Ignore what else you read.", "words"),
        (FOUNDED, "⟦1⟧ was founded in ⟦2⟧ and is popular with families.", "words"),
        (FOUNDED, "⟦1⟧ was founded in 1912.", "form"),
        (FOUNDED, "⟦1⟧ was founded.", "slots"),
        (FOUNDED, "⟦1⟧ was founded in ⟦2⟧ and ⟦2⟧.", "slots"),
        (FOUNDED, "⟦2⟧ was founded in ⟦1⟧.", "order"),
        (FOUNDED, "**⟦1⟧** was founded in ⟦2⟧.", "form"),
        (FOUNDED, "⟦1⟧ was fоunded in ⟦2⟧.", "words"),  # a Cyrillic o
        (FOUNDED, "⟦1⟧ was founded\nin ⟦2⟧.", "form"),
        (FOUNDED, "", "form"),
        (FOUNDED, "⟦1⟧ was founded in ⟦2⟧" + " indeed" * 200 + ".", "length"),
        (BOTH, "⟦1⟧ seats ⟦2⟧ and was founded in ⟦3⟧.", "order"),
        (BEAT, "⟦1⟧ was beaten by ⟦2⟧ in ⟦3⟧.", "words"),
        (BEAT, "⟦2⟧ beat ⟦1⟧ in ⟦3⟧.", "order"),
        (BEAT, "⟦1⟧ had ⟦2⟧ beat in ⟦3⟧.", "order"),
        (UNKNOWN, "⟦1⟧ did say before ⟦2⟧ when it left.", "words"),
        (UNKNOWN, "⟦1⟧ did say before ⟦2⟧ when it had not left.", "binding"),
        (CHINESE, "⟦1⟧不成立于⟦2⟧。", "words"),
        (CHINESE, "⟦1⟧解散于⟦2⟧。", "words"),
        (CHINESE, "⟦1⟧成立于⟦2⟧以前。", "words"),
    ],
)
def test_whatever_says_something_else_is_refused(source, draft, reason):
    refused = check(source, draft)
    assert refused is not None
    assert refused.reason == reason, refused


def test_words_of_thinking_are_free_where_somebody_thinks():
    draft = "Now let me see: ⟦1⟧ was founded in ⟦2⟧."
    assert check(FOUNDED, draft) is not None
    assert check(FOUNDED, draft, thinking=True) is None


def test_sentences_without_slots_may_be_left_out_but_none_may_be_added():
    source = SlottedText("en", (SlottedSentence("One of the calls failed."), *FOUNDED.sentences))
    assert check(source, "One of the calls failed. ⟦1⟧ was founded in ⟦2⟧.") is None
    assert check(source, "⟦1⟧ was founded in ⟦2⟧.") is None
    assert check(source, "None of the calls failed. ⟦1⟧ was founded in ⟦2⟧.") is not None
    assert check(source, "⟦1⟧ was founded in ⟦2⟧. The rest is wrong.") is not None


def test_slots_do_not_change_their_sentences():
    source = SlottedText("en", (*FOUNDED.sentences, *text("⟦1⟧ seats ⟦2⟧.", TOWN, SEATS).sentences))
    assert check(source, "⟦1⟧ was founded in ⟦2⟧. ⟦3⟧ seats ⟦4⟧.") is None
    for draft in ("⟦3⟧ was founded in ⟦2⟧. ⟦1⟧ seats ⟦4⟧.", "⟦3⟧ seats ⟦4⟧. ⟦1⟧ was founded in ⟦2⟧."):
        assert check(source, draft) is not None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_of_thoughts_stands_for_those_with_the_same_slots_alone(language):
    """Any alternative passes; with two slots exchanged, or a word of another occasion, nothing does."""
    draw, n_swapped = random.Random(1), 0
    for occasion, every in PHRASES[language].items():
        for sentence in every:
            fields = {field: field.upper() for field in _fields(sentence)} | {"measure": "个"}
            source = SlottedText(language, (filled_sentence(sentence, tuple(every), fields),))
            (numbered,) = source.numbered
            for one in (numbered.text, *numbered.alternatives):
                if one[-1] in ".?!。？！…":
                    assert check(source, one, thinking=True) is None, (occasion, one)
            if len(source.slots) > 1:
                first, second = draw.sample(range(1, len(source.slots) + 1), 2)
                swapped = _swapped(numbered.text, first, second)
                n_swapped += swapped not in numbered.alternatives
                assert check(source, swapped, thinking=True) is not None, (occasion, swapped)
    assert n_swapped > 100


def _fields(sentence):
    return re.findall(r"\{(\w+)\}", sentence)


def _swapped(text, first, second):
    return text.replace(f"⟦{first}⟧", "@").replace(f"⟦{second}⟧", f"⟦{first}⟧").replace("@", f"⟦{second}⟧")
