"""The report: one file that says all of it, the same each time, and shows a stranger's texts as text."""

import json
import shutil
from html.parser import HTMLParser

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import worldforge

from worldforge.builders.audit.finding import Finding
from worldforge.builders.report.page import report
from worldforge.world.world import open_world

EVIL = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>"


class Read(HTMLParser):
    """Tags, attributes and texts of a page; every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = [], [], "", []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def rewrite(path, column, change):
    table = pq.read_table(path)
    values = pa.array([change(value) for value in table[column].to_pylist()], table.schema.field(column).type)
    pq.write_table(table.set_column(table.column_names.index(column), table.schema.field(column), values), path)


@pytest.fixture
def world(quickstart, tmp_path):
    return shutil.copytree(quickstart, tmp_path / "world")


def test_the_report_is_one_file_without_scripts_or_network_and_the_same_each_time(world):
    done = worldforge("audit", world, "--json")
    text = (world / "report.html").read_text(encoding="utf-8")
    checks = json.loads(done.stdout)["checks"]
    assert report(open_world(world), [Finding(**check) for check in checks]) == text
    on_file = json.loads((world / "audit.json").read_text())["checks"]
    assert [(one["check"], one["n_checked"]) for one in on_file] == [(one["check"], one["n_checked"]) for one in checks]
    assert {one["check"] for one in on_file} >= {"files", "keys", "questions", "claims"}
    assert "audit.json" not in open_world(world).manifest["files"]
    read = Read(text)
    assert "script" not in read.tags and not {"src", "href"} & {name for name, _ in read.attributes}
    manifest = json.loads((world / "world.json").read_text())
    for said in (manifest["title"], manifest["digest"][:16], "reachability", "date of birth", "Gold table", "km²"):
        assert said in read.text
    assert "Cannot be drawn" not in text and read.tags.count("figure") > 40 and read.tags.count("article") == 5
    assert "nan" not in {value for _, value in read.attributes}


def test_a_strangers_texts_are_shown_as_text(world, tmp_path):
    rewrite(world / "entities/town.parquet", "name", lambda name: f"{EVIL} {name}")
    rewrite(world / "entities/club.parquet", "colours", lambda colours: EVIL)
    rewrite(world / "pages.parquet", "title", lambda title: EVIL)
    rewrite(world / "pages.parquet", "kind", lambda kind: f"{kind}{EVIL}")
    rewrite(world / "tasks.parquet", "wording", lambda wording: EVIL)
    rewrite(world / "tasks.parquet", "query", lambda query: EVIL)
    rewrite(world / "set_aside.parquet", "reason", lambda reason: f"{EVIL}: {EVIL}")
    manifest = json.loads((world / "world.json").read_text())
    (world / "world.json").write_text(json.dumps(manifest | {"title": EVIL, "name": EVIL, "seed": EVIL}))
    text = report(open_world(world), [Finding(EVIL, 1, 1, (EVIL,))])
    read = Read(text)
    assert text.count("<script") == text.count("<img") == 0 and not {"script", "img"} & {*read.tags}
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert read.text.count(EVIL) > 10


def test_a_damaged_world_has_a_report_too(world):
    (world / "tasks.parquet").write_bytes(b"rubbish")
    text = report(open_world(world), [])
    assert "Cannot be drawn: " in text and "tasks.parquet" in Read(text).text and "date of birth" in text


def test_where_no_report_can_be_written_the_user_is_told(world, tmp_path):
    (tmp_path / "file").write_text("")
    done = worldforge("audit", world, "--report", tmp_path / "file" / "report.html", code=2)
    assert "--no-report" in done.stderr
    worldforge("audit", world, "--no-report", "--report", tmp_path / "x.html", code=2)
