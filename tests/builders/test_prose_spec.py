"""`pages.prose`: for all kinds of pages or for one, checked as all else is, and silent where it is the default."""

import pytest
from command import worldforge
from harbours import harbour_spec

from worldforge.schema.problems import SpecError
from worldforge.schema.resolved_spec import read_resolved, write_resolved
from worldforge.schema.spec_json_schema import json_schema
from worldforge.schema.spec_loader import load_spec


def prose_of(*settings):
    return {key: kind.prose for key, kind in load_spec("quickstart", settings).pages.items()}


def test_it_is_said_once_for_all_kinds_or_by_one():
    assert set(prose_of().values()) == {"templates"}
    assert set(prose_of("pages.prose=model").values()) == {"model"}
    some = prose_of("pages.prose=model", "pages.club_news.prose=templates")
    assert [key for key, prose in some.items() if prose == "templates"] == ["club_news"]
    alone = prose_of("pages.club_news.prose=model")
    assert [key for key, prose in alone.items() if prose == "model"] == ["club_news"]


def test_the_default_is_not_written_and_the_other_is_read_back(tmp_path):
    assert "prose" not in write_resolved(load_spec("quickstart"))
    assert write_resolved(load_spec("quickstart", ["pages.prose=templates"])) == write_resolved(load_spec("quickstart"))
    spec = load_spec("quickstart", ["pages.prose=model"])
    (tmp_path / "spec.yaml").write_text(write_resolved(spec))
    assert read_resolved(tmp_path / "spec.yaml") == spec
    assert "prose" not in str(harbour_spec().model_dump())


@pytest.mark.parametrize("said", ["modle", "3", "[model]", "{generator: pages.news, about: club}"])
def test_anything_else_is_a_problem_told_once(said):
    with pytest.raises(SpecError) as raised:
        prose_of(f"pages.prose={said}")
    (problem,) = raised.value.problems
    assert problem.path == "pages" and "`templates` or `model`" in problem.message


def test_a_kind_that_says_something_else_is_a_problem():
    with pytest.raises(SpecError, match=r"club_news\.prose"):
        prose_of("pages.club_news.prose=modle")


def test_editors_know_it():
    pages = json_schema()["properties"]["pages"]
    assert pages["properties"]["prose"]["enum"] == ["templates", "model"]
    assert all(pattern.startswith("^(?!prose$)") for pattern in pages["patternProperties"])


def test_an_address_never_comes_from_a_spec_and_a_preview_needs_none():
    with pytest.raises(SpecError):
        prose_of("pages.model=vllm:x")
    done = worldforge("preview", "quickstart", "--set", "pages.prose=model", "--set", "scale=0.1")
    assert "region" in done.stdout
