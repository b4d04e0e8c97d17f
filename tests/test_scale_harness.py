"""The harness that measures how worlds grow: a tiny run of its steps, and what is made of stored results."""

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from benchmarks.scale import peers, steps
from benchmarks.scale.__main__ import main
from benchmarks.scale.measured import Measured, Results, measure, middle
from benchmarks.scale.table import BEGIN, END, put_into
from benchmarks.scale.targets import growth, judged

UNITS = {"populate": "entities", "tasks": "tasks kept"}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A world of some 300 pages, built stage by stage as the harness does, and the figures of each step."""
    folder = tmp_path_factory.mktemp("scale")
    world, figures = str(folder / "world"), {}
    for name in steps.STAGES:
        figures[name] = steps.stage(name, 300, 4, world, 1)
    figures["search"] = steps.search(world, 20)
    figures["rollout"] = steps.rollout(world, 1, "scale")
    shards = str(folder / "world" / "trajectories" / "scale" / "shards")
    figures["export"] = steps.export(shards, str(folder / "export"), 3)
    figures["bare export"] = peers.bare_export(shards, str(folder / "bare"), 3)
    figures["bare rollout"] = peers.bare_rollout(world, shards)
    figures["bare search"] = peers.bare_search(world, 20)
    figures["bare tasks"] = peers.bare_tasks(world, 300)
    figures["bare pages"] = peers.bare_pages(world)
    return folder / "world", figures


def test_a_world_is_built_one_stage_at_a_time(tiny):
    world, figures = tiny
    assert (world / "world.json").exists()
    for name in steps.STAGES:
        assert figures[name]["items"] > 0 and figures[name]["wall_s"] > 0
        assert figures[name]["unit"] == UNITS.get(name, "pages")
    assert figures["pages"]["n_bytes"] > 100 * figures["pages"]["items"]
    assert figures["tasks"]["items"] == 4


def test_a_stage_is_measured_again_alone(tiny):
    """What comes after it holds, and is no part of its time."""
    world, figures = tiny
    before = {path: path.stat().st_mtime_ns for path in (world / "index").rglob("*") if path.is_file()}
    again = steps.stage("pages", 300, 4, str(world), 2)
    assert again["items"] == figures["pages"]["items"] and again["n_bytes"] == figures["pages"]["n_bytes"]
    assert again["wall_s"] > 0
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_bare_libraries_do_the_same_work(tiny):
    _, figures = tiny
    assert figures["bare export"]["items"] == figures["export"]["items"] == 3 * 4 * steps.EPISODES_A_TASK
    assert figures["bare search"]["items"] == figures["search"]["items"] == 20
    assert figures["bare rollout"]["items"] > 0
    assert figures["bare tasks"]["items"] >= 4
    assert figures["bare pages"]["items"] == figures["pages"]["items"]
    assert 0 < figures["bare pages"]["n_bytes"] <= figures["pages"]["n_bytes"]


def test_a_step_runs_in_a_process_of_its_own(tiny):
    world, _ = tiny
    found = measure("bare index", 300, "bare_index", folder=str(world))
    assert found.items > 100 and found.peak_bytes > 30e6 and found.n_bytes > 0
    assert sorted(path.name for path in world.iterdir() if path.name.startswith("tmp")) == []
    with pytest.raises(RuntimeError, match="bare index"):
        measure("bare index", 300, "bare_index", folder=str(world / "nowhere"))


def test_a_run_that_is_ended_leaves_nothing(tmp_path):
    command = [sys.executable, "-m", "benchmarks.scale", "500", "--without", "small,command,scoring,vllm"]
    run = subprocess.Popen([*command, "--scratch", tmp_path], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not list(tmp_path.glob("*/world")) and time.monotonic() < until:
        time.sleep(0.05)
    run.terminate()
    assert run.wait(30) == 143
    assert list(tmp_path.iterdir()) == []


def test_phantomwiki_is_told_phase_by_phase(tmp_path):
    """A command that leaves what PhantomWiki 1.0.3 leaves, and uses some CPU time."""
    command = tmp_path / "pw-generate"
    command.write_text(
        f"""#!{sys.executable}
import json, pathlib, sys, time
until = time.process_time() + 0.3
while time.process_time() < until: pass
given = sys.argv[1:]
folder = pathlib.Path(given[given.index("--output-dir") + 1])
n = 25 * int(given[given.index("--num-family-trees") + 1])
(folder / "articles.json").write_text(json.dumps([{{"title": str(i), "article": "x", "facts": []}} for i in range(n)]))
(folder / "questions.json").write_text(json.dumps([{{}}] * 8))
(folder / "timings.csv").write_text("facts_generate,articles_generate,questions_generate,total\\n0.1,0.15,0.05,0.3\\n")
"""
    )
    command.chmod(0o755)
    found = peers.phantomwiki(str(command), 60)
    assert (found["items"], found["more"]["questions"]) == (75, 8)
    assert found["n_bytes"] > 0
    phases = [found["more"][f"{phase}_s"] for phase in ("facts", "articles", "questions")]
    assert phases == pytest.approx([seconds * found["cpu_s"] / found["wall_s"] for seconds in (0.1, 0.15, 0.05)])


def test_a_peer_that_is_not_there_is_told_before_anything_is_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks.scale", "300", "--phantomwiki", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "is no command that can be run" in capsys.readouterr().err


def stored(factor: float = 1.0) -> Results:
    """Results of three sizes that grow linearly, but for the last, which takes `factor` times as long."""
    found = []
    for size in (10_000, 100_000, 1_000_000):
        for step, seconds in (("populate", 0.2), ("pages", 0.8), ("index", 5), ("tasks", 1), ("audit", 1)):
            cpu_s = seconds * size / 100_000 * (factor if size == 1_000_000 else 1)
            found.append(Measured(step, size, size, "pages", cpu_s, cpu_s, 400 * size + 10**8, 1000))
        found.append(Measured("bare index", size, size, "pages", size / 40_000, 1.0, 10**8))
    more = {"posed": 449.0, "beside": 2.0, "gated": 12.0}
    found.append(Measured("posing", 100_000, 1000, "tasks", 9.0, 9.0, 10**8, 0, more))
    more = {"facts_s": 30.0, "articles_s": 50.0, "questions_s": 4.0, "questions": 1000}
    found.append(Measured("phantomwiki", 100_000, 100_000, "articles", 90.0, 90.0, 10**8, 0, more))
    found += [Measured(f"pages by {n}", 100_000, 100_000, "pages", 2.0, 2.0 / n, 10**8) for n in (1, 2)]
    found.append(Measured("pages twice", 100_000, 200_000, "pages", 5.0, 2.5, 2 * 10**8))
    return Results("a machine", 1, tuple(found))


def test_of_turns_the_one_with_the_middle_ratio_counts():
    """Not the quickest of each, which might come of different hours."""
    clocks = [(4.0, 4.0), (9.0, 4.5), (2.5, 1.25), (8.0, 5.0), (3.0, 2.0)]
    turns = [[Measured(step, 1, 1, "", 0, wall, 0) for step, wall in zip("ab", both, strict=True)] for both in clocks]
    assert [one.wall_s for one in middle(turns)] == [8.0, 5.0]
    assert [one.step for one in middle(turns[:1])] == ["a", "b"]


def test_targets_are_judged_on_what_was_measured():
    met = {row.what.partition(",")[0]: row.met for row in judged(stored())}
    assert met["a world of 100"] is True
    assert met["facts and pages with mentions"] is True
    assert met["tasks posed"] is False
    assert met["two workers against one: pages"] is True
    assert met["two workers against one: tasks"] is None
    assert met["its growth from 10"] is True
    seen = {row.what: row.seen for row in judged(stored())}
    assert seen["two workers against one: pages"].startswith("2.00 × at 100,000 pages")
    assert seen["two workers against one: pages"].endswith("1.60 × one")
    assert seen["the same beside PhantomWiki's articles in the same run, its facts left out"].startswith(
        "50 × its 2,000/"
    )
    posed = seen["tasks posed, gold by both derivations, 100,000 pages"]
    assert posed == "449 (2.0 × the bare queries; PhantomWiki's shallow questions over as many articles 250/CPU s)"
    assert growth(stored(1.2)) == pytest.approx(1.2)
    slow = {row.what.partition(",")[0]: row for row in judged(stored(1.2))}
    assert slow["its growth from 10"].met is False and slow["its growth from 10"].seen.startswith("1.20 ×")
    small = replace(stored(), measured=tuple(one for one in stored().measured if one.size < 10**6))
    assert {row.what.partition(",")[0]: row.met for row in judged(small)}["its growth from 10"] is None


def test_stored_results_are_drawn_again_the_same(tmp_path, monkeypatch):
    """A step that failed leaves a gap in the tables, and no error."""
    results = stored()
    lacking = [one for one in results.measured if (one.step, one.size) != ("audit", 1_000_000)]
    replace(results, measured=tuple(lacking)).write(tmp_path / "results.json")
    for folder in ("first", "second"):
        page = tmp_path / folder / "page.md"
        page.parent.mkdir()
        page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n")
        given = ["scale", "--draw", str(tmp_path / "results.json"), "--out", str(page)]
        monkeypatch.setattr(sys, "argv", given)
        assert main() == 0
    first, second = ((tmp_path / folder) for folder in ("first", "second"))
    text = (first / "page.md").read_text()
    assert text.startswith("above\n") and text.endswith("below\n") and "\nold\n" not in text
    assert (
        "| index | 100,000 pages | 20,000 | 20,000 | 5.00 | 140 | 0 | bare Tantivy | 2.50 | 2.00, 5.00 by the clock |"
        in text
    )
    assert "| **a world with its index** | 0.60 | 6.00 | 60.00 | 1.00 |" in text
    assert "](scale.svg)" in text
    assert "| audit | **failed, or left out** |" in text
    assert text == (second / "page.md").read_text()
    svg = (first / "scale.svg").read_bytes()
    assert svg == (second / "scale.svg").read_bytes() and b"a world with its index" in svg


def test_a_page_without_marks_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing")
    with pytest.raises(ValueError, match="put the tables between"):
        put_into(page, "tables")
    assert page.read_text() == "nothing"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--scratch", "page.md/below"], "page.md"),
        (["--json", "page.md/results.json"], "page.md"),
        (["--draw", "nowhere.json"], "nowhere.json"),
        (["--draw", "page.md"], "page.md holds no results"),
        (["0"], "0 is less than 1"),
        (["--workers", "-1"], "-1 is less than 1"),
    ],
)
def test_what_cannot_be_measured_or_kept_is_refused_first(tmp_path, monkeypatch, capsys, given, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text("nothing")
    monkeypatch.setattr(sys, "argv", ["scale", *given])
    monkeypatch.setattr("benchmarks.scale.__main__.measured", lambda *_: pytest.fail("it measures"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and said in capsys.readouterr().err


def test_folders_that_are_written_to_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.scale.__main__.measured", lambda *_: stored())
    scratch, kept = tmp_path / "new" / "scratch", tmp_path / "other" / "results.json"
    monkeypatch.setattr(sys, "argv", ["scale", "--scratch", str(scratch), "--json", str(kept)])
    assert main() == 0
    assert scratch.is_dir() and Results.read(kept) == stored()
