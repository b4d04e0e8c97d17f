"""What a spec may say of pages that disagree, and what sort of site its pages stand on."""

import pytest
from schema_small import SMALL

from worldforge.schema.document import read_document
from worldforge.schema.spec_loader import run_checks
from worldforge.schema.web_section import AUTHORITY, authority_of, character_of

PAGES = """\
sites:
  wiki: {%s}
  herald: {%s}
web: {%s}
pages:
  towns: {generator: pages.encyclopedia, about: town, site: wiki}
  in_brief: {generator: pages.news, about: town, site: herald}
  list: {generator: pages.statistics, about: town%s}
"""
VARYING = SMALL.replace("high: 900}}", "high: 900}, varies: 0.1}")


def checked(wiki="", herald="", web="", own="", text=VARYING):
    spec, problems = run_checks(read_document(text + PAGES % (wiki, herald, web, own), "spec.yaml")[0], None)
    return spec, [(problem.message, problem.hint) for problem in problems]


@pytest.mark.parametrize("rule", ["date", "authority", "majority"])
def test_a_rule_settles_what_pages_disagree_on(rule):
    spec, problems = checked("outdated: 0.2", "mistaken: 0.1", f"settled_by: {rule}")
    assert problems == [] and spec.web.settled_by == rule


def test_without_a_rule_every_site_that_is_not_right_is_told():
    _, problems = checked("outdated: 0.2", "mistaken: 0.1")
    assert [message for message, _ in problems] == [
        "pages of `wiki` would disagree with others, and nothing says who is right",
        "pages of `herald` would disagree with others, and nothing says who is right",
    ]
    assert all("settled_by: date" in hint for _, hint in problems)


def test_what_could_never_happen_is_told():
    _, problems = checked("outdated: 0.2", web="settled_by: date", text=SMALL)
    assert [message for message, _ in problems] == ["no page of `wiki` could be out of date: no column varies"]
    _, problems = checked("mistaken: 0.2", "mistaken: 0.1", "settled_by: date", ", site: wiki")
    assert {message for message, _ in problems} == {
        "no mistake on `wiki` could be settled by date: it would hold none",
        "no mistake on `herald` could be settled by date: it would hold none",
    }
    _, problems = checked("mistaken: 0.2, authority: 9", "mistaken: 0.1", "settled_by: authority")
    assert [message for message, _ in problems] == [
        "no mistake on `wiki` could be settled by authority: it would hold none"
    ]


def test_an_unknown_site_hides_nothing_and_breaks_nothing():
    _, problems = checked("mistaken: 0.2", "mistaken: 2", "settled_by: authority", ", site: wicki")
    assert {message for message, _ in problems} == {"must be at most 1, not 2", "unknown site `wicki`"}


def test_a_site_has_the_character_of_its_pages():
    spec, _ = checked(herald="character: fan")
    assert {key: character_of(spec, key) for key in spec.pages} == {
        "towns": "encyclopedia",
        "in_brief": "fan",
        "list": "data",
    }
    assert [authority_of(spec, key) for key in spec.pages] == [
        AUTHORITY["encyclopedia"],
        AUTHORITY["fan"],
        AUTHORITY["data"],
    ]
    spec, _ = checked("authority: 0", own=", site: wiki")
    assert [authority_of(spec, key) for key in ("towns", "list")] == [0, 0]
    assert character_of(spec, "list") == "encyclopedia"
