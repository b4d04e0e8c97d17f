"""A world whose pages are composed by ranks is the world that one process builds; gaps and other worlds are refused."""

import json
import shutil

import pytest
from command import digest, worldforge
from prose_writers import honest, small_spec

from worldforge.builders.pages import units
from worldforge.core.errors import InputError
from worldforge.core.files import file_digest
from worldforge.core.ranks import GapsError, Merge, Share
from worldforge.entry_points.build import build
from worldforge.models.scripted import Scripted

TEMPLATES = "pages.prose=templates"
COPIES = (
    TEMPLATES,
    "pages.club_official.prose=model",
    "pages.club_again.generator=pages.reprint",
    "pages.club_again.about=club",
    "pages.club_again.copies=club_official",
    "pages.club_again.site=herald",
)
RANKS = ".build/ranks"


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr("worldforge.builders.pages.compose._CHUNK_WEIGHT", 400)


@pytest.fixture(scope="module")
def spec():
    return small_spec(TEMPLATES)


def contents(folder):
    """Every file of a world and its digest, but what is kept beside it."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: file_digest(path) for name, path in found.items() if not name.startswith((".build", "prose.sqlite"))}


def killed_at_ranks(path, remove=shutil.rmtree):
    """Stand in for the removal of folders: a kill comes when it is at what ranks have made."""
    if path.name == ".ranks.removed":
        raise KeyboardInterrupt
    remove(path)


def test_ranks_in_any_order_and_one_killed_make_the_world_of_one_process(spec, tmp_path, monkeypatch):
    alone = build(spec, tmp_path / "alone")
    out = tmp_path / "ranks"
    done = [build(spec, out, part=Share(rank, 3), workers=2 - rank // 2) for rank in (2, 0)]
    put_down, written = units.put_down, []

    def killed(path, table):
        written.append(path)
        if len(written) == 8:  # in the third chunk
            raise KeyboardInterrupt
        put_down(path, table)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(units, "put_down", killed)
        build(spec, out, part=Share(1, 3))
    with pytest.raises(GapsError, match="1 of 3 ranks is not whole\n  rank 1: has begun, and is not finished"):
        build(spec, out, part=Merge())
    kept = sorted((out / RANKS / "1-of-3" / "chunks").glob("*.json"))
    before = [path.stat().st_mtime_ns for path in kept]
    assert len(before) == 2 and not (out / "world.json").exists() and not (out / "entities").exists()
    done.append(build(spec, out, part=Share(1, 3)))
    assert [path.stat().st_mtime_ns for path in kept] == before
    again = build(spec, out, part=Share(1, 3))
    assert again.counts == done[-1].counts and not any(stage.reason for stage in again.stages)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(shutil, "rmtree", killed_at_ranks)
        build(spec, out, part=Merge())
    merged = build(spec, out, part=Merge())
    assert (merged.digest, merged.counts) == (alone.digest, alone.counts)
    assert contents(out) == contents(alone.folder)
    assert not [path for path in (out / ".build").iterdir() if path.is_dir()]
    assert {name: sum(share.counts[name] for share in done) for name in ("pages", "mentions", "links")} == {
        name: alone.counts[name] for name in ("pages", "mentions", "links")
    }
    # started again, a rank and a merge find the work done
    assert build(spec, out, part=Share(0, 3)).counts["chunks"] == 0 and not (out / RANKS).exists()
    assert build(spec, out, part=Merge()).digest == alone.digest


def test_what_is_wanting_damaged_or_of_another_world_is_refused(spec, tmp_path):
    out = tmp_path / "world"
    for rank in (0, 1):
        build(spec, out, part=Share(rank, 2))
    with pytest.raises(InputError, match=r"(?s)rank 0: `spec.seed` was \w+, is now \w+.*rank 1: `spec.seed`"):
        build(small_spec(TEMPLATES, "seed=5"), out, part=Merge())
    with pytest.raises(InputError, match="ranks have been at work"):
        build(spec, out)
    unit = out / RANKS / "1-of-2" / "chunks" / "000001" / "mentions.arrow"
    unit.write_bytes(unit.read_bytes()[:-1])
    with pytest.raises(GapsError, match=r"rank 1: chunks/000001/mentions\.arrow is not as it was written"):
        build(spec, out, part=Merge())
    others = {path: path.stat().st_mtime_ns for path in unit.parent.parent.glob("*.json")}
    build(spec, out, part=Share(1, 2))
    changed = [path.name for path, before in others.items() if path.stat().st_mtime_ns != before]
    assert changed == ["000001.json"]
    told = out / RANKS / "0-of-2" / "done.json"
    record = told.read_text()
    told.write_text(json.dumps(json.loads(record) | {"tables": "0" * 64}))
    with pytest.raises(InputError, match="not those that rank 0 has made"):
        build(spec, out, part=Merge())
    told.write_text(record)
    # a rank of another seed makes its share anew, and keeps nothing of the old one
    build(small_spec(TEMPLATES, "seed=5"), out, part=Share(0, 2))
    with pytest.raises(InputError, match=r"rank 0: `spec\.seed` was"):
        build(spec, out, part=Merge())


def test_a_model_words_for_each_rank_its_own_chunks_and_copies_say_the_same(tmp_path):
    spec = small_spec(*COPIES)
    alone = build(spec, tmp_path / "alone", model=Scripted(honest))
    out = tmp_path / "ranks"
    with pytest.raises(InputError, match="are to be worded by a model"):
        build(spec, out, part=Share(0, 2))
    n_worded = []

    def counted(request):
        n_worded.append(request)
        return honest(request)

    for rank in (0, 1):
        build(spec, out, part=Share(rank, 2), model=Scripted(counted))
        assert not (out / "prose.sqlite").exists()
    assert len(n_worded) == alone.counts["prose"]["paragraphs"]
    merged = build(spec, out, part=Merge())
    assert (merged.digest, merged.counts) == (alone.digest, alone.counts)
    build(spec, out, part=Share(0, 2), fresh=True)  # of the archive, without a model
    assert build(spec, out, fresh=True).digest == alone.digest and not (out / RANKS).exists()


def test_the_command_splits_and_merges(tmp_path):
    told = ("build", "quickstart", "--set", "scale=0.1", "--set", "tasks.list.count=4", "-o", tmp_path / "world")
    assert "`--rank` needs `--of`" in worldforge(*told, "--rank", 1, code=2).stderr
    assert "--rank 0 --of N" in worldforge(*told, "--merge", code=2).stderr
    assert not (tmp_path / "world").exists()
    assert "rank 0 of 1 is whole" in worldforge(*told, "--rank", 0, "--of", 1).stderr
    refused = worldforge(*told, "--merge", "--of", 2, code=4).stderr
    assert "rank 0: has not begun" in refused and refused.splitlines()[-1].endswith("--rank 1 --of 2")
    assert json.loads(worldforge(*told, "--merge", "--json").stdout)["digest"] == digest(tmp_path / "world")


def test_a_folder_of_something_else_and_tables_that_cannot_be_leave_nothing_behind(spec, tmp_path, monkeypatch):
    def refused(*_):
        raise InputError("no rows hold")

    monkeypatch.setattr("worldforge.builders.populate.populate_stage.populate", refused)
    with pytest.raises(InputError, match="no rows hold"):
        build(spec, tmp_path / "world", part=Share(0, 2))
    assert not (tmp_path / "world").exists()
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="no world"):
        build(spec, tmp_path, part=Share(0, 2))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
