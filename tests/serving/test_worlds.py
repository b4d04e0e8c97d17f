"""Rows name a world; a process finds it, once, and refuses another of that name."""

import json
import os

import pytest
from paper_world import linked

from worldforge.core.errors import InputError
from worldforge.serving.worlds import VARIABLE, begin_session, configure, find_world
from worldforge.world.world import open_world


@pytest.fixture(autouse=True)
def _not_configured():
    configure()
    yield
    configure()


def test_a_world_is_found_by_its_folder_and_by_the_folder_of_several(paper_world, monkeypatch, tmp_path):
    configure(paper_world.path)
    assert find_world("paper").path == find_world("paper", paper_world.digest).path == paper_world.path
    configure(paper_world.path.parent)
    assert find_world("paper").path == paper_world.path
    monkeypatch.setenv(VARIABLE, f"{tmp_path / 'nothing'}{os.pathsep}{paper_world.path}")
    (tmp_path / "nothing").mkdir()
    configure()
    assert find_world("paper").path == paper_world.path


def test_of_two_worlds_of_one_name_the_digest_tells(paper_files, tmp_path):
    (tmp_path / "both").mkdir()
    for name, digest in (("a", "aa" * 32), ("b", "bb" * 32)):
        folder = linked(paper_files, tmp_path / "both" / name).path
        manifest = json.loads((folder / "world.json").read_text()) | {"digest": digest}
        (folder / "world.json").unlink()
        (folder / "world.json").write_text(json.dumps(manifest))
    configure(tmp_path / "both")
    assert open_world(find_world("paper", "bb" * 32).path).digest == "bb" * 32
    with pytest.raises(InputError, match="another than the rows were made of"):
        find_world("paper", "cc" * 32)


def test_what_cannot_be_found_is_said(paper_world, monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(InputError, match="the folder of world `paper` is not known"):
        find_world("paper")
    configure(paper_world.path)
    with pytest.raises(InputError, match=r"no world `archive` in .*: found paper"):
        find_world("archive")
    with pytest.raises(InputError, match="there is no dialect `nobody`"):
        begin_session("paper", "", "nobody")
    configure(tmp_path / "gone")
    with pytest.raises(InputError, match=r"gone has no world\.json"):
        find_world("paper")


def test_the_index_is_opened_once(paper_world, monkeypatch):
    from worldforge.environments.search import environment as module

    opened = []
    monkeypatch.setattr(module, "open_index", lambda path, real=module.open_index: opened.append(path) or real(path))
    configure(paper_world.path)
    for dialect in ("plain", "agentworld", "plain"):
        begin_session("paper", paper_world.digest, dialect)
    assert opened == [paper_world.path / "index"]
