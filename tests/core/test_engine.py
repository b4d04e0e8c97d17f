"""Engines: results in the order of items, a few items ahead, what was given found, and errors that stay themselves."""

import os
from itertools import islice

import pytest

from worldforge.core.engine import LocalEngine, opened, taken
from worldforge.core.errors import InputError, WorldForgeError


def times(number):
    return number * taken()


def opening(given):
    return [given]


def counted(_item):
    opened(opening).append(os.getpid())
    return opened(opening)


def refusing(number):
    raise InputError(f"{number} will not do", "take another")


def dying(_number):
    os._exit(9)


def tripled(items, tell, stopping):
    for item in items:
        if stopping():
            return
        tell(item, 3 * item)


def refused(items, tell, stopping):
    refusing(items[0])


def ended(items, tell, stopping):
    dying(0)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crew_gives_results_in_order_and_takes_a_few_items_ahead(workers):
    taken_from = []
    items = (taken_from.append(number) or number for number in range(10_000))
    with LocalEngine(workers).crew(7) as crew:
        assert crew.size == workers
        assert list(islice(crew.spread(times, items), 20)) == [7 * number for number in range(20)]
        assert len(taken_from) <= 20 + workers
        made = list(crew.spread(counted, range(4)))
        assert all(one[0] == 7 for one in made)
        assert max(map(len, made)) > 2, "what a worker made of what it was given is made once"
        with pytest.raises(InputError, match="5 will not do") as raised:
            list(crew.spread(refusing, [5]))
        assert raised.value.hint == "take another"
    assert taken() is None


def test_a_crew_of_which_a_process_dies_says_so():
    with LocalEngine(2).crew(None) as crew, pytest.raises(WorldForgeError, match="ended before its work was done"):
        list(crew.spread(dying, range(4)))


def test_shares_are_done_once_each_until_told_to_stop():
    engine = LocalEngine(2)
    assert dict(engine.share_out(tripled, {n: n for n in range(50)})) == {n: 3 * n for n in range(50)}
    assert len(list(engine.share_out(tripled, {n: n for n in range(100_000)}, lambda: True))) < 100_000
    with pytest.raises(InputError, match="will not do"):
        list(engine.share_out(refused, {n: n for n in range(4)}))
    with pytest.raises(WorldForgeError, match="ended before its work was done"):
        list(engine.share_out(ended, {n: n for n in range(4)}))
