import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import WorldForgeError
from worldforge.core.store import Keeper, Store

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
        assert store.get("a") is None and len(store) == 0
        assert store.put("a", "first") == "first"
        assert store.put("a", "second") == "first"
        assert store.get("a") == "first" and len(store) == 1
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
        assert len(store) == 200 and store.get("key 7") == answers[0][7]


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
            n_kept = len(store)
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


HOLD = """
import pickle, sys
from pathlib import Path
from worldforge.core.store import Store, held_texts, hold_texts
hold_texts()
with Store(Path(sys.argv[1])) as store:
    found = [store.get("before"), store.put("new", "mine"), store.put("before", "mine"), store.get("new")]
sys.stdout.buffer.write(pickle.dumps((found, held_texts(), held_texts())))
"""


def test_what_one_process_holds_another_keeps(path):
    def held():
        return pickle.loads(subprocess.check_output([sys.executable, "-c", HOLD, str(path)]))

    first = held()
    assert first == ([None, "mine", "mine", "mine"], {str(path): {"new": "mine", "before": "mine"}}, {})
    assert not path.parent.exists()
    with Store(path) as store:
        store.put("before", "was there")
    keeper, written = Keeper(), path.read_bytes()
    keeper.keep(first[1])
    assert path.read_bytes() == written, "who reads it without the log would find it changed"
    found, texts, _ = held()
    assert found == ["was there", "mine", "was there", "mine"] and texts == {str(path): {"new": "mine"}}
    keeper.close()
    with Store(path) as store:
        assert dict(store.items()) == {"before": "was there", "new": "mine"}
