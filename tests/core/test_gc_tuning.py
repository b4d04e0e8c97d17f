"""The collector passes seldom while it is told to, and as before afterwards."""

import gc

import pytest

from worldforge.core.gc_tuning import tuned_gc


def test_the_collector_is_left_as_it_was():
    gc.unfreeze()  # what an engine in this process has frozen
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with pytest.raises(KeyError), tuned_gc():
        assert gc.get_threshold() > before and gc.get_freeze_count() > frozen
        with tuned_gc():
            pass
        assert gc.get_freeze_count() > frozen, "who froze lets go"
        raise KeyError
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, frozen)


def test_cycles_are_collected_meanwhile():
    class Cycle:
        alive = 0

        def __init__(self):
            Cycle.alive += 1
            self.own = self

        def __del__(self):
            Cycle.alive -= 1

    with tuned_gc():
        for _ in range(100_000):
            Cycle()
        assert Cycle.alive < 50_000
