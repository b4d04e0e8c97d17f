"""Rerank results: by what pages weigh, by their language, and by chance; and the settings of that ranking.

The engine ranks by BM25; its results are put in a new order in blocks of `BLOCK`, each within itself, so that however
many results are asked for, the first are the same. A page that matches by score s comes by

    (s + authority · log(1 + r · a) + freshness · 2^(-age / half_life)) · (1 + language_boost · l) · exp(noise · g)

where r is its PageRank (mean 1), a its site's authority, l 1 in the query's language, and g drawn from the Gumbel
distribution (Craswell and others 2005; Li and Croft 2003; Yellott 1977: the Plackett-Luce model of the scores to the
power of 1 / noise). Rankings by words and by vectors are fused by reciprocal ranks (Cormack and others 2009): the sum
of weight / (K + rank). docs/search.md has more.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Stream
from worldforge.core.files import write_json
from worldforge.search.analysis import CJK_LANGUAGES
from worldforge.world.stable_ids import rows_of

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
        return self.authority > 0 or self.freshness > 0 or self.has_chance or self.language_boost > 0


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


BLOCK = 300
"""Results of the engine that are put in order among themselves."""

FILE_NAME = "weights.arrow"
"""What the file of pages' own weights is called in an index's folder; it is there where the ranking needs it."""

COLUMNS = ["kind", "language", "published"]
_DRAWS = 1 << 32
Reals = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
TIE_COLUMNS = ["id", "published"]
_TIE_HASH = Stream(0, "search/ties")
K = 60


@dataclass(frozen=True)
class Weights:
    """What pages weigh, by row: `own` is added to their scores (float32), `cjk` says which are in such a language."""

    own: npt.NDArray[np.float32]
    cjk: npt.NDArray[np.bool_]


def page_weights(
    pages: pa.Table, authority: Reals, ranking: RankingSettings, site_authority: Mapping[str, float]
) -> pa.Table:
    """Weigh `pages` (columns `COLUMNS`), each of an `authority`.

    `site_authority` is that of the site of each kind of page, 1 if not given.
    """
    kinds = pages["kind"].combine_chunks().dictionary_encode()
    factors = np.array([site_authority.get(kind, 1.0) for kind in kinds.dictionary.to_pylist()], np.float64)
    trust = authority * factors[kinds.indices.to_numpy()]
    own = ranking.authority * np.log1p(trust)
    if ranking.freshness > 0:
        today = datetime.date.fromisoformat(ranking.as_of).toordinal() - datetime.date(1970, 1, 1).toordinal()
        published = pages["published"].cast(pa.int32())
        age = np.maximum(today - pc.fill_null(published, today).to_numpy(), 0)
        fresh = np.exp2(-age / ranking.half_life_days)
        own = own + ranking.freshness * np.where(published.is_valid().to_numpy(), fresh, 0.0)
    cjk = pc.is_in(pages["language"], pa.array(CJK_LANGUAGES)).combine_chunks()
    return pa.table({"own": own.astype(np.float32), "cjk": cjk.cast(pa.uint8())})


def write_weights(table: pa.Table, path: Path) -> None:
    """Write what `page_weights` made, to be mapped."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def open_weights(path: Path) -> Weights:
    """Map what `write_weights` left. Raises OSError or pyarrow.ArrowInvalid where it is damaged."""
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    return Weights(table["own"].to_numpy(), table["cjk"].to_numpy().astype(np.bool_))


def rescored(
    scores: Reals, rows: npt.NDArray[np.int64], weights: Weights, ranking: RankingSettings, *, key: str, cjk: bool
) -> Reals:
    """Return the scores of pages `rows` by all that counts; a page that the query `key` does not find scores -inf."""
    share = ranking.language_boost * (weights.cjk[rows] == cjk)
    return with_chance((scores + weights.own[rows]) * (1 + share), rows, ranking, key=key)


def with_chance(scores: Reals, rows: npt.NDArray[np.int64], ranking: RankingSettings, *, key: str) -> Reals:
    """Return the scores of pages `rows` with the part that chance has in them; a page that is not found scores -inf."""
    fresh = scores
    stream = Stream(ranking.seed, "search")
    if ranking.ranking_noise > 0:
        fresh = fresh * np.exp(ranking.ranking_noise * -np.log(-np.log(_draws(stream.child("noise", key), rows))))
    if ranking.recall_loss > 0:
        fresh = np.where(_draws(stream.child("recall", key), rows) < ranking.recall_loss, -np.inf, fresh)
    return fresh


def _draws(stream: Stream, rows: npt.NDArray[np.int64]) -> Reals:
    """Draw a number between 0 and 1, neither included, for each of `rows`, wherever in a large table they lie."""
    return (stream.permutation(rows, _DRAWS) + 0.5) / _DRAWS


def fuse(rankings: Sequence[tuple[Rows, float]]) -> tuple[Rows, npt.NDArray[np.float64]]:
    """Return the pages of all rankings (rows, best first, and a weight each), in order of rows, and their scores."""
    pages = np.unique(np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in rankings)]))
    scores = np.zeros(len(pages))
    for rows, weight in rankings:
        scores[np.searchsorted(pages, rows)] += weight / (K + np.arange(1, len(rows) + 1))
    return pages, scores


def tie_order(pages: pa.Table, authority: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the rows of `pages` (columns `TIE_COLUMNS`), each of an `authority`, the one that wins every tie first.

    Highest authority first, then latest publication (no date comes last), then lowest hash of the page id: going
    by row numbers would be a bias that agents can learn.
    """
    published = pc.fill_null(pages["published"].cast(pa.int32()), np.iinfo(np.int32).min)
    newest = -published.to_numpy().astype(np.int64)
    return np.lexsort((_TIE_HASH.bits(rows_of(pages["id"])), newest, -authority))
