"""What a spec says of searching its pages: what ranks them besides their words, and how a search may fall short."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from worldforge.schema.spec_section import Section

_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)?")
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
        if not _NAME.fullmatch(model):
            raise ValueError("must be a model's name alone, `owner/name`: its address is given by `--embedder`")
        return model


class SearchSettings(Section):
    """How pages are ranked and found, beside the match of words (BM25)."""

    _without_saying: ClassVar[tuple[str, ...]] = (
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
