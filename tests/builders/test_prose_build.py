"""Worlds whose pages a model words: what it may change, what it may not, and that a rebuild needs none."""

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import digest, worldforge
from model_notes import Notes, Slow
from plain_quickstart import plain_quickstart
from prose_writers import BAD, SETTINGS, SPOILING, asked, honest, small_spec

from worldforge.builders.pages.pages_stage import write_pages
from worldforge.builders.pages.prose.archive import FILE
from worldforge.builders.pages.prose.prose_counts import TALLY
from worldforge.builders.pages.prose.prose_requests import writer_of
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.entry_points.build_world import build, plan_build
from worldforge.models.model import ModelError, ModelUnavailableError
from worldforge.models.scripted_model import ScriptedModel
from worldforge.world.table_files import read_tables

OPTIONS = [word for setting in SETTINGS for word in ("--set", setting)]


def rows(folder, name):
    return pq.read_table(folder / f"{name}.parquet").to_pylist()


def worded_pages(world, folder, answer):
    """Write the pages of a world's tables alone, worded by a model; return how that went."""
    spec = small_spec()
    write_pages(
        spec, read_tables(spec, world), folder, LocalEngine(1), Progress(), writer=writer_of(ScriptedModel(answer))
    )
    return json.loads((folder / TALLY).read_text())


@pytest.fixture(scope="module")
def worded(tmp_path_factory):
    """A world worded by an honest model. Not to be changed: copy it."""
    folder = tmp_path_factory.mktemp("worded") / "world"
    return build(small_spec(), folder, model=ScriptedModel(honest))


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("templates") / "world"
    return build(small_spec("pages.prose=templates"), folder)


def test_what_a_model_does_is_told_while_pages_are_worded(templates, tmp_path):
    spec, notes = small_spec(), Notes()
    writer = writer_of(Slow(lambda request: honest(request), 0.0))
    write_pages(spec, read_tables(spec, templates.folder), tmp_path, LocalEngine(1), notes, writer=writer)
    n = json.loads((tmp_path / TALLY).read_text())["paragraphs"]
    assert notes.counts["requests", ""] == n and notes.counts["model_tokens", "cached"] == 40 * n
    assert any(f"{n / 10:.1f}k tokens read" in text for text in notes.texts)


def test_all_paragraphs_are_worded_anew_and_the_audit_holds(worded, templates):
    prose = worded.counts["prose"]
    assert prose["paragraphs"] > 200 and prose["reworded"] == prose["paragraphs"] and prose["left_alone"] == 0
    assert json.loads((worded.folder / "world.json").read_text())["counts"]["prose"] == prose
    assert prose["models"] == ["scripted"] and prose["completion_tokens"] > 10 * prose["paragraphs"]
    worldforge("audit", worded.folder)
    texts = [[page["text"] for page in rows(one.folder, "pages")] for one in (worded, templates)]
    for new, old in zip(*texts, strict=True):
        assert (new == old) == (not any(said in new for said in ("readers here", "registers have", "so far as we")))
    assert sum(new != old for new, old in zip(*texts, strict=True)) > 100


def test_what_pages_state_and_link_to_stays_and_stands_where_it_says(worded, templates):
    kept = [
        [(mention["page"], mention["fact"], mention["value"]) for mention in rows(one.folder, "mentions")]
        for one in (worded, templates)
    ]
    assert kept[0] == kept[1]
    assert rows(worded.folder, "links") == rows(templates.folder, "links")
    texts = {page["id"]: page["text"] for page in rows(worded.folder, "pages")}
    for mention in rows(worded.folder, "mentions"):
        assert texts[mention["page"]][mention["start"] : mention["end"]] == mention["value"]


def test_what_is_no_prose_stays_to_the_byte(worded, templates):
    for new, old in zip(rows(worded.folder, "pages"), rows(templates.folder, "pages"), strict=True):
        lines = [[line for line in page["text"].splitlines() if line[:1] in "#|-*>"] for page in (new, old)]
        assert [line for line in lines[0] if line[:2] != "**"] == [line for line in lines[1] if line[:2] != "**"]
        assert new | {"text": ""} == old | {"text": ""}


def test_a_rebuild_needs_no_model_and_gives_the_same_bytes(worded, tmp_path):
    tmp_path.joinpath("world").mkdir()
    shutil.copy(worded.folder / FILE, tmp_path / "world")
    done = worldforge("build", plain_quickstart(), "-o", tmp_path / "world", *OPTIONS, "--workers", 2)
    assert digest(tmp_path / "world") == worded.digest
    assert f"{worded.counts['prose']['paragraphs']:,} paragraphs worded by scripted" in done.stderr
    again = build(
        small_spec(), tmp_path / "world", model=ScriptedModel(lambda request: pytest.fail("asked")), fresh=True
    )
    assert again.digest == worded.digest


def test_plan_knows_when_the_archive_has_changed(worded, tmp_path):
    shutil.copytree(worded.folder, tmp_path / "world")
    assert {stage.reason for stage in plan_build(small_spec(), tmp_path / "world")} == {""}
    with sqlite3.connect(tmp_path / "world" / FILE) as archive:
        archive.execute("DELETE FROM texts WHERE key = (SELECT min(key) FROM texts)")
    assert {stage.stage: stage.reason for stage in plan_build(small_spec(), tmp_path / "world")}[
        "pages"
    ] == f"{FILE} changed"
    with pytest.raises(InputError, match=r"\b1 of \d+ paragraphs"):
        build(small_spec(), tmp_path / "world")


def test_without_a_model_a_build_says_what_is_missing_and_leaves_nothing_half_written(tmp_path):
    done = worldforge("build", plain_quickstart(), "-o", tmp_path / "world", *OPTIONS, code=2)
    assert "paragraphs are to be worded by a model" in done.stderr and "--model" in done.stderr
    assert not (tmp_path / "world" / FILE).exists() and not (tmp_path / "world" / "pages.parquet").exists()


def test_a_finished_world_outlives_a_build_that_lacks_a_model(templates, tmp_path):
    shutil.copytree(templates.folder, tmp_path / "world")
    with pytest.raises(InputError, match="paragraphs are to be worded"):
        build(small_spec(), tmp_path / "world")
    assert digest(tmp_path / "world") == templates.digest
    worldforge("audit", tmp_path / "world")


@pytest.mark.parametrize("kind", [kind for kind in BAD if kind != "failing"])
def test_a_model_that_is_never_right_is_refused_each_time(kind, templates, tmp_path):
    """Every draft is refused; what is left is what the templates say, to the byte, and the refusals are counted."""
    for _ in range(2):
        prose = worded_pages(templates.folder, tmp_path, BAD[kind])
        assert prose["reworded"] == 0 and prose["as_templates"] == prose["paragraphs"] > 200
        assert sum(prose["refused_drafts"].values()) == 3 * prose["paragraphs"]
        assert (tmp_path / "pages.parquet").read_bytes() == (templates.folder / "pages.parquet").read_bytes()


def test_paragraphs_that_were_refused_are_tried_again_by_another_model(templates, tmp_path):
    def written(answer, identity):
        spec = small_spec()
        model = ScriptedModel(answer, identity=identity)
        write_pages(
            spec, read_tables(spec, templates.folder), tmp_path, LocalEngine(1), Progress(), writer=writer_of(model)
        )
        return json.loads((tmp_path / TALLY).read_text())

    def by_length(request):
        return honest(request) if len(request.messages[-1].content) % 2 else BAD["number"](request)

    asked = []

    def better(request):
        asked.append(request)
        return honest(request)

    first = written(by_length, "one")
    assert 50 < first["as_templates"] < first["paragraphs"]
    assert written(lambda request: pytest.fail("the same model is not asked again"), "one") == first
    second = written(better, "other")
    assert second["as_templates"] == 0 and len(asked) == first["as_templates"]
    assert written(lambda request: pytest.fail("there is nothing left to ask"), "third") == second


@pytest.mark.parametrize("kind", SPOILING)
def test_slots_that_are_dropped_or_change_places_are_refused(kind, templates, tmp_path):
    without_slots = []

    def spoil(request):
        if "⟦" not in asked(request):
            without_slots.append(request)
        return SPOILING[kind](request)

    prose = worded_pages(templates.folder, tmp_path, spoil)
    assert prose["as_templates"] > 100 and prose["reworded"] == len(without_slots) > 20
    assert prose["refused_drafts"] == {"slots": 3 * prose["as_templates"]}


def test_a_world_worded_well_and_badly_by_turns_holds(tmp_path):
    def by_turns(request):
        return [honest, *BAD.values(), *SPOILING.values()][request.sampling.seed % 13](request)

    built = build(small_spec(), tmp_path / "world", model=ScriptedModel(by_turns))
    prose = built.counts["prose"]
    assert 0 < prose["reworded"] < prose["paragraphs"]
    assert {"form", "fact", "slots", "negation", "no reply"} <= prose["refused_drafts"].keys()
    worldforge("audit", built.folder)
    assert build(small_spec(), tmp_path / "world", fresh=True, workers=2).digest == built.digest


def test_a_draft_that_is_refused_is_asked_for_again(tmp_path):
    def second_time(request):
        return honest(request) if request.structure is not None else "Rubbish."

    prose = build(small_spec(), tmp_path / "world", model=ScriptedModel(second_time)).counts["prose"]
    assert prose["reworded"] == prose["paragraphs"] == sum(prose["refused_drafts"].values())


def test_a_model_that_is_gone_stops_the_build_and_what_it_wrote_is_kept(worded, tmp_path):
    n_written = 0

    def dying(request):
        nonlocal n_written
        n_written += 1
        if n_written > 100:
            raise ModelUnavailableError("the server is gone")
        return honest(request)

    with pytest.raises(ModelUnavailableError, match="the server is gone"):
        build(small_spec(), tmp_path / "world", model=ScriptedModel(dying))
    n_written = -10_000
    assert build(small_spec(), tmp_path / "world", model=ScriptedModel(dying)).digest == worded.digest
    assert n_written + 10_000 == worded.counts["prose"]["paragraphs"] - 100


def test_a_model_that_answers_nothing_stops_the_build_and_leaves_no_entry(tmp_path):
    def too_long(request):
        raise ModelError("the prompt is too long")

    with pytest.raises(ModelUnavailableError, match="the prompt is too long"):
        build(small_spec(), tmp_path / "world", model=ScriptedModel(too_long))
    assert _n_entries(tmp_path / "world" / FILE) == 0


def test_a_build_killed_while_its_model_writes_goes_on_to_the_same_world(worded, tmp_path):
    archive = tmp_path / "world" / FILE
    command = [sys.executable, Path(__file__).parent / "prose_writers.py", tmp_path / "world"]
    process = subprocess.Popen(command, env={"PYTHONPATH": str(Path(__file__).parents[2])})
    try:
        while process.poll() is None and _n_entries(archive) < 100:
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    assert 100 <= _n_entries(archive) < worded.counts["prose"]["paragraphs"]
    assert build(small_spec(), tmp_path / "world", model=ScriptedModel(honest), workers=2).digest == worded.digest


def test_words_that_no_longer_do_are_left_to_templates(worded, tmp_path):
    """What comes with an archive is checked like any draft: it may have come from a stranger."""
    (tmp_path / "world").mkdir()
    shutil.copy(worded.folder / FILE, tmp_path / "world")
    with sqlite3.connect(tmp_path / "world" / FILE) as archive:
        archive.execute("UPDATE texts SET text = replace(text, 'as readers here know', 'as 12 readers know')")
    built = build(small_spec(), tmp_path / "world")
    prose = built.counts["prose"]
    assert 0 < prose["as_templates"] == prose["refused_drafts"]["form"] < prose["paragraphs"]
    worldforge("audit", built.folder)


def test_an_archive_that_no_build_wrote_is_an_error_that_names_it(worded, tmp_path):
    (tmp_path / "world").mkdir()
    shutil.copy(worded.folder / FILE, tmp_path / "world")
    with sqlite3.connect(tmp_path / "world" / FILE) as archive:
        archive.execute("UPDATE texts SET text = '[]'")
    done = worldforge("build", plain_quickstart(), "-o", tmp_path / "world", *OPTIONS, code=2)
    assert FILE in done.stderr and (tmp_path / "world" / FILE).exists()


def _n_entries(archive):
    if not archive.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{archive}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM texts").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
