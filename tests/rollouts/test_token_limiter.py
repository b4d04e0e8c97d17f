"""A budget of tokens: units are granted parts of it, and what all episodes take together is about what they may."""

import asyncio
from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from worldforge.rollouts.token_limiter import TokenBudget, TokenLimiter

UNIT = 8


def play(tokens, sizes, n_units):
    """Play episodes of these sizes, in units of which `n_units` may be under way; return the sizes of those played."""
    played = []
    waiting = deque(sizes[first : first + UNIT] for first in range(0, len(sizes), UNIT))
    budget = TokenBudget(tokens, n_units)

    async def episode(size, limiter, left):
        if not await limiter.begin():
            left.append(size)
            return
        for _ in range(size % 5):
            await asyncio.sleep(0)
        limiter.end(size)
        played.append(size)

    async def unit():
        while waiting and budget.may_start:
            members, grant, left = waiting.popleft(), budget.grant(), []
            limiter = TokenLimiter(grant)
            await asyncio.gather(*(episode(size, limiter, left) for size in members))
            budget.settle(grant, limiter.used, len(members) - len(left))
            if left:
                waiting.appendleft(left)
            await asyncio.sleep(0)

    async def units():
        while waiting and budget.may_start:  # as the driver does: one that could not draw tries again later
            await asyncio.wait_for(asyncio.gather(*(unit() for _ in range(n_units))), 60)

    asyncio.run(units())
    return played


@given(st.integers(1, 5_000), st.lists(st.integers(1, 100), max_size=200), st.integers(1, 20))
def test_what_is_played_takes_about_what_it_may(tokens, sizes, n_units):
    played = play(tokens, sizes, n_units)
    assert len(played) == len(sizes) or sum(played) >= tokens
    assert sum(played) < tokens + 100 * UNIT * n_units


def test_alike_episodes_are_as_many_as_fit():
    assert len(play(10_000, [100] * 500, 9)) == 100
    assert len(play(10_050, [100] * 500, 9)) == 101
    assert len(play(None, [100] * 500, 9)) == 500


def test_episodes_that_take_nothing_are_all_played():
    assert len(play(10, [0] * 100, 4)) == 100
