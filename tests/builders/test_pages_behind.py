"""Work that is put off: in order in each row, no more of it waiting than may, all of it done in the end."""

import threading
from functools import partial

import pytest

from worldforge.builders.pages.write_queue import behind


def full():
    raise OSError(28, "No space left on device")


def test_each_row_keeps_its_order_and_all_is_done_in_the_end():
    done = [], []
    with behind(2, 10) as rows:
        for number in range(50):
            rows.add([partial(row.append, number) for row in done], 4)
    assert done == (list(range(50)), list(range(50)))


def test_nothing_waits_where_nothing_may():
    done = []
    with behind(1, 0) as rows:
        rows.add([lambda: done.append(threading.current_thread())], 1)
        assert done == [threading.current_thread()]


def test_rows_do_not_wait_for_one_another_nor_does_what_adds_to_them():
    begun, let_go = threading.Event(), threading.Event()
    with behind(2, 10) as rows:
        rows.add([partial(let_go.wait, 10), begun.set], 1)
        assert begun.wait(10)
        let_go.set()


def test_no_more_waits_than_may():
    let_go, added = threading.Event(), threading.Event()

    def add_two():
        with behind(1, 10) as rows:
            rows.add([partial(let_go.wait, 10)], 8)
            rows.add([lambda: None], 8)
            added.set()

    adding = threading.Thread(target=add_two)
    adding.start()
    assert not added.wait(0.2)
    let_go.set()
    assert added.wait(10)
    adding.join()


def test_nothing_follows_what_has_failed_and_its_error_is_raised():
    done = []
    with pytest.raises(OSError, match="No space"), behind(2, 10) as rows:
        rows.add([full, partial(done.append, "first")], 1)
        rows.add([partial(done.append, "after a failure"), partial(done.append, "second")], 0)
    assert done == ["first", "second"]


def test_what_fails_is_raised_by_what_is_added_next_where_too_much_waits():
    with behind(1, 1) as rows, pytest.raises(OSError, match="No space"):
        rows.add([full], 2)
