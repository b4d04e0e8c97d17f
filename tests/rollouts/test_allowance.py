"""An allowance of tokens: many episodes are under way, and what they take together is about what they may."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from worldforge.rollouts.allowance import Allowance


def play(tokens, sizes, at_once, stops_after=None):
    """Play episodes of these sizes, at most `at_once`; return the sizes of those that were played."""
    played = []

    async def player(queue, allowance):
        for size in queue:
            if not await allowance.begin():
                return
            for _ in range(size % 5):
                await asyncio.sleep(0)
            allowance.end(size)
            played.append(size)

    async def players():
        queue = iter(sizes)
        allowance = Allowance(tokens, lambda: stops_after is not None and len(played) >= stops_after)
        await asyncio.wait_for(asyncio.gather(*(player(queue, allowance) for _ in range(at_once))), 60)

    asyncio.run(players())
    return played


@given(st.integers(1, 5_000), st.lists(st.integers(1, 100), max_size=200), st.integers(1, 64))
def test_what_is_played_takes_about_what_it_may(tokens, sizes, at_once):
    played = play(tokens, sizes, at_once)
    assert len(played) == len(sizes) or sum(played) >= tokens
    assert sum(played) < tokens + 100 * at_once


def test_alike_episodes_are_as_many_as_fit():
    assert len(play(10_000, [100] * 500, at_once=64)) == 100
    assert len(play(10_050, [100] * 500, at_once=64)) == 101
    assert len(play(None, [100] * 500, at_once=64)) == 500


def test_episodes_that_take_nothing_are_all_played():
    assert len(play(10, [0] * 100, at_once=16)) == 100


def test_who_waits_leaves_when_told():
    assert len(play(1_000_000, [101] * 50, at_once=64)) == 50
    assert len(play(1_000_000, [101] * 50, at_once=64, stops_after=1)) == 8
