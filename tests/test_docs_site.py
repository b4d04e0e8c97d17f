"""The documentation site: it builds without a warning, needs no network, and its reference covers the code."""

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from worldforge import __all__ as public_names
from worldforge.cli.main import worldforge
from worldforge.cli.verbs import VERBS
from worldforge.core.imports import load, shipped
from worldforge.datasets.view import load_views
from worldforge.environments.controls.control_plan import CONTROLS, PRESETS, ControlPlan
from worldforge.jobs.jobs_file import jobs_json_schema
from worldforge.schema.phrasebook import Book
from worldforge.schema.spec_json_schema import json_schema

BOOK = Book.model_json_schema()
ROOT = Path(__file__).parent.parent


def generator():
    spec = importlib.util.spec_from_file_location("_generate", ROOT / "docs" / "_generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference():
    return generator().pages()


def section(text, heading):
    """The part of a page below one heading."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section {heading}"
    return found[1]


@pytest.mark.parametrize(
    ("page", "schema"), [("spec", json_schema()), ("jobs", jobs_json_schema()), ("phrasebook", BOOK)]
)
def test_the_reference_has_every_key(reference, page, schema):
    for name, part in {schema["title"]: schema, **schema["$defs"]}.items():
        text = section(reference[page], name)
        assert [key for key in part.get("properties", {}) if f"| `{key}` |" not in text] == []
    if page != "jobs":
        assert re.findall(r"^.*\|  \|$", reference[page], re.MULTILINE) == [], "a key without a meaning"


def test_the_reference_has_every_shipped_generator_and_its_parameters(reference):
    for name in shipped():
        line = next(line for line in reference["generators"].splitlines() if line.startswith(f"| `{name}` |"))
        assert not line.endswith("|  |")
        for parameter in list(inspect.signature(load(name)).parameters)[2:]:
            assert f"`{parameter}" in line


def test_the_reference_has_every_control_and_its_settings(reference):
    plan = section(reference["controls"], "ControlPlan")
    explained = (ROOT / "docs" / "controls.md").read_text(encoding="utf-8")
    assert [name for name in (*CONTROLS, *PRESETS) if f"| `{name}` |" not in explained] == []
    for name in CONTROLS:
        assert f"| `{name}` |" in plan
        kind = ControlPlan.model_fields[name].annotation
        text = section(reference["controls"], kind.__name__)
        assert [key for key in kind.model_fields if f"| `{key}` |" not in text] == []


def test_the_reference_has_every_command_and_option(reference):
    def check(path, command):
        text = section(reference["commands"], path)
        options = [one for one in command.params if isinstance(one, click.Option)]
        assert [flag for one in options for flag in one.opts if f"`{flag}`" not in text] == []
        for name, below in getattr(command, "commands", {}).items():
            check(f"{path} {name}", below)

    for verb in VERBS:
        check(f"worldforge {verb}", worldforge.get_command(click.Context(worldforge), verb))


def test_the_reference_has_every_view_and_column(reference):
    for view in load_views(["all"]):
        assert f"| `{view.name}` |" in reference["views"]
        text = section(reference["columns"], view.name) if view.columns else ""
        assert [name for name, _, _ in view.columns if f"| `{name}` |" not in text] == []


def test_the_reference_has_every_public_name(reference):
    for name in public_names:
        assert len(section(reference["python"], name)) > 100


def test_the_reference_has_every_error(reference):
    found = generator().errors()
    assert len(found) > 10 and all(f".{one.__name__}`" in reference["errors"] for one in found)


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("**/*.md")]
    assert [page for page in pages if page not in navigation and not page.startswith("worlds/")] == []


@pytest.mark.slow
def test_the_site_builds_and_needs_no_network(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.glob("**/*.html"))
    assert len(pages) > 40
    for page in pages:
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"?(https?:[^\" >]*)", page.read_text(encoding="utf-8"))
        styles = re.findall(
            r"<link[^>]*rel=\"?(?:stylesheet|preconnect)[^>]*href=\"?(https?:[^\" >]*)", page.read_text()
        )
        assert loaded + styles == [], page
