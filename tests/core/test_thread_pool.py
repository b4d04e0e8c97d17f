"""Work handed out to threads, or done where it is handed out: the same results in the same order."""

import threading

import pytest

from worldforge.core.thread_pool import thread_pool


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_order(workers):
    with thread_pool(workers) as pool:
        assert list(pool.map(lambda number: number * number, range(20))) == [number * number for number in range(20)]
        assert pool.submit(divmod, 7, 2).result() == (3, 1)


def test_one_worker_is_the_caller():
    with thread_pool(1) as pool:
        assert pool.submit(threading.get_ident).result() == threading.get_ident()
    with thread_pool(2) as pool:
        assert pool.submit(threading.get_ident).result() != threading.get_ident()


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_raised_comes_back(workers):
    with thread_pool(workers) as pool, pytest.raises(ZeroDivisionError):
        list(pool.map(lambda number: 1 // number, [1, 0]))
