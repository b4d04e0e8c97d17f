"""What a draft may say: others' words for the same, and nothing else."""

import re

import pytest

from worldforge.builders.pages.prose.draft_check import DraftChecker, spoken_of
from worldforge.builders.pages.prose.paragraphs import LockedSpan, lock
from worldforge.builders.pages.prose.prose_prompt import form_of
from worldforge.world.lexicon.lexicon import Lexicon

LABELS = ["elevation", "population", "charter year", "home town", "stadium capacity", "mayor", "from", "town", "towns"]
CHECKER = DraftChecker(
    Lexicon(names=["Kalo", "Veld Rovers", "Sarn"], values=["violet", "goalkeeper"]), spoken_of([*LABELS, "player"])
)


def paragraph(marked):
    """Read `{Kalo}` as a name, `{728 m|elevation}` as a stated figure, `{Sarn|home town}` as a stated name."""
    text, locked = "", []
    for place, part in enumerate(marked.replace("}", "{").split("{")):
        value, _, label = part.partition("|")
        if place % 2:
            labels = (label,) if label else ()
            locked.append(LockedSpan(len(text), len(text) + len(value), label or "name", labels, value[0].isdigit()))
        text += value if place % 2 else part
    return lock(text, 0, len(text), locked)


HILL = "Accounts are brief. {Kalo} has an elevation of {728 m|elevation}. Its charter dates from {1519|charter year}."
CLUB = "{Veld Rovers} is a football club; the home town is {Kalo|home town}."
MAYOR = "{Anna Berg|mayor} is the mayor of {Kalo}."
CUSTOM = "{Veld Rovers} plays its matches at {The Dell|stadium}."
GOOD = {
    HILL: [
        "Early accounts of the place say little. ⟦1⟧ lies at an elevation of ⟦2⟧. The charter was granted in ⟦3⟧.",
        "⟦1⟧ reaches an elevation of ⟦2⟧. Its charter goes back to ⟦3⟧.",
        "Old accounts are short, as accounts go! In ⟦1⟧ you stand at an elevation of ⟦2⟧. It was chartered in ⟦3⟧.",
    ],
    CLUB: ["The football club ⟦1⟧ has ⟦2⟧ for its home town.", "⟦1⟧ is a football club from the home town of ⟦2⟧."],
    MAYOR: ["⟦1⟧ serves as the mayor of ⟦2⟧.", "It is known that ⟦1⟧ became the mayor of ⟦2⟧."],
    CUSTOM: ["As everybody knows, ⟦1⟧ plays its matches at ⟦2⟧ all year."],
    "We will keep readers posted.": ["Readers will hear from us again.", "We shall keep you posted, dear reader."],
}
BAD = {
    (HILL, "slots"): [
        "Accounts are brief. ⟦1⟧ has an elevation of ⟦2⟧. Its charter is old.",
        "Accounts are brief. ⟦2⟧ is the elevation of ⟦1⟧. Its charter dates from ⟦3⟧.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧, yes, ⟦3⟧.",
        "⟦1⟧ has an elevation of [2]. Its charter dates from ⟦3⟧.",
    ],
    (HILL, "form"): [
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧",
        "⟦1⟧ has an elevation of ⟦2⟧.\nIts charter dates from ⟦3⟧.",
        "- ⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧.",
        "⟦1⟧ has an *elevation* of ⟦2⟧. Its charter dates from ⟦3⟧.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧, and 5 more.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧. See kalo.example for more.",
        "⟦1⟧ 的 elevation ⟦2⟧. Its charter dates from ⟦3⟧.",
    ],
    (HILL, "length"): ["⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧" + ", and so it is" * 40 + "."],
    (HILL, "sentences"): [
        "⟦1⟧ has an elevation of ⟦2⟧, and its charter dates from ⟦3⟧.",
        "There is ⟦1⟧. It has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧.",
        "Old. Very old. It is. ⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧.",
    ],
    (HILL, "negation"): [
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter does not date from ⟦3⟧.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter was lost in ⟦3⟧.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧. This is never so.",
    ],
    (HILL, "fact"): [
        "⟦1⟧ has an elevation of about ⟦2⟧. Its charter dates from ⟦3⟧.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from before ⟦3⟧.",
        "⟦1⟧ has an elevation of twice ⟦2⟧. Its charter dates from ⟦3⟧.",
        "⟦1⟧ in Sarn has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from ⟦3⟧. Kavadan is close.",
        "⟦1⟧ has an elevation of ⟦2⟧. Its charter dates from March ⟦3⟧.",
        "⟦1⟧ has violet hills and an elevation of ⟦2⟧. Its charter dates from ⟦3⟧.",
    ],
    (HILL, "meaning"): [
        "⟦1⟧ has a depth of ⟦2⟧. Its charter dates from ⟦3⟧.",
        "Its charter is of ⟦1⟧, ⟦2⟧. An elevation of ⟦3⟧.",
        "⟦1⟧ has an elevation of ⟦2⟧, as its mayor says. Its charter dates from ⟦3⟧.",
    ],
    (CLUB, "meaning"): [
        "⟦1⟧ is a football club; it is the home town of ⟦2⟧.",
        "⟦1⟧ is a football club in ⟦2⟧.",
        "⟦1⟧, the home town of ⟦2⟧.",
    ],
    (MAYOR, "meaning"): [
        "⟦1⟧ has ⟦2⟧ as mayor.",
        "The mayor of ⟦1⟧ is ⟦2⟧.",
        "⟦1⟧'s mayor, well known to all, is ⟦2⟧.",
    ],
    (CUSTOM, "meaning"): [
        "⟦1⟧ plays at ⟦2⟧ its matches.",
        "⟦1⟧ plays its matches against ⟦2⟧.",
        "⟦1⟧ sold ⟦2⟧.",
    ],
    ("We will keep readers posted.", "fact"): ["We will keep readers of Sarn posted.", "We will be back in two days."],
    ("We will keep readers posted.", "slots"): ["We will keep readers of ⟦1⟧ posted."],
    ("We will keep readers posted.", "length"): ["We will keep on" + " and on" * 40 + "."],
}


@pytest.mark.parametrize(("marked", "draft"), [(marked, draft) for marked, drafts in GOOD.items() for draft in drafts])
def test_a_paragraph_may_be_said_otherwise(marked, draft):
    assert CHECKER.refusal(paragraph(marked), draft) is None


@pytest.mark.parametrize(
    ("marked", "reason", "draft"), [(*which, draft) for which, drafts in BAD.items() for draft in drafts]
)
def test_what_says_something_else_is_refused(marked, reason, draft):
    assert CHECKER.refusal(paragraph(marked), draft) == reason


@pytest.mark.parametrize("marked", GOOD)
def test_a_paragraph_may_stay_as_it_is(marked):
    as_it_is = paragraph(marked)
    assert CHECKER.refusal(as_it_is, as_it_is.slotted) is None


@pytest.mark.parametrize("marked", GOOD)
def test_the_form_that_is_forced_has_room_for_what_may_be_said(marked):
    as_it_is = paragraph(marked)
    form = re.compile(form_of(as_it_is))
    assert form.fullmatch(as_it_is.slotted.replace(";", ","))
    fitting = [draft for draft in GOOD[marked] if form.fullmatch(draft)]
    assert fitting and not any(form.fullmatch(draft) for draft in BAD.get((marked, "slots"), []))


def test_two_values_in_one_sentence_keep_the_words_between_them():
    both = paragraph("It has an elevation of {728 m|elevation} and a population of {900|population}.")
    turned = "It has a population of ⟦1⟧ and an elevation of ⟦2⟧."
    assert CHECKER.refusal(both, turned) == "meaning"
    assert CHECKER.refusal(both, "The elevation: ⟦1⟧ and a population of ⟦2⟧.") is None


def test_what_denies_may_go_on_denying():
    denied = paragraph("The charter of {Kalo} is not from {1519|charter year}.")
    assert CHECKER.refusal(denied, "It is not in ⟦1⟧ that the charter was signed in ⟦2⟧.") is None
    assert CHECKER.refusal(denied, "The charter of ⟦1⟧ is from ⟦2⟧.") == "negation"
