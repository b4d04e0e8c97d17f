"""A world whose search weighs sites, misses pages and shuffles: built from its spec, solved through that search."""

import json
from functools import cache

import pytest
from command import digest

from worldforge.entry_points.build_world import build
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.search.search_index import open_index
from worldforge.world.world import open_world

SPEC = """\
name: searched
seed: 3
types:
  town:
    count: 12
    name: {generator: names.town}
    attributes: {chartered: {generator: values.year, params: {low: 1140, high: 1890}}}
  club:
    count: 40
    label: football club
    name: {generator: names.club, params: {town: = town.name}}
    attributes:
      town: {references: town}
      founded: {generator: values.year, params: {low: 1890, high: 2008}}
sites:
  trusted: {host: trusted.example, authority: 10}
  doubted: {host: doubted.example, authority: 0}
pages:
  town_article: {generator: pages.encyclopedia, about: town, site: doubted}
  club_article: {generator: pages.encyclopedia, about: club, site: doubted}
  club_data: {generator: pages.encyclopedia, about: club, site: trusted}
  clubs_by_town: {generator: pages.directory, about: club, by: town, states: [founded], site: trusted}
tasks:
  list: {family: list, about: [club], count: 6}
"""
KNOBS = "search: {authority: 5, recall_loss: 0.3, ranking_noise: 0.1, top_k: 30}\n"


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    @cache
    def make_world(text):
        folder = tmp_path_factory.mktemp("searched")
        (folder / "world.yaml").write_text(SPEC + text, encoding="utf-8")
        build(load_spec(folder / "world.yaml"), folder / "world")
        return folder / "world"

    return make_world


@pytest.fixture(scope="module")
def world(make):
    return make(KNOBS)


def test_what_the_spec_says_is_kept_with_the_index_and_solved(world, make):
    ranking = json.loads((world / "index" / "ranking.json").read_text())
    assert ranking | {"authority": 5.0, "recall_loss": 0.3, "ranking_noise": 0.1, "top_k": 30, "seed": 3} == ranking
    assert len(open_world(world).tasks) == 6
    assert digest(make(f"{KNOBS}# again")) == digest(world)


def test_trusted_sites_come_first(world, make):
    names = open_world(world).entities("club")["name"].to_pylist()
    shares = []
    for index in (open_index(folder / "index") for folder in (world, make(""))):
        first = [hits[0].url for name in names if (hits := index.search(name, 1))]
        shares.append(sum("trusted.example" in url for url in first) / len(first))
    assert shares[0] > shares[1] + 0.2


def test_a_search_that_says_nothing_new_is_left_out_of_the_spec(make):
    assert digest(make("search: {typos: true, half_life_days: 365}\n")) == digest(make(""))


@pytest.mark.parametrize(
    "wrong", ["{recall_loss: 1}", "{top_k: 0}", "{recall: 0.1}", "{typos: 2}", "{freshness: -1}", "3"]
)
def test_what_cannot_be_is_told(tmp_path, wrong):
    (tmp_path / "world.yaml").write_text(f"{SPEC}search: {wrong}\n", encoding="utf-8")
    with pytest.raises(SpecError, match="search"):
        load_spec(tmp_path / "world.yaml")
