"""The ranking settings of an index, fixed when it is built and stored beside it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from worldforge.core.files import write_json

_ALWAYS_WRITTEN = ("title_boost", "common_share")


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """What there is to ranking besides BM25.

    A match in the title weighs `title_boost` times. A term that stands in more than `common_share` of bodies hardly
    tells pages apart but costs most of a search: it is looked up in bodies only where no rarer one is. The rest is as
    in a spec's section `search`; `as_of` is the day from which ages count, `seed` keys what is left to chance, and
    `cjk` says that the index has fields for Chinese, Japanese and Korean.
    """

    title_boost: float = 2.0
    common_share: float = 0.5
    authority: float = 0.0
    freshness: float = 0.0
    half_life_days: float = 365.0
    language_boost: float = 0.0
    typos: bool = True
    top_k: int | None = None
    recall_loss: float = 0.0
    ranking_noise: float = 0.0
    as_of: str = ""
    seed: int = 0
    cjk: bool = False

    @classmethod
    def of(cls, *, as_of: str, seed: int, **search: Any) -> RankingSettings:
        """Rank as a spec's section `search` says; the day and the seed are kept where something depends on them."""
        ranking = cls(**search)
        return replace(ranking, as_of=as_of if ranking.freshness > 0 else "", seed=seed if ranking.has_chance else 0)

    @property
    def weighs_pages(self) -> bool:
        """Whether pages weigh something of their own, whatever the query."""
        return self.authority > 0 or self.freshness > 0

    @property
    def has_chance(self) -> bool:
        """Whether chance has a part in what is found."""
        return self.recall_loss > 0 or self.ranking_noise > 0

    @property
    def by_merit(self) -> RankingSettings:
        """The ranking without what is left to chance."""
        return replace(self, recall_loss=0.0, ranking_noise=0.0)

    @property
    def reorders(self) -> bool:
        """Whether the order of the engine is not the last word."""
        return self.weighs_pages or self.has_chance or self.language_boost > 0


def write_ranking(ranking: RankingSettings, path: Path) -> None:
    """Write what was decided: title and common words always, the rest where it is not the default."""
    defaults = asdict(RankingSettings())
    written = {
        name: value for name, value in asdict(ranking).items() if name in _ALWAYS_WRITTEN or value != defaults[name]
    }
    write_json(path, written)


def read_ranking(path: Path) -> RankingSettings:
    """Read what `write_ranking` left. Raises OSError, ValueError or TypeError where it is missing or damaged."""
    settings = json.loads(path.read_bytes())
    unknown = set(settings) - {field.name for field in fields(RankingSettings)}
    if unknown:
        raise ValueError(f"{path.name} has keys that nothing reads: {', '.join(sorted(unknown))}")
    return RankingSettings(**settings)
