"""A conversation within its budget: it only grows, until it must be cut, and then it says so."""

from hypothesis import given
from hypothesis import strategies as st

from worldforge.agents.context_window import Conversation
from worldforge.models.chat import Message, ToolCall

MARKERS = ("[removed to save space: ", "(what I thought here was removed")
ROOM = 600


def count(text):
    return len(text.split())


def conversation(budget=ROOM, reply=0, besides=0):
    made = Conversation(count, budget, reply, besides)
    made.add(Message("system", "You search."))
    made.add(Message("user", "Which clubs are there?"))
    return made


def tokens(messages):
    return sum(count(m.reasoning) + count(m.content) + 16 for m in messages)


def observed(words, n=1):
    return [Message("tool", words, tool_call_id=f"call_{n}", name="search")]


def said(n, reasoning=""):
    return Message("assistant", f"turn {n}", reasoning, (ToolCall(f"call_{n}", "search", "{}"),))


TURNS = st.lists(st.tuples(st.integers(0, 200), st.lists(st.integers(0, 900), min_size=1, max_size=4)), max_size=25)


@given(TURNS, st.booleans())
def test_it_fits_and_says_what_is_gone(turns, counted):
    """However long thoughts and observations are: only marked messages change, and the prompt stays within its room."""
    talk = conversation()
    whole = list(talk.messages)
    for n, (n_thoughts, observations) in enumerate(turns):
        before = talk.messages
        added = [said(n, " ".join(["hm"] * n_thoughts))]
        talk.add(added[0])
        shown = [Message("tool", " ".join(["word"] * size), tool_call_id="c", name="search") for size in observations]
        talk.add_observed(shown)
        assert talk.messages[: len(before)] == before, "what stood there was changed without need"
        talk.make_room()
        if counted:
            talk.counted(tokens(talk.messages))
        whole += [*added, *shown]
        assert len(talk.messages) == len(whole)
        for is_now, was in zip(talk.messages, whole, strict=True):
            assert (is_now.role, is_now.tool_calls, is_now.tool_call_id) == (was.role, was.tool_calls, was.tool_call_id)
            assert is_now.reasoning in (was.reasoning, "(what I thought here was removed to save space)")
            cut = is_now.content.endswith("characters.]") and was.content.startswith(is_now.content.split("\n[cut")[0])
            assert is_now.content == was.content or is_now.content.startswith(MARKERS[0]) or cut
        if talk.fits:
            assert tokens(talk.messages) <= ROOM


def test_cuts_are_few_and_large():
    """Between two cuts the prompt only grows: what an engine has cached holds for many turns."""
    talk, n_cuts, before = conversation(2_000), 0, ()
    for n in range(60):
        talk.add(said(n))
        talk.add_observed(observed("word " * 80, n))
        talk.make_room()
        n_cuts += talk.messages[: len(before)] != before
        before = talk.messages
    assert 2 <= n_cuts <= 10


def test_without_a_budget_nothing_is_cut():
    talk = conversation(0)
    for n in range(50):
        talk.add(said(n))
        talk.add_observed(observed("word " * 1_000, n))
        talk.make_room()
    assert talk.fits and all(m.content == "word " * 1_000 for m in talk.messages[3::2])


def test_one_observation_that_is_too_long_is_cut_at_a_line_and_says_so():
    talk = conversation()
    text = "\n".join(f"line {n} of the page" for n in range(400))
    talk.add(said(0))
    talk.add_observed(observed(text))
    shown, _, marker = talk.messages[-1].content.rpartition("\n")
    assert text.startswith(shown) and shown.endswith("page\n") and count(shown) <= ROOM / 4
    assert marker == f"[cut here: too long. These are the first {len(shown):,} of {len(text):,} characters.]"


def test_the_newest_observation_outlives_the_older_ones():
    talk = conversation()
    for n in range(8):
        talk.add(said(n))
        talk.add_observed(observed(f"{n} " * 120, n))
        talk.make_room()
        assert talk.messages[-1].content == f"{n} " * 120
    assert talk.messages[3].content == "[removed to save space: 240 characters stood here]"


def test_room_for_the_reply_and_for_what_stands_beside_is_kept():
    talk = conversation(1_000, reply=400, besides=300)
    talk.add(said(0))
    talk.add_observed(observed("word " * 140))
    assert talk.fits
    talk.add(Message("user", "word " * 100))
    assert not talk.fits


def test_what_the_model_counted_goes_before_an_estimate():
    talk = conversation(1_000)
    talk.counted(990)
    talk.add(said(0))
    assert not talk.fits
    talk = conversation(1_000)
    talk.add(Message("user", "word " * 990))
    talk.counted(500)
    assert talk.fits
