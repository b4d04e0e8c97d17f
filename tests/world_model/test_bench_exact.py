"""The exact scorer: the engine is the ceiling, and each planted error lowers the dimension meant, and no other."""

import dataclasses
import json
import re
from statistics import fmean

import pytest
from bench_calls import Caller
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.world_model.bench.exact import DIMENSIONS, ExactScorer, with_consistency
from worldforge.world_model.bench.transitions import Truth

CLUBS = ("football clubs of Montulascia", "stadium")
WRONG = {"wrong_facts": {"rate": 1.0}}
HIDING = {"snippets": {"rate": 1.0, "facts": 0}}
SHORT = {"snippets": {"rate": 1.0, "characters": 60}}


@pytest.fixture(scope="module")
def calls(plain_world):
    return Caller(plain_world)


@pytest.fixture(scope="module")
def scorer(plain_world):
    return ExactScorer(plain_world)


@pytest.fixture(scope="module")
def article(calls):
    return next(page["url"] for page in calls.pages if page["kind"] == "club_article")


@pytest.fixture(scope="module")
def lists(calls):
    return next(page["url"] for page in calls.pages if page["kind"] == "club_statistics")


def lowered(scored):
    assert all(0 <= getattr(scored, name) <= 1 for name in DIMENSIONS if getattr(scored, name) is not None)
    return {name for name in DIMENSIONS if getattr(scored, name) not in (None, 1.0)}


def text_of(transition):
    return transition.truth.scene.text


def replaced(text, old, new, times=1):
    assert old in text, f"{old!r} is not in the truth"
    return text.replace(old, new, times)


def paragraphs(transition):
    return text_of(transition).split("\n\n")


def test_the_engine_is_the_ceiling(calls, scorer, article, lists):
    plain = [calls.search("stadium"), calls.search(*CLUBS), calls.open(article), calls.open(lists)]
    plain += [calls.records("club"), calls.call("database", "list_tables", {}), calls.search("zzqx")]
    plain += [calls.call("database", "get_records", {"table": "club", "ids": ["club/0001", "club/9999"]})]
    touched = [
        calls.search("stadium", **WRONG), calls.search("stadium", **HIDING), calls.search(*CLUBS, **SHORT),
        calls.search("stadium", distractors={"rate": 1.0, "unrelated": 0.4}),
        calls.search("stadium", pagination={"rate": 1.0, "size": 3}), calls.search(*CLUBS, batch={"rate": 0.9}),
        calls.search("stadium", partial={"rate": 1.0}), calls.open(article, stale={"rate": 1.0, "changed": 1.0}),
        calls.open(article, **WRONG), calls.open(lists, withheld={"rate": 1.0, "links": 1.0}),
        calls.records("club", fields={"rate": 1.0, "reordered": 1.0}), calls.records("club", **WRONG),
        calls.records("club", withheld={"rate": 0.5}), calls.records("club", partial={"rate": 1.0}),
    ]  # fmt: skip
    transitions = [*plain, *touched]
    scores = with_consistency([scorer.score(one.truth, text_of(one)) for one in [*transitions, *transitions]])
    assert [lowered(scored) for scored in scores] == [set()] * len(scores)
    assert all(scored.controllability == 1 for scored in scores[len(plain) : len(transitions)])
    assert all(scored.controllability is None for scored in scores[: len(plain)])
    assert all(scored.consistency == 1 for scored in scores if scored.n_stated)
    assert {scored.verdict for scored in scores} == {"clean"}


def wrong_number(text):
    return replaced(text, "| Founding year | 1", "| Founding year | 2")


def renumbered(parts):
    return [re.sub(r"^\[\d+\]", f"[{number}]", part) for number, part in enumerate(parts, 1)]


def exchanged(parts):
    return [parts[1], parts[0], *parts[2:]]


def lines_dropped(text, start):
    return "\n".join(line for line in text.split("\n") if not line.startswith(start))


STADIUM = r"\| Stadium \| .*? \|"
INVENTED = "[11] https://www.made-up.example/x\nTitle: Zorblax\nSnippet: By Qux.\nDate: N/A"
PAGE_ERRORS = {
    "a wrong number": (wrong_number, "factuality"),
    "a name of another": (lambda text: re.sub(STADIUM, "| Stadium | Yarisvoro Oval |", text), "factuality"),
    "a name of nobody": (lambda text: re.sub(STADIUM, "| Stadium | Xyzzyqua |", text), "factuality"),
    "an invented host": (lambda text: replaced(text, "https://www.", "https://invented."), "factuality"),
    "a number of another column": (
        lambda text: re.sub("stadium capacity|squad size|age in years", "founding year", text, count=1),
        "factuality",
    ),
    "something added": (lambda text: f"{text}\n\nIt was praised by Zorblax in 1997.", "factuality"),
    "a line left out": (lambda text: lines_dropped(text, "| Stadium capacity"), "completeness"),
    "the head in another form": (lambda text: replaced(text, "Title: ", "Heading: "), "format"),
}  # fmt: skip
RECORD_ERRORS = {
    "a wrong cell": (lambda text: replaced(text, '"capacity":', '"capacity":1'), "factuality"),
    "a cell of another": (lambda text: re.sub(r'"town":"town/\d+"', '"town":"town/0059"', text, count=1), "factuality"),
    "a cell left out": (lambda text: re.sub(r',"stadium":"[^"]*"', "", text, count=1), "completeness"),
    "a brace left out": (lambda text: text.removesuffix("}"), "format"),
    "a remark before it": (lambda text: f"Result: {text}", "format"),
}


@pytest.mark.parametrize("error", PAGE_ERRORS)
def test_an_error_in_a_page_costs_its_dimension(calls, scorer, article, error):
    planted, dimension = PAGE_ERRORS[error]
    transition = calls.open(article)
    scored = scorer.score(transition.truth, planted(text_of(transition)))
    assert lowered(scored) == {dimension} and scored.verdict != "clean"


@pytest.mark.parametrize("error", RECORD_ERRORS)
def test_an_error_in_records_costs_its_dimension(calls, scorer, error):
    planted, dimension = RECORD_ERRORS[error]
    transition = calls.records("club")
    scored = scorer.score(transition.truth, planted(text_of(transition)))
    assert lowered(scored) == {dimension} and scored.verdict != "clean"


SEARCH_ERRORS = {
    "ranks exchanged": (lambda parts: renumbered(exchanged(parts)), "ranking"),
    "places exchanged, not numbers": (exchanged, "ranking"),
    "numbers exchanged, not places": (lambda parts: exchanged(renumbered(exchanged(parts))), "ranking"),
    "a hit dropped": (lambda parts: [*parts[:3], *parts[4:]], "completeness"),
    "a hit dropped, the rest renumbered": (lambda parts: renumbered([*parts[:3], *parts[4:]]), "completeness"),
    "a hit invented": (lambda parts: [*parts[:-1], INVENTED, parts[-1]], "factuality"),
    "a host invented": (lambda parts: [parts[0].replace("https://", "https://new."), *parts[1:]], "factuality"),
    "a wrong date": (lambda parts: [re.sub(r"Date: .*", "Date: Jan 1, 1999", parts[0]), *parts[1:]], "factuality"),
    "a label of another form": (lambda parts: [part.replace("Snippet: ", "Summary: ") for part in parts], "format"),
    "a remark before it": (lambda parts: ["Here is what was found:", *parts], "format"),
    "no lines between hits": (lambda parts: ["\n".join(parts[:-1]), parts[-1]], "format"),
    "nothing about more": (lambda parts: parts[:-1], "completeness"),
}  # fmt: skip


@pytest.mark.parametrize("error", SEARCH_ERRORS)
def test_an_error_in_results_costs_its_dimension(calls, scorer, error):
    planted, dimension = SEARCH_ERRORS[error]
    transition = calls.search("football clubs")
    parts = paragraphs(transition)
    assert len(parts) == 11 and parts[-1].startswith("More results")
    scored = scorer.score(transition.truth, "\n\n".join(planted(parts)))
    assert lowered(scored) == {dimension} and scored.verdict != "clean"


def test_records_in_another_order_cost_ranking_alone(calls, scorer):
    transition = calls.records("club")
    content = json.loads(text_of(transition))
    content["records"].reverse()
    scored = scorer.score(transition.truth, json.dumps(content))
    assert lowered(scored) == {"ranking"} and scored.ranking == 0


def test_queries_are_ranked_each_for_itself(calls, scorer):
    transition = calls.search(*CLUBS)
    assert scorer.score(transition.truth, text_of(transition)).ranking == 1
    parts = paragraphs(transition)
    first = next(place for place, part in enumerate(parts) if part.startswith("[1]"))
    parts[first], parts[first + 1] = parts[first + 1].replace("[2]", "[1]"), parts[first].replace("[1]", "[2]")
    n = [len(block.results) for block in transition.truth.view.blocks]
    scored = scorer.score(transition.truth, "\n\n".join(parts))
    assert lowered(scored) == {"ranking"}
    assert scored.ranking == pytest.approx(1 - 1 / sum(one * (one - 1) / 2 for one in n))


DISOBEYED = {
    "a wrong fact put right": ("records", WRONG),
    "a wrong fact put right on a page": ("open", WRONG),
    "fields under their own names": ("records", {"fields": {"rate": 1.0}}),
    "columns shown that are withheld": ("records", {"withheld": {"rate": 1.0}}),
    "a column shown that a list withholds": ("lists", {"withheld": {"rate": 1.0}}),
    "links that are taken out": ("lists", {"withheld": {"rate": 0.0, "links": 1.0}}),
    "facts in snippets that only hint": ("search", HIDING),
    "snippets longer than allowed": ("search", SHORT),
    "an old copy as if it were new": ("open", {"stale": {"rate": 1.0, "changed": 1.0}}),
    "results beside the point left out": ("search", {"distractors": {"unrelated": 0.4}}),
}


@pytest.mark.parametrize("control", DISOBEYED)
def test_what_disobeys_a_control_costs_controllability_alone(calls, scorer, article, lists, control):
    """The draft is the world's own answer, as if there were no control: nothing in it is false."""
    kind, plan = DISOBEYED[control]
    call = {
        "records": lambda: calls.records("club", **plan),
        "open": lambda: calls.open(article, **plan),
        "lists": lambda: calls.open(lists, **plan),
        "search": lambda: calls.search("Talennurra Rangers stadium", **plan),
    }[kind]
    truth = call().truth
    assert truth.brought is not None
    draft = truth.scene.dialect.write(truth.scene.request, truth.brought)
    scored = scorer.score(truth, draft)
    assert lowered(scored) == {"controllability"}


def test_one_of_many_demands_is_a_share_of_them(calls, scorer):
    truth = calls.records("club", **WRONG).truth
    brought = truth.scene.dialect.write(truth.scene.request, truth.brought)
    true, shown = (json.loads(text) for text in (brought, truth.scene.text))
    column = next(name for name, cell in true["records"][0].items() if shown["records"][0][name] != cell)
    shown["records"][0][column] = true["records"][0][column]
    scored = scorer.score(truth, json.dumps(shown))
    assert scored.n_broken == 1 < scored.n_demands
    assert scored.controllability == 1 - 1 / scored.n_demands and scored.factuality == 1


def test_counts_make_up_the_scores(calls, scorer, article):
    transition = calls.open(article)
    text = text_of(transition)
    scored = scorer.score(transition.truth, wrong_number(text))
    assert (scored.n_wrong, scored.n_missing) == (1, 0) and scored.n_stated == scored.n_disclosed > 20
    assert scored.factuality == 1 - 1 / scored.n_stated


def test_samples_that_contradict_one_another_cost_consistency_alone(calls, scorer, article):
    transition = calls.open(article)
    told = re.search(r"Founding year \| (\d+)", text_of(transition))[1]
    drafts = [text_of(transition).replace(told, year) for year in ("1812", "1812", "1813")]
    one, same, other = (scorer.score(transition.truth, draft) for draft in drafts)
    agreeing, contradicting = with_consistency([one, same]), with_consistency([one, other])
    assert [scored.consistency for scored in agreeing] == [1.0, 1.0]
    assert all(0.9 < scored.consistency < 1 for scored in contradicting)
    for before, after in zip(agreeing, contradicting, strict=True):
        changed = {f.name for f in dataclasses.fields(before) if getattr(before, f.name) != getattr(after, f.name)}
        assert changed <= {"consistency", "claims", "reason"}


@pytest.fixture(scope="module")
def told_twice(calls):
    """An article, a search whose results tell its club's founding year as well, and that year."""
    for url in [page["url"] for page in calls.pages if page["kind"] == "club_article"]:
        page = calls.open(url)
        name, year = page.truth.view.title, re.search(r"Founding year \| (\d+)", text_of(page))
        found = calls.search(f"{name} founding year")
        if year and any(year[1] in r.snippet and name in r.snippet for r in found.truth.view.blocks[0].results):
            return page, found, year[1]
    raise AssertionError("no snippet tells a founding year")


def test_a_fact_is_compared_across_turns_wherever_it_is_told(scorer, told_twice):
    """The founding year on a page, and in the figures about it elsewhere: other calls, the same fact."""
    page, found, year = told_twice
    true = [scorer.score(one.truth, text_of(one)) for one in (page, found)]
    assert all(scored.consistency == 1 for scored in with_consistency(true))
    lie = scorer.score(page.truth, text_of(page).replace(year, "1711"))
    here, there = with_consistency([lie, true[1]])
    assert here.consistency < 1 and there.consistency < 1 and there.factuality == 1
    alone = with_consistency([lie])[0]
    assert alone.consistency is None


def test_no_observation_is_nothing_in_all_that_could_be_measured(calls, scorer):
    truth = calls.search("football clubs", **HIDING).truth
    scored = scorer.score(truth, "")
    assert {getattr(scored, name) for name in DIMENSIONS if name != "consistency"} == {0.0}


def test_a_text_about_something_else_leaves_all_out(calls, scorer, article):
    """Facts of the same kinds, and none of them in the place of another, but by chance: a club has 0 titles too."""
    truth = calls.open(article).truth
    others = [text_of(calls.open(page["url"])) for page in calls.pages if page["kind"] == "club_statistics"]
    scores = [scorer.score(truth, other) for other in others if truth.view.title not in other]
    assert len(scores) > 5 and all(scored.format == 1 for scored in scores)
    assert fmean(scored.completeness for scored in scores) < 0.12
    assert fmean(scored.factuality for scored in scores) < 0.15


def test_an_error_in_the_place_of_results_is_in_form_and_tells_nothing(calls, scorer):
    scored = scorer.score(calls.search("football clubs").truth, "Error: 500 Internal Server Error.")
    assert scored.format == 1 and scored.completeness < 0.05


@pytest.fixture(scope="module")
def several(calls, article):
    return [calls.search("stadium"), calls.open(article), calls.records("club"), calls.search(*CLUBS, **HIDING)]


@settings(max_examples=30)
@given(st.text(max_size=300), st.integers(0, 3), st.integers(0, 2000))
def test_rubbish_is_scored_without_complaint(several, scorer, rubbish, which, cut):
    text = text_of(several[which])
    for draft in (rubbish, text[:cut] + rubbish + text[cut:], text[:cut]):
        lowered(scorer.score(several[which].truth, draft))


def test_a_truth_is_read_back_from_its_json(calls, article):
    for one in (calls.search(*CLUBS, **HIDING), calls.open(article, **WRONG), calls.records("club", **WRONG)):
        again = Truth.model_validate_json(json.dumps(one.truth.model_dump(mode="json")))
        assert again == one.truth and again.scene.text == one.truth.scene.text and again.digest == one.truth.digest
        rows = [getattr(again.view, "row", None), getattr(one.truth.view, "row", None)]
        assert rows[0] == rows[1]
