import threading
from hashlib import sha256

import fsspec
import pytest

from worldforge.core.errors import InputError
from worldforge.core.files import check_writable, typed_url
from worldforge.core.folder_cache import InputFolder, cached_folder, url_reader
from worldforge.entry_points.play_run import rollout
from worldforge.world.world import open_world

CONTENT = {"a.txt": b"one", "below/b.txt": b"two" * 1000}
DIGEST = sha256(b"all").hexdigest()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLDFORGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    return InputFolder(tmp_path / "there", DIGEST, {name: sha256(text).hexdigest() for name, text in CONTENT.items()})


class Source:
    def __init__(self, content):
        self.content, self.read = content, []

    def __call__(self, name):
        self.read.append(name)
        text = self.content[name]
        return (text[start : start + 100] for start in range(0, len(text), 100))


def contents(path):
    return {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_a_folder_is_fetched_once(folder):
    source = Source(CONTENT)
    threads = [threading.Thread(target=cached_folder, args=(folder, source)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(source.read) == sorted(CONTENT)
    assert contents(cached_folder(folder, source)) == CONTENT


def test_a_damaged_copy_is_fetched_again_but_within_one_job_read_once(folder):
    path = cached_folder(folder, Source(CONTENT), "job")
    (path / "a.txt").write_bytes(b"1")
    cached_folder(folder, source := Source(CONTENT), "job")
    assert not source.read
    cached_folder(folder, source, "another")
    assert sorted(source.read) == sorted(CONTENT) and contents(path) == CONTENT


def test_other_content_than_listed_is_refused_and_leaves_no_copy(folder, cache):
    with pytest.raises(InputError, match="fetched with other content"):
        cached_folder(folder, Source(CONTENT | {"a.txt": b"One"}))
    assert not contents(cache) or set(contents(cache)) == {f"{DIGEST}.lock"}


@pytest.mark.parametrize("name", ["../out", "/etc/out", "a/../../out", ""])
def test_a_list_cannot_write_outside_the_cache(folder, name):
    with pytest.raises(InputError, match="lists a file"):
        cached_folder(InputFolder(folder.path, DIGEST, {name: "0" * 64}), Source({name: b""}))


def test_a_digest_cannot_name_a_folder_outside_the_cache(folder):
    with pytest.raises(InputError, match="no SHA-256"):
        cached_folder(InputFolder(folder.path, "../out", {}), Source({}))


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("s3:/bucket/world", "s3://bucket/world"),
        ("file:/tmp/world", "file:///tmp/world"),
        ("hf://datasets/me/world", "hf://datasets/me/world"),
        ("output/world", None),
        ("C:", None),
    ],
)
def test_a_path_that_was_an_address_is_one_again(path, url):
    assert typed_url(path) == url


def test_a_file_system_that_is_not_there_is_an_input_error():
    with pytest.raises(InputError, match="cannot be opened"):
        url_reader("nosuch://bucket/world")


def test_a_world_at_an_address_is_played_as_the_folder_is(quickstart, tmp_path, cache):
    memory = fsspec.filesystem("memory")
    memory.put(str(quickstart), "/worlds/quickstart", recursive=True)
    world = open_world("memory://worlds/quickstart")
    assert world.path == cache / open_world(quickstart).digest
    with pytest.raises(InputError, match="fetched from a URL"):
        rollout(world, limit=2)
    played = rollout(world, limit=2, out=tmp_path / "runs").folder
    here = rollout(open_world(quickstart), limit=2, out=tmp_path / "here").folder
    assert contents(played / "shards") == contents(here / "shards")
    with pytest.raises(InputError):
        check_writable(world.path / "datasets", "write elsewhere")
    with pytest.raises(InputError, match="not a whole world"):
        open_world("memory://worlds/nothing")
