"""Texts that a model words: kept by their words, not by what stands in their slots; what is refused stays as it was."""

import asyncio
import json

import pytest

from worldforge.core.store import Store
from worldforge.models.model import ModelError, ModelUnavailableError
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rewording.reworder import N_VARIANTS, Reworder, tally
from worldforge.rewording.slotted_text import Slot, SlottedSentence, SlottedText


def founded(name="Velmar Rovers", year="1911", sentence="⟦1⟧ was founded in ⟦2⟧."):
    return SlottedText("en", (SlottedSentence(sentence, (Slot(name, "name"), Slot(year))),))


def honest(request):
    return "Here, ⟦1⟧ was founded in ⟦2⟧."


def reword(model, folder, *texts, variants=(0,)):
    async def ask(store):
        reworder = Reworder(model, store, "thought")
        return await asyncio.gather(*(reworder.reword(text, n) for text in texts for n in variants))

    with Store(folder / "thoughts.sqlite") as store:
        return asyncio.run(ask(store))


def test_a_wording_serves_all_texts_that_differ_in_their_slots(tmp_path):
    asked = []

    def model(request):
        asked.append(request)
        return honest(request)

    first, second = reword(ScriptedModel(model), tmp_path, founded(), founded("Torvik City", "1920"))
    assert first.text == "Here, Velmar Rovers was founded in 1911."
    assert second.text == "Here, Torvik City was founded in 1920."
    assert len(asked) == 1
    assert not any("Velmar" in message.content or "1911" in message.content for message in asked[0].messages)
    (again,) = reword(ScriptedModel(model), tmp_path, founded())
    assert (again.text, again.by_model, len(asked)) == (first.text, True, 1)
    reword(ScriptedModel(model), tmp_path, founded(), variants=range(2 * N_VARIANTS))
    assert len(asked) == N_VARIANTS


def test_what_is_refused_stays_as_it_was_and_is_counted(tmp_path):
    (kept,) = reword(ScriptedModel(lambda _: "⟦1⟧ was never founded in ⟦2⟧."), tmp_path, founded())
    assert (kept.text, kept.by_model) == ("Velmar Rovers was founded in 1911.", False)
    assert [one.words for one in kept.refused] == [("never",)] * 3
    with Store(tmp_path / "thoughts.sqlite") as store:
        counted = tally(store)
    assert (counted.worded, counted.kept, counted.reasons["words"], counted.words["never"]) == (0, 1, 3, 3)


def test_a_second_draft_may_pass(tmp_path):
    drafts = iter(["⟦1⟧ was founded.", "⟦1⟧ was founded in ⟦2⟧, indeed."])
    (worded,) = reword(ScriptedModel(lambda _: next(drafts)), tmp_path, founded())
    assert worded.text == "Velmar Rovers was founded in 1911, indeed."
    assert [one.reason for one in worded.refused] == ["slots"]


def test_a_model_that_fails_leaves_nothing_behind(tmp_path):
    def failing(request):
        raise ModelError("no answer")

    (kept,) = reword(ScriptedModel(failing), tmp_path, founded())
    assert (kept.text, kept.by_model) == ("Velmar Rovers was founded in 1911.", False)
    (worded,) = reword(ScriptedModel(honest), tmp_path, founded())
    assert worded.by_model

    def gone(request):
        raise ModelUnavailableError("gone")

    with pytest.raises(ModelUnavailableError):
        reword(ScriptedModel(gone), tmp_path, founded(sentence="⟦1⟧ dates from ⟦2⟧."))


def test_a_store_that_somebody_has_changed_brings_no_lie(tmp_path):
    reword(ScriptedModel(honest), tmp_path, founded())
    with Store(tmp_path / "thoughts.sqlite") as store:
        ((key, _),) = store.items()
    other = tmp_path / "other"
    other.mkdir()
    with Store(other / "thoughts.sqlite") as store:
        store.put(key, json.dumps({"draft": "⟦1⟧ was dissolved in ⟦2⟧.", "refused": []}))
    (kept,) = reword(ScriptedModel(honest), other, founded())
    assert kept.text == "Velmar Rovers was founded in 1911."


def test_texts_without_slots_are_not_asked_for(tmp_path):
    text = SlottedText("en", (SlottedSentence("One of the calls failed."),))
    (kept,) = reword(ScriptedModel(lambda _: 1 / 0), tmp_path, text)
    assert kept.text == "One of the calls failed."


@pytest.mark.parametrize(
    ("draft", "filled"),
    [
        ("There is a ⟦1⟧ of ⟦2⟧.", "There is an area of iOrsk."),
        ("⟦1⟧ and ⟦2⟧.", "Area and iOrsk."),
        ("Look: ⟦1⟧. ⟦2⟧ is next. ⟦1⟧", "Look: area. iOrsk is next. Area"),
    ],
)
def test_sentences_begin_with_capitals_but_for_names(draft, filled):
    slots = (Slot("area", "words"), Slot("iOrsk", "name"))
    assert SlottedText("en", (SlottedSentence("⟦1⟧ ⟦2⟧.", slots),)).filled(draft) == filled
