"""Engines: results in the order of items, a few items ahead, what was given found, and errors that stay themselves."""

import asyncio
import atexit
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass
from itertools import islice
from multiprocessing import spawn

import pytest

from worldforge.core.engine import LocalEngine, opened, taken
from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.store_server import open_store


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


async def tripled(items, tell, stopping):
    for item in items:
        if stopping():
            return
        tell(item, 3 * item)


async def refused(items, tell, stopping):
    refusing(items[0])


class Long:
    """Work that is long to pass on."""

    text = "x" * 200_000

    def __reduce__(self):
        return _long, (self.text,)

    async def __call__(self, items, tell, stopping):
        await tripled(items, tell, stopping)


def _long(_text):
    return tripled


class EndedEarly:
    """Ends the worker that unpickles it: before it has read its share."""

    def __reduce__(self):
        return os._exit, (9,)

    async def __call__(self, items, tell, stopping):
        await tripled(items, tell, stopping)


async def ended(items, tell, stopping):
    if multiprocessing.parent_process() is not None:
        dying(0)


async def looking(items, tell, stopping):
    tell(items[0], items[0].exists())


async def left_open(items, tell, stopping):
    (path,) = items
    if multiprocessing.parent_process() is None:
        return
    store = open_store(path / "texts.sqlite")
    store.put("key", "text")
    store.itself = store  # so that counting references does not close it
    log = (path / "log").open("w")
    atexit.register(log.write, "ended")
    atexit.register(log.flush)
    tell(path, [file.name for file in path.iterdir()])


class Seen:
    """Says that it came to a worker."""

    def __init__(self, path):
        self.path = path

    def __setstate__(self, state):
        self.__dict__.update(state)
        (self.path / str(os.getpid())).touch()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crew_gives_results_in_order_and_takes_a_few_items_ahead(workers):
    taken_from = []
    items = (taken_from.append(number) or number for number in range(10_000))
    with LocalEngine(workers).crew(7) as crew:
        assert crew.size == workers
        assert list(islice(crew.spread(times, items), 20)) == [7 * number for number in range(20)]
        assert len(taken_from) < 20 + 2 * workers
        made = list(crew.spread(counted, range(4)))
        assert all(one[0] == 7 for one in made)
        assert max(map(len, made)) > 2, "what a worker made of what it was given is made once"
        with pytest.raises(InputError, match="5 will not do") as raised:
            list(crew.spread(refusing, [5]))
        assert raised.value.hint == "take another"
    assert taken() is None


def test_a_crew_of_which_a_process_dies_says_so():
    with (
        LocalEngine(2).crew(None) as crew,
        pytest.raises(WorldForgeError, match="was killed, or left"),
    ):
        list(crew.spread(dying, range(4)))


def opened_once(folder):
    (folder / str(os.getpid())).touch(exist_ok=False)
    return os.getpid()


def as_opened(_item):
    return opened(opened_once), os.getpid()


def test_a_crew_opens_what_it_is_told_to_before_it_has_work_and_once(tmp_path):
    with LocalEngine(2).crew(tmp_path, opens=opened_once) as crew:
        limit = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < limit:
            time.sleep(0.02)
        assert list(tmp_path.iterdir())
        assert all(made == pid for made, pid in crew.spread(as_opened, range(8)))
    assert len(list(tmp_path.iterdir())) <= 2


def elsewhere(number):
    time.sleep(0.05)
    return number, os.getpid(), taken()


def here(number):
    time.sleep(0.002)
    return number, os.getpid(), taken()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crew_that_is_helped_does_here_what_would_wait(workers):
    drawn = []
    items = (drawn.append(number) or number for number in range(200))
    with LocalEngine(workers).crew("given", helped=True) as crew:
        assert crew.size == workers
        spread = crew.spread(elsewhere, items, here)
        made = list(islice(spread, 150))
        assert len(drawn) <= 150 + 20, "however far this process could get, it goes on when others have caught up"
        made += spread
        with pytest.raises(InputError, match="5 will not do"):
            list(crew.spread(refusing, [5]))
    assert [number for number, _, _ in made] == list(range(200))
    assert {given for _, _, given in made} == {"given"}
    pids = [pid for _, pid, _ in made]
    assert len({*pids}) == workers
    assert pids.count(os.getpid()) > 100
    assert taken() is None


def test_a_crew_that_is_helped_says_so_when_its_other_process_dies():
    with (
        LocalEngine(2).crew(None, helped=True) as crew,
        pytest.raises(WorldForgeError, match="was killed, or left"),
    ):
        list(crew.spread(dying, range(1_000), abs))


def shared(engine, work, items, **options):
    told = {}
    engine.share_out(work, items, told.__setitem__, **options)
    return told


def test_shares_are_done_once_each_until_told_to_stop():
    engine = LocalEngine(2)
    assert shared(engine, tripled, {n: n for n in range(50)}) == {n: 3 * n for n in range(50)}
    assert len(shared(engine, tripled, {n: n for n in range(100_000)}, stopping=lambda: True)) < 100_000
    with pytest.raises(InputError, match="will not do"):
        shared(engine, refused, {n: n for n in range(4)})
    with pytest.raises(WorldForgeError, match="was killed, or left"):
        shared(engine, ended, {n: n for n in range(4)})
    with pytest.raises(WorldForgeError, match="was killed, or left"):
        shared(engine, EndedEarly(), {n: n for n in range(4)})


def test_what_is_made_ready_meanwhile_is_there_when_a_share_is_done(tmp_path):
    ready = tmp_path / "ready"
    told = shared(LocalEngine(2), looking, {0: ready, 1: ready}, meanwhile=ready.touch)
    assert list(told.values()) == [True]
    with pytest.raises(InputError, match="3 will not do"):
        shared(LocalEngine(2), looking, {0: ready, 1: ready}, meanwhile=lambda: refusing(3))


def test_a_worker_ends_what_it_has_begun_though_it_takes_no_memory_apart(tmp_path):
    parts = {tmp_path / name: tmp_path / name for name in ("here", "a", "b")}
    for part in parts:
        part.mkdir()
    told = shared(LocalEngine(3), left_open, parts)
    assert len(told) == 2
    for part in told:
        assert "texts.sqlite-wal" in told[part]
        assert sorted(path.name for path in part.iterdir()) == ["log", "texts.sqlite"]
        assert (part / "log").read_text() == "ended"


def test_a_crew_begins_before_it_has_work(tmp_path):
    with LocalEngine(2).crew(Seen(tmp_path)):
        limit = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < limit:
            time.sleep(0.02)
        assert len(list(tmp_path.iterdir())) == 2


class TellingMuch:
    """Tells of much elsewhere, while this process is at its own share, which ends when that is done."""

    def __init__(self, there):
        self.there = there

    async def __call__(self, items, tell, stopping):
        if multiprocessing.parent_process() is not None:
            for number in range(20):
                tell(number, bytes(100_000))
            self.there.touch()
        while not self.there.exists():
            tell("here", b"")
            time.sleep(0.01)


def test_what_others_tell_is_taken_while_this_process_works(tmp_path):
    told = shared(LocalEngine(2), TellingMuch(tmp_path / "all"), {0: 0, 1: 1})
    assert told.keys() == {"here", *range(20)}


class TellingOn(TellingMuch):
    """Tells elsewhere of as much as is told while a shard is closed."""

    async def __call__(self, items, tell, stopping):
        if multiprocessing.parent_process() is not None:
            for number in range(8):
                tell(number, bytes(100_000))
            self.there.touch()


def test_workers_go_on_while_a_result_is_being_put_down(tmp_path):
    told, there, limit = [], tmp_path / "all", time.monotonic() + 30

    def slowly(key, _result):
        while not there.exists() and time.monotonic() < limit:
            time.sleep(0.02)
        told.append((key, there.exists()))

    LocalEngine(2).share_out(TellingOn(there), {0: 0, 1: 1}, slowly)
    assert told == [(number, True) for number in range(8)]


def failing(key, _result):
    raise OSError(f"{key} cannot be put down")


@pytest.mark.parametrize("waiting", [True, False])
def test_what_cannot_be_put_down_ends_all_at_once(waiting):
    with pytest.raises(OSError, match="elsewhere cannot be put down") as raised:
        LocalEngine(2).share_out(TellingElsewhere(waiting), {0: 0, 1: 1}, failing)
    assert raised.tb is not None and not multiprocessing.active_children()


@dataclass
class TellingElsewhere:
    """Tells of one thing elsewhere; here, and there afterwards, it goes on for long."""

    waiting: bool

    async def __call__(self, items, tell, stopping):
        if multiprocessing.parent_process() is not None:
            tell("elsewhere", None)
            time.sleep(60)
        if self.waiting:
            await asyncio.sleep(60)


def test_workers_that_die_before_they_have_read_what_they_are_to_do_keep_nobody_waiting(monkeypatch):
    """What is longer than a pipe holds: whoever wrote that there would wait for a reader for ever."""
    monkeypatch.setattr(spawn, "_python_exe", b"/bin/false")
    signal.alarm(30)
    try:
        with pytest.raises(WorldForgeError, match="worker process was killed"):
            shared(LocalEngine(2), Long(), {n: n for n in range(4)})
    finally:
        signal.alarm(0)
