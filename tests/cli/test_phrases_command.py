"""The command `phrases`: coverage, entries by a model, exit codes; and nothing half-written by a kill."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from command import worldforge

from worldforge.schema.phrasebook import read_book

SPEC = """
name: posts
phrases: posts
types:
  post:
    count: 9
    name: {generator: names.place, params: {culture: english}}
    attributes:
      opened: {generator: values.year, params: {low: 1850, high: 1990}, label: year of opening}
      clerks: {generator: values.integer, params: {low: 2, high: 90}, label: number of clerks}
"""
BOOK = """language: en
types:
  post:
    nouns: [post office]
    stories: ["{it}, opened in {opened}, has {clerks} clerks."]
    attributes: {opened: {labels: [opened], says: ["was opened in {value}"]}}
"""
LINES = [
    {
        "when": "The fact: number of clerks",
        "text": json.dumps({"says": ["is staffed by {value} clerks", "has 9 doors and {value} clerks"]}),
    },
    {"text": "```json\n" + json.dumps({"sentences": ["The doors were opened in {value}.", 4]}) + "\n```"},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "phrases").mkdir()
    (tmp_path / "world.yaml").write_text(SPEC)
    (tmp_path / "phrases" / "posts.en.yaml").write_text(BOOK)
    (tmp_path / "model.jsonl").write_text("\n".join(map(json.dumps, LINES)))
    return tmp_path


def test_coverage_is_a_table_or_json(folder):
    shown = worldforge("phrases", folder).stdout
    assert "post: 1 stories, 0 fillers" in shown and "opened      1        1       1" in shown
    (found,) = json.loads(worldforge("phrases", folder, "--json", "--least", 1).stdout)
    columns = {one["column"]: one for one in found["tables"][0]["columns"]}
    assert "forms" not in columns["opened"]["lacks"] and columns["clerks"]["lacks"]["forms"] == 1
    assert found["language"] == "en" and found["found"]


def test_a_models_entries_are_written_for_review(folder):
    arguments = ("phrases", folder, "--model", "scripted:model.jsonl", "-o", folder / "more.yaml")
    done = worldforge(*arguments, cwd=folder, code=4)
    assert "2 entries for 2 of 2 columns (refused: " in done.stderr and "figure 1" in done.stderr
    assert "still missing: post.opened: " in done.stderr
    found = read_book(folder / "more.yaml").types["post"]
    assert found.nouns == ["post office"]
    assert found.attributes["opened"].sentences == ["The doors were opened in {value}."]
    assert found.attributes["clerks"].says == ["is staffed by {value} clerks"]
    assert (folder / "phrases" / "posts.en.yaml").read_text() == BOOK
    again = json.loads(worldforge(*arguments, "--json", cwd=folder, code=4).stdout)
    assert again["refused"]["known"] == 2 and again["added"] == {}
    assert read_book(folder / "more.yaml").types["post"] == found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "more.yaml"], "name a model as well"),
        (["--language", "zh"], "not in language `zh`"),
        (["--least", "-1"], "Invalid value"),
        (["--model", "gpt"], "no profile is called `gpt`"),
        (["--model", "scripted:nowhere.jsonl"], "nowhere.jsonl"),
        (["--model", "scripted:model.jsonl", "-o", "phrases/posts.en.yaml"], "is no file of additions"),
        (["--model", "scripted:model.jsonl", "-o", "s3://bucket/more.yaml"], "is an address"),
        (["--set", "phrases=stamps"], "there is no phrasebook `stamps`"),
    ],
)
def test_what_is_wrong_is_said_in_one_message(folder, arguments, said):
    done = worldforge("phrases", folder, *arguments, cwd=folder, code=2)
    assert said in done.stderr and not (folder / "more.yaml").exists()
    assert (folder / "phrases" / "posts.en.yaml").read_text() == BOOK


def test_a_faulty_book_is_refused_with_its_place(folder):
    book = folder / "phrases" / "posts.en.yaml"
    book.write_text(BOOK.replace("opened in {value}", "opened in {year}"))
    done = worldforge("phrases", folder, code=2)
    assert "types.post.attributes.opened.says.0" in done.stderr and "unknown slot `year`" in done.stderr


def test_a_spec_without_a_book_can_have_one_begun(folder):
    (folder / "world.yaml").write_text(SPEC.replace("phrases: posts\n", ""))
    assert "there is no phrasebook" in worldforge("phrases", folder).stderr
    worldforge("phrases", folder, "--model", "scripted:model.jsonl", cwd=folder, code=4)
    found = read_book(folder / "posts.en.additions.yaml")
    assert found.types["post"].nouns == ["post"] and found.types["post"].attributes["clerks"].says


KILLED = """
import asyncio, sys
from worldforge.entry_points import write_phrases as entry
from worldforge.models.scripted_model import ScriptedModel
from worldforge.schema.spec_loader import load_spec

async def answer(request):
    if "The fact: number" in request.messages[-1].content:
        print("waiting", flush=True)
        await asyncio.sleep(60)
    return '{"sentences": ["The doors were opened in {value}."]}'

entry.write_phrases(load_spec(sys.argv[1]), ScriptedModel(answer))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_leaves_no_half_written_file(folder, how):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout.readline() == b"waiting\n"
    time.sleep(0.2)
    os.kill(process.pid, how)
    process.wait(30)
    written = folder / "posts.en.additions.yaml"
    left = [path.name for path in folder.iterdir()]
    assert sorted(left) == sorted(
        {"phrases", "world.yaml", "model.jsonl"} | ({written.name} if written.exists() else set())
    )
    assert written.exists() == (how == signal.SIGINT)
    if written.exists():
        assert read_book(written).types["post"].attributes["opened"].sentences
