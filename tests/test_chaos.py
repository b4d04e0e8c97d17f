"""The harness that strikes commands down: a few of its rounds, so that it cannot rot."""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks._chaos.report import Round, write_report

ROOT = Path(__file__).parent.parent


def test_a_page_with_a_place_for_the_table_gets_it_and_nothing_else_of_it_changes(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- rounds -->\nold\n<!-- end of rounds -->\nafter\n")
    write_report(page, "it", 60, [Round(1, "score", "kill", "clean resume", 1.0, "")])
    said = page.read_text()
    assert said.startswith("before\n<!-- rounds -->\n`it`: 1 rounds") and "| score | kill | 1 | 1 | 0 | 0 |" in said
    assert said.endswith("<!-- end of rounds -->\nafter\n") and "old" not in said


def test_a_few_rounds_find_no_defect(tmp_path):
    command = [sys.executable, "-m", "benchmarks.chaos", "--rounds", "3", "--seed", "8", "--scratch", tmp_path]
    told = ["--only", "kill,disk,sealed", "--stages", "rescore", "--report", tmp_path / "report.json"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command, *told], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rounds = json.loads((tmp_path / "report.json").read_text())["rounds"]
    assert {one["outcome"] for one in rounds} <= {"clean resume", "clear refusal"}
    assert {one["strike"] for one in rounds} == {"kill", "disk", "sealed"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "report.md"]


def test_a_scratch_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    command = [sys.executable, "-m", "benchmarks.chaos", "--rounds", "1", "--scratch", tmp_path / "file" / "below"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "error:" in done.stderr and str(tmp_path / "file") in done.stderr


def test_a_stage_that_is_not_there_is_refused_with_those_that_are():
    command = [sys.executable, "-m", "benchmarks.chaos", "--only", "server,job", "--stages", "foo"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "called foo; there is rollout.model, jobs" in done.stderr
