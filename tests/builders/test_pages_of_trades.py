"""Briefs, fans' pages and listings from outside: what they state, in which form, in both languages."""

import re
from itertools import pairwise

import pytest
from harbours import harbour_spec, harbour_tables

from worldforge.builders.audit.check_mentions import check_facts, check_spans
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.world.stable_ids import split_fact
from worldforge.world.table_files import read_parquet

STATES = ["home", "launched", "built", "length", "crew", "rig", "calls_at"]
KINDS = {
    f"{name}_{language}": {
        "generator": f"pages.{name}",
        "about": "ship",
        "states": STATES,
        "language": language,
        "params": {"price": "length"} if name == "shop" else {},
    }
    for name in ("trade", "fan", "shop")
    for language in ("en", "zh")
}


@pytest.fixture(scope="module")
def sold(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trades")
    spec = harbour_spec({"ship_article": {"generator": "pages.encyclopedia", "about": "ship"}} | KINDS)
    spec = spec.model_copy(update={"languages": ["en", "zh"]})
    write_pages(spec, harbour_tables(), folder, LocalEngine(1), Progress())
    files = {name: read_parquet(folder / f"{name}.parquet") for name in ("pages", "mentions", "links")}
    assert check_spans(files["pages"], files["mentions"]).n_failed == 0
    assert check_links(files["pages"], files["links"]).n_failed == 0
    assert check_facts(spec, harbour_tables(), files["pages"], files["mentions"]).n_failed == 0
    texts, told = {}, {}
    for page in files["pages"].to_pylist():
        texts.setdefault(page["kind"], {})[page["id"]] = page["text"]
    kinds = {page: kind for kind, own in texts.items() for page in own}
    for mention in files["mentions"].to_pylist():
        told.setdefault(kinds[mention["page"]], set()).add(mention["fact"])
    return texts, told


def facts_of(told, kind, *tables):
    return {fact for fact in told[kind] if split_fact(fact)[0] in tables and not fact.endswith("#name")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_states_all_that_it_is_to_state(sold, kind):
    _, told = sold
    tables = ("ship",) if kind.startswith("trade") else ("ship", "calls_at")
    assert facts_of(told, kind, *tables) == facts_of(told, "ship_article", *tables)
    assert not kind.startswith("trade") or not facts_of(told, kind, "calls_at")


def test_each_sort_has_its_form(sold):
    texts, _ = sold
    for text in texts["trade_en"].values():
        figures = text.split("\n\n")[2:4] if "- Length: **" in text else []
        assert not figures or figures[1].startswith("- ")  # first of all, below the line that says whose brief it is
        assert "| " not in text.replace("* | ", "").partition("\n\n")[2].partition("\n\n")[2]
    with_price = [text for text in texts["shop_en"].values() if re.search(r"\d m\b", text.split("## ")[0])]
    assert len(with_price) > 50
    assert all("| Length |" not in text for text in texts["shop_en"].values())
    assert sum("\n- " in text for text in texts["fan_en"].values()) > 100  # trivia


@pytest.mark.parametrize("kind", KINDS)
def test_wordings_differ_from_page_to_page(sold, kind):
    texts, _ = sold
    plain = [re.sub(r"\]\([^)]*\)", "]", text) for text in texts[kind].values()]
    lines = [
        {line for line in text.split("\n") if len(line) > 24 and not line.startswith(("|", "#"))} for text in plain
    ]
    shared = [len(one & other) / max(1, len(one | other)) for one, other in pairwise(lines)]
    assert sorted(shared)[len(shared) // 2] < 0.25


def test_a_price_that_is_not_stated_is_refused(tmp_path):
    kind = {"generator": "pages.shop", "about": "ship", "states": ["crew"], "params": {"price": "length"}}
    with pytest.raises(InputError, match="price: length"):
        write_pages(harbour_spec({"listing": kind}), harbour_tables(), tmp_path, LocalEngine(1), Progress())
