"""What a spec says of its web: sites, kinds of pages, how they may differ from the truth, and how they are found.

`character_of` and `authority_of` say what a site is, and how much its word counts, where the spec does not.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from worldforge.core.imports import is_own
from worldforge.schema.spec_section import Identifier, Language, Section, Share

if typing.TYPE_CHECKING:
    from worldforge.schema.spec import WorldSpec

ProseSource = Literal["templates", "model"]


class Style(Section):
    """How a site writes values. What it writes reads back as the very value of the table."""

    dates: Literal["day month year", "month day, year", "iso", "day.month.year"] = Field(
        default="day month year", description="18 June 2024, June 18, 2024, 2024-06-18 or 18.06.2024."
    )
    numbers: Literal["comma", "point", "space", "plain", "myriads"] = Field(
        default="comma",
        description="What parts thousands: 12,400.5 or 12.400,5 or 12 400.5 or 12400.5; `myriads`, for Chinese pages, "
        "writes 12,400 as 1.24万, and 340,000,000 as 3.4亿, where two decimals are enough to say it exactly.",
    )
    units: Literal["metric", "imperial"] = Field(
        default="metric", description="Lengths, areas, weights, volumes and temperatures: km² or square miles."
    )
    currency: str | None = Field(
        default=None, description="One of the world's `web.currencies`; amounts of money are written in it."
    )


Character = Literal["encyclopedia", "official", "news", "trade", "fan", "forum", "shop", "data"]


class Site(Section):
    """A host that pages live on. Its host name is invented unless given (always below `.example`)."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("character", "authority", "outdated", "mistaken", "style")

    title: str = Field(default="", description="What it is called. Default: an invented title.")
    host: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)*\.example$",
        description="Its host name, below `.example`. Default: made from the title.",
    )
    character: Character | None = Field(
        default=None, description="What sort of site it is. Default: by the generator of the pages on it."
    )
    authority: float | None = Field(
        default=None,
        ge=0,
        le=10,
        description="How much its word counts where pages disagree, and in search. Default: by character.",
    )
    outdated: Share = Field(default=0.0, description="Share of its pages that say what was true years before today.")
    mistaken: Share = Field(default=0.0, description="Share of the facts on its pages that are wrong.")
    style: Style = Style()


class Web(Section):
    """What holds for all sites together."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("settled_by", "currencies", "redirects", "dead_links", "site_maps")

    settled_by: Literal["date", "authority", "majority"] | None = Field(
        default=None,
        description="How a careful reader settles what pages disagree on, as questions say and gold tables follow: by "
        "the page published last, by the site with the most authority, or by what most pages say.",
    )
    currencies: dict[str, float] = Field(
        default_factory=dict,
        description="Units of money, and how many of the first of them one is worth: `{crowns: 1, marks: 2.5}`.",
    )
    redirects: Share = Field(
        default=0.0, description="Share of pages that a part of the links reach by an old address, which leads on."
    )
    dead_links: Share = Field(default=0.0, description="Share of links that lead to a page that is gone.")
    site_maps: bool = Field(
        default=False,
        description="Whether each site that pages name has a map, from which all its pages can be reached: a kind of "
        "page `SITE_map` for each.",
    )


class PageKind(Section):
    """Pages of one sort: what they are about, what they state, how completely. A field a key of the spec."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = (
        "prose", "copies", "archives", "part_rows", "language", "unless", "rows", "address",
    )  # fmt: skip

    generator: str = Field(description="`pages.encyclopedia`, `pages.official`, `pages.news`, `pages.directory`, …")
    about: Identifier = Field(description="The type: one page an entity, or pages that list its entities.")
    states: list[Identifier] | Literal["all"] = Field(
        default="all", description="Attributes and relations that may be stated."
    )
    completeness: Share = Field(
        1.0, description="Share of the facts in `states` (or of a list's rows) that are stated."
    )
    rows: Identifier | None = Field(
        default=None,
        description="A relation with `about` at an end: one page for each of its rows, as reports of events have.",
    )
    share: Share = Field(default=1.0, description="Share of the entities (or rows) that have such a page.")
    by: str | None = Field(
        default=None, description="For lists: a reference path that splits them (`town`, `town.region`)."
    )
    page_size: int = Field(default=25, ge=1, le=500, description="For lists: rows a page.")
    part_rows: int | None = Field(
        default=None,
        ge=1,
        description="Most rows that a table of a relation has on one page; longer ones go on at pages of their own, "
        "part by part, linked by next and previous.",
    )
    site: Identifier | None = Field(
        default=None, description="The site it stands on. Default: one of its own, by generator."
    )
    address: Identifier | None = Field(
        default=None,
        description="For pages on a host of their own, as those of `pages.official` are: the column of addresses "
        "(`values.website`) that says where each stands. Entities without one have no such page.",
    )
    prose: ProseSource = Field(
        default="templates",
        description="Who words its paragraphs: the generator's `templates`, or a `model`, around facts that stay.",
    )
    copies: Identifier | None = Field(
        default=None,
        description="Another kind of page: `share` of its pages stand here again, nearly word for word, on this "
        "kind's site, as papers print what agencies send.",
    )
    archives: Identifier | None = Field(
        default=None,
        description="Another kind of page: `share` of its pages have an archived copy here, of 1 to 12 years ago, that "
        "states what was so then.",
    )
    language: Language | None = Field(
        default=None, description="What it is written in. Default: the first of the world's languages."
    )
    unless: Identifier | None = Field(
        default=None,
        description="Another kind of page about the same type: entities that have such a page have none of this kind.",
    )
    params: dict[str, Any] = Field(default_factory=dict, description="Parameters of the generator.")


def with_site_maps(data: object) -> object:
    """Add a map to each site that kinds of pages name, where a spec (as read, or checked) asks for maps."""
    if not isinstance(data, dict) or not isinstance(data.get("pages"), dict) or not isinstance(data.get("types"), dict):
        return data
    web, pages = data.get("web"), data["pages"]
    wanted = web.get("site_maps") if isinstance(web, dict) else getattr(web, "site_maps", False)
    if wanted is not True or not data["types"]:
        return data
    maps: dict[str, dict[str, object]] = {}
    for kind in pages.values():
        said = kind if isinstance(kind, dict) else dict(kind) if isinstance(kind, PageKind) else {}
        site = said.get("site")
        if isinstance(site, str) and f"{site}_map" not in pages and f"{site}_map" not in maps:
            maps[f"{site}_map"] = {"generator": "pages.site_map", "about": next(iter(data["types"])), "states": []}
            maps[f"{site}_map"] |= {"site": site, "language": said.get("language")}
    return data | {"pages": pages | maps}


_MODEL_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)?")
Weight = Annotated[float, Field(ge=0, le=100)]


class Dense(Section):
    """Search by vectors beside search by words."""

    model: str = Field(
        min_length=1,
        max_length=200,
        description="Name of the embedding model. Where it is says whoever builds or searches, never a spec.",
    )
    weight: Annotated[float, Field(gt=0, le=100)] = Field(
        default=1.0, description="What the ranking by vectors weighs beside the one by words, which weighs 1."
    )
    passage_characters: int = Field(
        default=2_000, ge=200, le=100_000, description="Most characters of a page's text that one vector stands for."
    )
    query_prefix: str = Field(
        default="", max_length=1_000, description="What the model is to read before a query, as its makers say."
    )
    page_prefix: str = Field(
        default="", max_length=1_000, description="What the model is to read before a passage of a page."
    )

    @field_validator("model")
    @classmethod
    def _name_alone(cls, model: str) -> str:
        if not _MODEL_NAME.fullmatch(model):
            raise ValueError("must be a model's name alone, `owner/name`: its address is given by `--embedder`")
        return model


class SearchSettings(Section):
    """How pages are ranked and found, beside the match of words (BM25)."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = (
        "authority", "freshness", "half_life_days", "language_boost", "typos", "top_k", "recall_loss", "ranking_noise",
        "dense",
    )  # fmt: skip

    authority: Weight = Field(
        default=0.0,
        description="Weight of a page's links and its site's `authority`: adds this times log(1 + both multiplied).",
    )
    freshness: Weight = Field(
        default=0.0,
        description="What a page of today gains; half of it after `half_life_days`, a quarter after twice as many.",
    )
    half_life_days: float = Field(default=365.0, ge=1, le=1_000_000, description="Days in which freshness halves.")
    language_boost: Weight = Field(
        default=0.0, description="By which share pages gain that are in the language of the query, told by its script."
    )
    typos: bool = Field(
        default=True, description="Whether a word that no page holds is looked up by the nearest words that pages hold."
    )
    top_k: int | None = Field(
        default=None, ge=1, le=100_000, description="Most results of a query, over all its pages of results."
    )
    recall_loss: float = Field(
        default=0.0,
        ge=0,
        le=0.9,
        description="Share of matching pages that a query does not find; each other wording misses others.",
    )
    ranking_noise: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description="How much chance there is in the order of results: 0 is none, from 1 on most of it is chance.",
    )
    dense: Dense | None = Field(
        default=None, description="Search by vectors of an embedding model too, fused with that by words."
    )


PROSE_SOURCES: tuple[ProseSource, ...] = typing.get_args(ProseSource)


def spread_prose(pages: object) -> object:
    """Copy `prose`, the one key of `pages` that is no kind of page, into the kinds that do not give it."""
    if not isinstance(pages, dict) or pages.get("prose") is None:
        return pages
    if pages["prose"] not in PROSE_SOURCES:
        raise ValueError("`prose`, which says who words all pages, must be `templates` or `model`")
    kinds = {key: kind for key, kind in pages.items() if key != "prose"}
    return {key: {"prose": pages["prose"], **kind} if isinstance(kind, dict) else kind for key, kind in kinds.items()}


OWN_SITE = "own"
"""Stands in paths for the site that an entity has itself; no site of a spec may be called so."""

AUTHORITY: Mapping[Character, float] = {
    "official": 6.0,
    "data": 5.0,
    "encyclopedia": 4.0,
    "trade": 3.0,
    "news": 2.5,
    "shop": 2.0,
    "fan": 1.0,
    "forum": 0.5,
}
"""How much the word of a site counts that gives no `authority`, from 0 to 10, by its character."""

_BY_GENERATOR: Mapping[str, Character] = {
    "pages.encyclopedia": "encyclopedia",
    "pages.official": "official",
    "pages.news": "news",
    "pages.forum": "forum",
    "pages.trade": "trade",
    "pages.fan": "fan",
    "pages.shop": "shop",
    "pages.wiki": "encyclopedia",
    "pages.memo": "news",
    "pages.ticket": "forum",
    "pages.archived": "forum",
}


def site_of(spec: WorldSpec, key: str) -> Site:
    """Return the site that a kind of page stands on; where it has one of its own, what holds for any site."""
    named = spec.pages[key].site
    return spec.sites[named] if named is not None else Site()


def character_of(spec: WorldSpec, key: str) -> Character:
    """Return the character of the site that the kind `key` stands on: the site's own, or that of its first pages.

    What a spec's own generators write is news: it counts less than the encyclopedia's word. Lists and tables are data.
    """
    kind, given = spec.pages[key], site_of(spec, key).character
    if given is not None:
        return given
    first = next(one for one in spec.pages.values() if one.site == kind.site) if kind.site else kind
    return _BY_GENERATOR.get(first.generator, "news" if is_own(first.generator) else "data")


def authority_of(spec: WorldSpec, key: str) -> float:
    """Return how much the word of the kind's pages counts, from 0 to 10: the site's own, or by its character."""
    given = site_of(spec, key).authority
    return given if given is not None else AUTHORITY[character_of(spec, key)]


def has_conflicting_pages(spec: WorldSpec) -> bool:
    """Return whether pages of the world may be outdated or mistaken."""
    return any(kind.archives for kind in spec.pages.values()) or any(
        site.outdated or site.mistaken for site in (site_of(spec, key) for key in spec.pages)
    )
