"""A jobs.yaml is read, or refused with all of its problems; placeholders are filled in, never run."""

import json
import shlex
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import TypeAdapter, ValidationError

from worldforge.cli.jobs_commands import check_arguments
from worldforge.cli.main import run
from worldforge.core.errors import InputError
from worldforge.jobs.jobs_file import Bytes, Job, Seconds, read_jobs
from worldforge.jobs.step_commands import Permissions, template_values
from worldforge.schema.problems import SpecError

ROOT = Path(__file__).parent.parent.parent
BROKEN = """\
jobs:
  "a/b":
    spec: nowhere
    stepz: []
    steps:
      - bild
      - rollout: {agentt: x, workers: many}
      - {build: {}, audit: {}}
      - score
      - push: {to: "{nothing}"}
    set: {seed: "{run_nr}"}
    schedule: {cron: "61 * * * *", timezone: Mars/Olympus, jitter: soon, overlap: skp}
    budget: {disk: 20 elephants}
    hooks: {failure: [{webhook: "file:///etc/passwd"}, {command: x, webhook: "http://a.b"}]}
  b:
    steps: [build]
"""


def problems(folder, text):
    (folder / "jobs.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as refused:
        read_jobs(folder / "jobs.yaml", check_arguments)
    return {(problem.line, problem.path.rpartition(".")[2]) for problem in refused.value.problems}


def test_all_problems_are_reported_at_once_with_their_places(tmp_path):
    assert problems(tmp_path, BROKEN) == {
        (2, "a/b"), (3, "spec"), (4, "stepz"), (6, "0"), (7, "1"), (8, "2"), (9, "3"),
        (10, "4"), (11, "set"), (12, "cron"), (12, "timezone"), (12, "jitter"), (12, "overlap"), (13, "disk"),
        (14, "webhook"), (14, "1"), (16, "0"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ['"a\\nb"', '"a\\tb"', '" a"', '""', "../up", ".hidden", "-x", "a" * 81, "😀" * 80, "jobs.sqlite", '"a\\u202Eb"'],
)
def test_names_that_cannot_be_folders_are_refused(tmp_path, name):
    assert problems(tmp_path, f"jobs:\n  {name}:\n    steps: [audit]\n")


def test_values_of_a_build_and_of_folder_are_checked(tmp_path):
    text = 'folder: "a\\0b"\njobs:\n  a:\n    steps:\n      - build: {spec: quickstart, set: 5, allow_code: "no"}\n'
    assert problems(tmp_path, text) == {(1, "folder"), (5, "0")}


@pytest.mark.parametrize(
    "text", ["", "[]", "jobs: {}", "jobs: [a]", "jobs: {a: 3}", "jobs: {a: {steps: build}}", "a: &a"]
)
def test_files_of_another_shape_are_refused(tmp_path, text):
    assert problems(tmp_path, text)


def test_the_shipped_example_is_valid_and_is_in_the_docs(tmp_path, capsys):
    text = files("worldforge.jobs").joinpath("example.yaml").read_text(encoding="utf-8")
    assert run(["jobs", "new", str(tmp_path)]) == 0
    assert (tmp_path / "jobs.yaml").read_text(encoding="utf-8") == text
    capsys.readouterr()
    assert run(["jobs", "list", "--json", "--file", str(tmp_path)]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [job["job"] for job in listed] == ["nightly"] and len(listed[0]["next"]) == 3
    assert text in (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8")
    assert run(["jobs", "new", str(tmp_path)]) == 2


def test_a_dry_run_shows_the_commands(tmp_path, capsys):
    assert run(["jobs", "new", str(tmp_path)]) == 0
    assert run(["jobs", "run", "nightly", "--dry-run", "--file", str(tmp_path)]) == 0
    words = shlex.split(capsys.readouterr().out.splitlines()[0])
    assert words[:4] == ["worldforge", "build", "--set=seed=1", "--set=tasks.list.count=10"]


def test_placeholders_are_filled_in_and_other_texts_stay_texts():
    job = Job.model_validate({
        "spec": "specs/{date}.yaml",
        "set": {"seed": "{run_number}", "title": "yes: {{job}} ", "tasks.list.count": 5, "languages": ["en", "zh"]},
        "steps": [{"build": {"set": {"scale": 0.5}, "allow_code": True}},
                  {"rollout": {"max-steps": 9, "retry_failed": True}},
                  {"export": {"view": ["sft", "dpo"], "failures": False}}],
    })  # fmt: skip
    fire_time = datetime(2031, 6, 29, 23, 5, tzinfo=UTC)
    values = template_values("a b", 7, fire_time, ZoneInfo("Europe/Berlin"), "out")
    build, rollout, export = job.commands(values, Permissions())
    assert build == [
        "build", "--set=seed=7", "--set=title=yes: {job} ", "--set=tasks.list.count=5", '--set=languages=["en", "zh"]',
        "--set=scale=0.5", "--out=out/a b/20310629T230500Z-7/world", "--json", "--", "specs/2031-06-30.yaml",
    ]  # fmt: skip
    assert rollout == ["rollout", "--max-steps=9", "--retry-failed", "--json", "--", "out/a b/20310629T230500Z-7/world"]
    assert export == ["export", "--view=sft", "--view=dpo", "--json", "--", "out/a b/20310629T230500Z-7/world"]
    assert "--allow-code" in job.commands(values, Permissions(code=True))[0]


@pytest.mark.parametrize("step", ["build", "export"])
@pytest.mark.parametrize("key", ["allow_code", "allow-code"])
def test_no_step_imports_code_without_permission(step, key):
    job = Job.model_validate({"spec": "a.yaml", "steps": [{step: {key: True}}]})
    values = template_values("a", 7, datetime(2031, 6, 29, tzinfo=UTC), ZoneInfo("UTC"), "out")
    assert "--allow-code" not in job.commands(values, Permissions())[0]
    assert "--allow-code" in job.commands(values, Permissions(code=True))[0]
    with pytest.raises(InputError, match="import code"):
        job.check_permissions("a", Permissions())


@pytest.mark.parametrize(
    ("text", "read"), [("90 s", 90), ("10m", 600), ("1.5h", 5400), ("2d", 172_800), (30, 30), (0.5, 0.5)]
)
def test_durations(text, read):
    assert TypeAdapter(Seconds).validate_python(text) == read


@pytest.mark.parametrize(("text", "read"), [("20 GB", 20 * 10**9), ("1KiB", 1024), (7, 7), ("1.5 MB", 1_500_000)])
def test_sizes(text, read):
    assert TypeAdapter(Bytes).validate_python(text) == read


@pytest.mark.parametrize("value", ["", "soon", "-5s", "5 parsecs", None, [1], "1e400s", float("nan"), "٣s"])
@pytest.mark.parametrize("kind", [Seconds, Bytes])
def test_values_that_are_no_quantity_are_refused(kind, value):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)
