import asyncio
import multiprocessing
import multiprocessing.connection
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import WorldForgeError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.store import BatchedStore, Store, StoreError, TextStore, redirect_stores
from worldforge.core.store_server import ServerAddress, StoreClient, StoreServer, open_store, serving_stores

PUT_FOR_EVER = """
import sys
from pathlib import Path
from worldforge.core.store import Store
with Store(Path(sys.argv[1])) as store:
    print("open", flush=True)
    for number in range(10**9):
        store.put(f"key {number}", f"text {number} " + "x" * 500)
"""


def race(path: Path, me: int, begin: "multiprocessing.synchronize.Event", said: "multiprocessing.Queue") -> None:
    begin.wait()
    with Store(path) as store:
        said.put([store.put(f"key {n}", f"{n} from {me}") for n in range(200)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store.sqlite"


def test_what_is_put_first_stays(path):
    with Store(path) as store:
        assert store.get("a") is None and len(list(store.items())) == 0
        assert store.put("a", "first") == "first"
        assert store.put("a", "second") == "first"
        assert store.get("a") == "first" and len(list(store.items())) == 1
        store.put("Z", "last but for small letters")
        assert list(store.items()) == [("Z", "last but for small letters"), ("a", "first")]
    with Store(path) as store:
        assert store.get("a") == "first"


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_as_it_was(key, text):
    with Store(Path(":memory:")) as store:
        assert store.put(key, text) == text == store.get(key)


def test_processes_that_open_and_put_at_once_agree(path):
    spawn = multiprocessing.get_context("spawn")
    begin, said = spawn.Event(), spawn.Queue()
    racers = [spawn.Process(target=race, args=(path, me, begin, said)) for me in range(4)]
    for racer in racers:
        racer.start()
    begin.set()
    answers = [said.get(timeout=60) for _ in racers]
    for racer in racers:
        racer.join()
    assert answers[0] == answers[1] == answers[2] == answers[3]
    with Store(path) as store:
        assert len(list(store.items())) == 200 and store.get("key 7") == answers[0][7]


def test_a_kill_leaves_what_was_put(path):
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", PUT_FOR_EVER, str(path)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.1)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        with Store(path) as store:
            n_kept = len(list(store.items()))
            assert n_kept > 0
            for number in (0, n_kept // 2, n_kept - 1):
                kept = store.get(f"key {number}")
                assert kept is not None and kept.startswith(f"text {number} x") and kept.endswith("x" * 500)


@pytest.mark.parametrize("content", [b"no database, but a text that is long enough to be read as one" * 40])
def test_a_damaged_file_is_named(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(WorldForgeError, match=r"store\.sqlite cannot be used") as raised:
        Store(path)
    assert "move it away" in raised.value.hint and path.read_bytes() == content


def test_a_place_that_cannot_hold_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "store.sqlite"):
        with pytest.raises(WorldForgeError, match="cannot be used"):
            Store(place)


def test_a_store_that_breaks_while_in_use_is_named(path):
    with Store(path) as store:
        store.put("a", "text")
        other = sqlite3.connect(path)
        other.execute("DROP TABLE texts")
        other.close()
        with pytest.raises(WorldForgeError, match="cannot be used"):
            store.get("a")
        with pytest.raises(WorldForgeError, match="cannot be used"):
            store.put("b", "text")
        with pytest.raises(WorldForgeError, match="cannot be used"):
            list(store.items())


def test_many_are_read_and_put_at_once(path):
    with Store(path) as store:
        assert store.put_many({"a": "first", "b": "text"}) == {"a": "first", "b": "text"}
        assert store.put_many({"a": "second", "c": "text"}) == {"a": "first", "c": "text"}
        assert store.get_many(["a", "none", "c"]) == {"a": "first", "c": "text"}


def putting(numbered: tuple[Path, int]) -> tuple[int, dict[str, str], list[str]]:
    """Put a text that others put too, and one of its own; return this process, its texts, its open files."""
    path, number = numbered
    with open_store(path) as store:
        texts = store.put_many({"shared": f"by {number}", f"{number}": f"{number}"})
        texts |= store.get_many(["before"])
        opened = [os.path.realpath(file) for file in Path("/proc/self/fd").iterdir()]
    return os.getpid(), texts, [file for file in opened if "sqlite" in file]


@pytest.mark.parametrize("redirected", [False, True])
def test_workers_read_and_write_through_their_parent_and_agree(path, tmp_path, redirected):
    with Store(path) as store:
        store.put("before", "was there")
    own = tmp_path / "own"
    with redirect_stores(own) if redirected else nullcontext(), LocalEngine(2).pool(None) as pool:
        found = list(pool.map_ordered(putting, [(path, number) for number in range(40)]))
    assert os.getpid() not in {pid for pid, *_ in found} and len({pid for pid, *_ in found}) == 2
    assert not any(opened for *_, opened in found), "a worker has the file open"
    assert len({texts["shared"] for _, texts, _ in found}) == 1
    assert all(texts["before"] == "was there" for _, texts, _ in found)
    with Store(own / path.name if redirected else path) as store:
        assert len(list(store.items())) == 41 + (not redirected) and store.get("shared") == found[0][1]["shared"]
    assert {file.name for file in [*path.parent.iterdir(), *own.glob("*")]} == {path.name}, "a log is left"


def test_a_failure_of_the_file_reaches_the_worker(path):
    path.mkdir(parents=True)
    with LocalEngine(2).pool(None) as pool, pytest.raises(StoreError, match="cannot be used"):
        list(pool.map_ordered(putting, [(path, 0)]))


@pytest.mark.parametrize("host", [None, "127.0.0.1"])
def test_a_server_answers_its_clients_alone_until_it_is_closed(path, host):
    with serving_stores(host) as address:
        stranger = ServerAddress(address.place, b"another key")
        with pytest.raises(StoreError, match="cannot be reached"):
            StoreClient(path, stranger)
        silent = multiprocessing.connection.Client(address.place)
        with StoreClient(path, address) as one, StoreClient(path, address) as other:
            assert one.put("key", "first") == "first" == other.put("key", "second")
            long = {str(number): "x" * 100_000 for number in range(20)}
            assert other.put_many(long) == long == one.get_many(long)
            with pytest.raises(UnicodeEncodeError):
                one.put("key of no text", "\ud800")
            assert one.get("key") == "first"
    with pytest.raises(StoreError, match="cannot be reached"):
        StoreClient(path, address)
    silent.close()


def test_a_client_whose_server_closes_says_so(path):
    server = StoreServer()
    with StoreClient(path, server.address) as store:
        store.put("key", "text")
        server.close()
        with pytest.raises(StoreError):
            store.get("key")
    with Store(path) as kept:
        assert kept.get("key") == "text"
    assert repr(server.address.key) not in repr(server.address)


class CountingStore(TextStore):
    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.requests: list[int] = []

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        asked = list(keys)
        self.requests.append(len(asked))
        return {key: self.texts[key] for key in asked if key in self.texts}

    def put_many(self, texts: Mapping[str, str]) -> dict[str, str]:
        self.requests.append(len(texts))
        self.texts = {**texts, **self.texts}
        return {key: self.texts[key] for key in texts}

    def close(self) -> None:
        pass


def test_what_coroutines_ask_at_the_same_time_is_one_request() -> None:
    async def main() -> None:
        store = BatchedStore(counting := CountingStore())
        counting.texts = {"3": "was there"}
        assert await asyncio.gather(*(store.get(f"{n % 50}") for n in range(100))) == [
            "was there" if n % 50 == 3 else None for n in range(100)
        ]
        kept = await asyncio.gather(*(store.put(f"{n % 50}", f"text {n}") for n in range(100)))
        assert kept == ["was there" if n % 50 == 3 else f"text {n % 50}" for n in range(100)]
        assert counting.requests == [50, 50]
        first, second = asyncio.create_task(store.get("5")), asyncio.create_task(store.get("5"))
        await asyncio.sleep(0)
        first.cancel()
        assert await second == "text 5"

    asyncio.run(main())


def test_a_batch_that_cannot_be_read_fails_for_all_who_asked(path: Path) -> None:
    async def main() -> None:
        with Store(path) as opened:
            store = BatchedStore(opened)
            assert await store.put("key", "text") == "text"
        results = await asyncio.gather(store.get("a"), store.put("b", "text"), return_exceptions=True)
        assert all(isinstance(result, StoreError) for result in results)

    asyncio.run(main())
