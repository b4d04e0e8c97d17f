"""What a worker raises reaches its parent, with where it was raised; only a killed worker is told as such."""

import asyncio
import os
import signal

import pytest

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.processes import Pool as Crew
from worldforge.core.processes import RaisedInWorkerError, pool, taken
from worldforge.core.shares import share_out


class UnpicklableError(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


class Poisoned:
    """What cannot be read in a worker."""

    def __reduce__(self):
        return _poison, ()


def _poison():
    raise ValueError("it cannot be read here")


async def fails(items, tell, stopping):
    for item in items:
        await asyncio.sleep(0)
        if item == "own":
            raise ValueError("a defect of this item")
        if item == "user":
            raise InputError("a wrong input", "mend it")
        if item == "unpicklable":
            raise UnpicklableError(1, 2)
        if item == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        tell(item, item)


def item(what):
    if what == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "given":
        return taken()
    raise ValueError(what)


def share(what):
    share_out(fails, ["fine", what], lambda key, result: None, 2, lambda: False)


def test_an_exception_of_a_share_is_raised_as_it_is_with_its_traceback():
    with pytest.raises(ValueError, match="a defect of this item") as raised:
        share("own")
    assert isinstance(raised.value.__cause__, RaisedInWorkerError)
    assert "in fails" in str(raised.value.__cause__)
    with pytest.raises(InputError, match="a wrong input") as raised:
        share("user")
    assert raised.value.hint == "mend it"
    with pytest.raises(RuntimeError, match="UnpicklableError: 1 and 2") as raised:
        share("unpicklable")
    assert "in fails" in str(raised.value.__cause__)


def test_a_killed_worker_is_told_as_such():
    with pytest.raises(WorldForgeError, match="was killed"):
        share("killed")
    with pool(1, None) as executor, pytest.raises(WorldForgeError, match="was killed"):
        list(Crew(executor, 1).spread(item, ["killed"]))


def test_an_exception_of_a_pool_is_raised_as_it_is():
    with pool(1, None) as executor, pytest.raises(ValueError, match="this one") as raised:
        list(Crew(executor, 1).spread(item, ["this one"]))
    assert "in item" in str(raised.value.__cause__)
    with pool(1, Poisoned()) as executor, pytest.raises(ValueError, match="cannot be read") as raised:
        list(Crew(executor, 1).spread(item, ["given"]))
    assert raised.value.__cause__ is not None
