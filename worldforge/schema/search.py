"""What a spec says of searching its pages: what ranks them besides their words, and how a search may fall short."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from worldforge.schema.section import Section

Weight = Annotated[float, Field(ge=0, le=100)]


class Search(Section):
    """How pages are ranked and found, beside the match of words (BM25)."""

    _without_saying: ClassVar[tuple[str, ...]] = (
        "authority", "freshness", "half_life_days", "language_boost", "typos", "top_k", "recall_loss", "ranking_noise",
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
        default=0.0,
        description="By which share pages gain that are in the language of the query, told by its script.",
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
