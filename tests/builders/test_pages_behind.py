"""Work that is put off: in order, no more of it waiting than may, all of it done in the end."""

import threading

import pytest

from worldforge.builders.pages.behind import Behind


def test_work_waits_as_long_as_it_may_and_keeps_its_order():
    done = []
    behind = Behind(done.append, 10)
    seen = []
    for item in range(5):
        behind.add(item, 4)
        seen.append(len(done))
    assert seen == [0, 0, 1, 2, 3] and done == [0, 1, 2]
    with behind.caught_up(lambda: done.append("end")):
        pass
    assert done == [0, 1, 2, 3, 4, "end"]


def test_nothing_waits_where_nothing_may():
    done = []
    behind = Behind(done.append, 0)
    behind.add("first", 1)
    assert done == ["first"]


def test_what_waits_is_done_beside_the_body():
    begun = threading.Event()
    behind = Behind(lambda _item: begun.set(), 10)
    behind.add("only", 1)
    with behind.caught_up(lambda: None):
        assert begun.wait(10)


def test_what_fails_beside_the_body_is_raised():
    def full(*_item):
        raise OSError(28, "No space left on device")

    finished = []
    behind = Behind(full, 10)
    behind.add("only", 1)
    with pytest.raises(OSError, match="No space"), behind.caught_up(lambda: finished.append("end")):
        pass
    assert not finished
    with pytest.raises(OSError, match="No space"), Behind(full, 10).caught_up(full):
        pass
