"""Pools of local workers: order, context, exceptions, lost and slow workers, coroutines, what a pool leaves behind."""

import asyncio
import atexit
import contextlib
import multiprocessing
import os
import signal
import time
from contextlib import asynccontextmanager
from itertools import islice
from multiprocessing import spawn

import pytest

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.store import Store
from worldforge.core.worker_pool import UnfitWorkerError
from worldforge.core.worker_runtime import RaisedInWorkerError, worker_cached, worker_context


def times(number):
    return number * worker_context()


def opening(context):
    return [context]


def counted(_item):
    worker_cached(opening).append(os.getpid())
    return worker_cached(opening)


class UnpicklableError(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def failing(what):
    if what == "input":
        raise InputError("a wrong input", "mend it")
    if what == "unpicklable":
        raise UnpicklableError(1, 2)
    raise ValueError(f"a defect of {what}")


def killed(number):
    os.kill(os.getpid(), signal.SIGKILL)


def mark(number):
    """Leave a file where an item begins."""
    with (worker_context() / f"{number}").open("a") as file:
        file.write(f"{os.getpid()}\n")
    return number


def killed_once(number):
    begun = worker_context() / f"{number}"
    is_first = not begun.exists()
    mark(number)
    time.sleep(0.01)
    if number == 10 and is_first:
        killed(number)
    return number


def killed_always(number):
    mark(number)
    if number == 3:
        killed(number)


def busy(_item):
    time.sleep(0.05)
    return os.getpid()


def slow_at_first(number):
    time.sleep(2 if number == 0 else 0.01)
    return os.getpid()


def tell_pid(path):
    (path / str(os.getpid())).touch(exist_ok=False)
    return os.getpid()


def cached_pid(_item):
    return worker_cached(tell_pid), os.getpid()


class Poisoned:
    """What cannot be read in a worker."""

    def __reduce__(self):
        return _poison, ()


def _poison():
    raise ValueError("it cannot be read here")


class Deadly:
    """Ends the worker that reads it."""

    text = "x" * 200_000

    def __reduce__(self):
        return os._exit, (9,)


OLDER = []


@pytest.fixture(autouse=True)
def older():
    """Child processes that other tests have left: what a test here leaves is told from them."""
    OLDER[:] = multiprocessing.active_children()


def no_children():
    until = time.monotonic() + 60
    while (left := own_children()) and time.monotonic() < until:
        time.sleep(0.02)
    if left:
        print("still running:", *left)
    return not left


def own_children():
    return [one for one in multiprocessing.active_children() if one not in OLDER]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order_and_items_are_drawn_a_few_ahead(workers):
    drawn = []
    items = (drawn.append(number) or number for number in range(10_000))
    with LocalEngine(workers).pool(7) as pool:
        assert pool.size == workers
        assert list(islice(pool.map_ordered(times, items), 20)) == [7 * number for number in range(20)]
        assert len(drawn) <= 20 + 3 * workers
        assert dict(pool.map_unordered(times, range(50))) == {number: 7 * number for number in range(50)}
        made = list(pool.map_ordered(counted, range(4)))
        assert all(one[0] == 7 for one in made)
        assert max(map(len, made)) > 2, "what a worker makes of its context is made once"
    assert worker_context() is None and no_children()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_is_raised_as_it_is(workers):
    with LocalEngine(workers).pool(None) as pool:
        with pytest.raises(InputError, match="a wrong input") as raised:
            list(pool.map_ordered(failing, ["input"]))
        assert raised.value.hint == "mend it"
        assert list(pool.map_ordered(abs, [-1])) == [1], "the pool is still of use"


def test_an_exception_has_the_traceback_of_its_worker():
    with LocalEngine(2).pool(None) as pool:
        with pytest.raises(ValueError, match="a defect of this") as raised:
            list(pool.map_unordered(failing, ["this"]))
        assert isinstance(raised.value.__cause__, RaisedInWorkerError) and "in failing" in str(raised.value.__cause__)
        with pytest.raises(RuntimeError, match="UnpicklableError: 1 and 2") as raised:
            list(pool.map_unordered(failing, ["unpicklable"]))
        assert "in failing" in str(raised.value.__cause__)


def test_a_lost_worker_costs_what_it_had_and_is_replaced(tmp_path):
    told = []
    with LocalEngine(2, told.append).pool(tmp_path) as pool:
        assert list(pool.map_ordered(killed_once, range(60))) == list(range(60))
        begun = {path.name: path.read_text().split() for path in tmp_path.iterdir()}
        until, pids = time.monotonic() + 60, set()
        while len(pids) < 2 and time.monotonic() < until:
            pids.update(pid for _, pid in pool.map_unordered(busy, range(8)))
    assert len(told) == 1 and "a worker was killed" in told[0]
    assert len(pids) == 2, "one more was started"
    assert [name for name, pids in begun.items() if len(pids) > 1] == ["10"]


def test_an_item_that_kills_its_workers_ends_the_work(tmp_path):
    with (
        pytest.raises(WorldForgeError, match=r"was killed.* and 3 in all with the same item"),
        LocalEngine(2).pool(tmp_path) as pool,
    ):
        list(pool.map_unordered(killed_always, range(8)))
    assert len((tmp_path / "3").read_text().split()) == 3
    assert no_children()


def test_a_slow_worker_keeps_no_items_from_others():
    with LocalEngine(2).pool(None) as pool:
        pids = [pid for _, pid in sorted(pool.map_unordered(slow_at_first, range(80)))]
    assert pids.count(pids[0]) <= 2


def test_workers_start_and_open_before_there_is_work_and_once(tmp_path):
    with LocalEngine(2).pool(tmp_path, initializer=tell_pid) as pool:
        until = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(list(tmp_path.iterdir())) == 2
        assert all(made == pid for made, pid in pool.map_ordered(cached_pid, range(8)))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_context_that_cannot_be_read_is_told():
    with LocalEngine(2).pool(Poisoned()) as pool, pytest.raises(ValueError, match="cannot be read") as raised:
        list(pool.map_ordered(times, [1]))
    assert raised.value.__cause__ is not None


def unfit_once(path):
    """Be unfit in the first worker that gets here."""
    with contextlib.suppress(FileExistsError):
        (path / "unfit").touch(exist_ok=False)
        raise UnfitWorkerError("it lacks the world", "put it there")
    return os.getpid()


def unfit(_path):
    raise UnfitWorkerError("it lacks the world", "put it there")


def test_a_worker_whose_machine_is_unfit_is_left_out_unless_all_are(tmp_path):
    told = []
    with LocalEngine(2, told.append).pool(tmp_path, initializer=unfit_once) as pool:
        assert list(pool.map_ordered(abs, range(50))) == list(range(50))
        assert list(pool.map_ordered(abs, range(50))) == list(range(50))
    assert told == ["a worker is left out: it lacks the world"]
    with (
        pytest.raises(InputError, match="lacks the world") as raised,
        LocalEngine(2).pool(tmp_path, initializer=unfit) as pool,
    ):
        list(pool.map_ordered(abs, range(50)))
    assert raised.value.hint == "put it there"


def test_workers_that_die_as_they_start_keep_nobody_waiting(monkeypatch):
    with pytest.raises(WorldForgeError, match="3 workers in a row were killed"), LocalEngine(2).pool(Deadly()) as pool:
        list(pool.map_ordered(times, range(4)))
    monkeypatch.setattr(spawn, "_python_exe", b"/bin/false")
    signal.alarm(30)
    try:
        with pytest.raises(WorldForgeError, match="as they started"), LocalEngine(2).pool("x" * 200_000) as pool:
            list(pool.map_ordered(times, range(4)))
    finally:
        signal.alarm(0)


def test_what_the_driver_raises_ends_all_at_once():
    began = time.monotonic()
    with pytest.raises(OSError, match="cannot be put down"), LocalEngine(2).pool(None) as pool:
        for _ in pool.map_unordered(time.sleep, [0, 60, 60, 60]):
            raise OSError("it cannot be put down")
    assert time.monotonic() - began < 30 and no_children()


def left_open(path):
    store = Store(path / "texts.sqlite")
    store.put("key", "text")
    store.itself = store  # so that counting references does not close it
    log = (path / "log").open("w")
    atexit.register(log.write, "ended")
    atexit.register(log.flush)
    return [file.name for file in path.iterdir()]


def test_a_worker_closes_what_it_has_open(tmp_path):
    (tmp_path / "a").mkdir()
    with LocalEngine(2).pool(None) as pool:
        (names,) = pool.map_ordered(left_open, [tmp_path / "a"])
    assert "texts.sqlite-wal" in names
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["log", "texts.sqlite"]
    assert (tmp_path / "a" / "log").read_text() == "ended"


@asynccontextmanager
async def session(path):
    under_way = 0

    async def do(number):
        nonlocal under_way
        under_way += 1
        most = under_way
        if number == "fails":
            raise InputError("a wrong item", "mend it")
        if number == 7 and not (path / "killed").exists():
            (path / "killed").touch()
            killed(number)
        await asyncio.sleep(0.01)
        while len(list(path.glob("* opened"))) < len(list(path.glob("* wanted"))):
            await asyncio.sleep(0.01)
        under_way -= 1
        return 3 * number, most, os.getpid()

    (path / f"{os.getpid()} opened").touch(exist_ok=False)
    yield do
    (path / f"{os.getpid()} closed").touch(exist_ok=False)


@pytest.mark.parametrize("workers", [1, 2])
def test_coroutines_are_under_way_at_once_up_to_a_limit(workers, tmp_path):
    (tmp_path / "killed").touch()
    for number in range(workers):
        (tmp_path / f"{number} wanted").touch()
    with LocalEngine(workers).pool(tmp_path) as pool:
        done = dict(pool.map_async(session, range(200), 8))
        assert {place: tripled for place, (tripled, _, _) in done.items()} == {n: 3 * n for n in range(200)}
        assert max(most for _, most, _ in done.values()) == 8
        pids = {pid for _, _, pid in done.values()}
        assert len(pids) == workers
        names = {path.name for path in tmp_path.glob("*ed")} - {"killed", *(f"{n} wanted" for n in range(workers))}
        assert names == {f"{pid} {what}" for pid in pids for what in ("opened", "closed")}


def test_coroutines_of_a_lost_worker_are_done_by_others(tmp_path):
    with LocalEngine(2).pool(tmp_path) as pool:
        done = dict(pool.map_async(session, range(100), 4))
    assert {place: tripled for place, (tripled, _, _) in done.items()} == {n: 3 * n for n in range(100)}


@asynccontextmanager
async def refused(_context):
    raise InputError("it will not open", "take another")
    yield


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_coroutine_raises_and_a_session_as_it_opens_is_raised(workers, tmp_path):
    with pytest.raises(InputError, match="a wrong item") as raised, LocalEngine(workers).pool(tmp_path) as pool:
        list(pool.map_async(session, [1, 2, "fails", 3], 2))
    assert raised.value.hint == "mend it"
    with pytest.raises(InputError, match="will not open"), LocalEngine(workers).pool(tmp_path) as pool:
        list(pool.map_async(refused, [1, 2], 2))
    assert no_children()
